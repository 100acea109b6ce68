# SPDX-License-Identifier: MIT
"""LFM2: gated short convolutions in most layers, attention with norms of each head's query and key in the others."""

from __future__ import annotations

from pyhexagon.llm.architectures.qwen import QWEN3
from pyhexagon.llm.config import Traits
from pyhexagon.llm.short_conv import read, short_conv
from pyhexagon.llm.step import Architecture, Layer
from pyhexagon.llm.weights import EMBEDDING_NORM
from pyhexagon.program.graph import Value

_ATTENTION = "attn_q", "attn_k", "attn_v", "attn_output"


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    x = b.add(x, _convolution(b, h) if b.is_recurrent else _attention(b, h))
    h = b.norm(x, "ffn_norm")
    return b.add(x, b.linear(b.swiglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up")), "ffn_down"))


def _attention(b: Layer, h: Value) -> Value:
    q, k, v = (b.heads(b.linear(h, name)) for name in ("attn_q", "attn_k", "attn_v"))
    q, k = b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm"))
    return b.linear(b.attention(q, k, v), "attn_output")


def _convolution(b: Layer, h: Value) -> Value:
    return b.linear(short_conv(b, b.linear(h, "shortconv.in_proj")), "shortconv.out_proj")


LFM2 = Architecture(
    rope="neox",
    layer=_layer,
    tensors=QWEN3.tensors,
    recurrent_tensors={
        **{name: shape for name, shape in QWEN3.tensors.items() if not name.startswith(_ATTENTION)},
        "shortconv.conv.weight": ("width", "taps"),
        "shortconv.in_proj.weight": ("3 width", "width"),
        "shortconv.out_proj.weight": ("width", "width"),
    },
    model={f"{EMBEDDING_NORM}.weight": ("width",)},
    last_norm=EMBEDDING_NORM,  # despite its name, after the last layer
    traits=Traits(recurrence=read),
)
