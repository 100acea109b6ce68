# SPDX-License-Identifier: MIT
"""Mamba 2 beside attention: Falcon-H1 in each layer, Nemotron H, Nano 2 and 3 (dense) in layers of their own."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.architectures.tensors import ATTENTION, FEED_FORWARD, UNGATED, norms
from pyhexagon.llm.architectures.ungated import squared_relu_net
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.llm.graph.mamba2 import MAMBA2, MAMBA2_BIAS, MAMBA2_NORM, mamba2, read, read_shape
from pyhexagon.program.graph import Value


def _falcon_h1_layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    x = b.add(x, b.add(b.self_attention(h), mamba2(b, h)))
    return b.add(x, b.feed_forward(b.p.rms_norm(x, b.vector(_FFN_NORM), eps=b.config.eps)))


_NORM = norms("attn_norm")
_FFN_NORM = "ffn_norm"  # without ".weight", as converters name it
_TENSORS = {**_NORM, **ATTENTION, _FFN_NORM: ("width",), **FEED_FORWARD}
FALCON_H1 = LLAMA._replace(
    rope="neox",
    layer=_falcon_h1_layer,
    tensors=_TENSORS,
    recurrent_tensors={**_TENSORS, **MAMBA2},
    optional={**LLAMA.optional, **MAMBA2_BIAS, **MAMBA2_NORM},
    model_optional={},
    traits=Traits(
        recurrence=lambda keys, _, n_layers: (read_shape(keys), [True] * n_layers), has_parallel_attention=True
    ),
)


def _nemotron_h_layer(b: Layer, x: Value) -> Value:
    """Return the output of a layer, which is Mamba 2, attention without RoPE, or a feed-forward net."""
    h = b.norm(x, "attn_norm")
    if b.is_recurrent:
        return b.add(x, mamba2(b, h))
    return b.add(x, b.self_attention(h, has_rope=False) if b.has_own_kv else squared_relu_net(b, h))


def _adapt(keys: HeaderKeys) -> None:
    """Drop the keys of RoPE, which files have all the same, and take the epsilon of RMS norms by either name."""
    keys.ignore("rope.")
    keys.rename("attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon")


NEMOTRON_H = LLAMA._replace(
    layer=_nemotron_h_layer,
    tensors={**_NORM, **ATTENTION},
    recurrent_tensors={**_NORM, **MAMBA2, **MAMBA2_NORM},
    feed_forward_tensors={**_NORM, **UNGATED},
    optional={**LLAMA.optional, **MAMBA2_BIAS},
    traits=Traits(recurrence=read, has_separate_layers=True, adapt=_adapt),
)
