# SPDX-License-Identifier: MIT
"""Falcon-H1: attention and Mamba 2 side by side on one norm in each layer."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION, FEED_FORWARD, LLAMA
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.llm.graph.mamba2 import MAMBA2, MAMBA2_BIAS, MAMBA2_NORM, mamba2, read_parallel
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    attended = b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output")
    x = b.add(x, b.add(attended, mamba2(b, h)))
    return b.add(x, b.feed_forward(b.p.rms_norm(x, b.vector(_FFN_NORM), eps=b.config.eps)))


_FFN_NORM = "ffn_norm"  # without ".weight", as converters name it
_TENSORS = {"attn_norm.weight": ("width",), **ATTENTION, _FFN_NORM: ("width",), **FEED_FORWARD}

FALCON_H1 = LLAMA._replace(
    rope="neox",
    layer=_layer,
    tensors=_TENSORS,
    recurrent_tensors={**_TENSORS, **MAMBA2},
    optional={**LLAMA.optional, **MAMBA2_BIAS, **MAMBA2_NORM},
    model_optional={},
    traits=Traits(recurrence=read_parallel, has_parallel_attention=True),
)
