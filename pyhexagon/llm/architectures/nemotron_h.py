# SPDX-License-Identifier: MIT
"""Nemotron H, Nemotron Nano 2 and 3, dense: each layer is Mamba 2, attention without RoPE, or a feed-forward net."""

from __future__ import annotations

from math import inf

from pyhexagon.llm.architectures.llama import ATTENTION, LLAMA
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.llm.graph.mamba2 import MAMBA2, MAMBA2_BIAS, MAMBA2_NORM, mamba2, read
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    if b.is_recurrent:
        y = mamba2(b, h)
    elif b.has_own_kv:
        y = b.linear(b.attention(*b.qkv(h)), "attn_output")
    else:
        positive = b.p.clamp(b.linear(h, "ffn_up"), 0.0, inf)
        y = b.linear(b.p.sqr(positive), "ffn_down")
    return b.add(x, y)


def _adapt(keys: HeaderKeys) -> None:
    """Drop the keys of RoPE, which files have all the same, and take the epsilon of RMS norms by either name."""
    keys.ignore("rope.")
    keys.rename("attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon")


_NORM = {"attn_norm.weight": ("width",)}
NEMOTRON_H = LLAMA._replace(
    layer=_layer,
    tensors={**_NORM, **ATTENTION},
    recurrent_tensors={**_NORM, **MAMBA2, **MAMBA2_NORM},
    feed_forward_tensors={**_NORM, "ffn_up.weight": ("ffn", "width"), "ffn_down.weight": ("width", "ffn")},
    optional={**LLAMA.optional, **MAMBA2_BIAS},
    traits=Traits(recurrence=read, has_separate_layers=True, adapt=_adapt),
)
