# SPDX-License-Identifier: MIT
"""LFM2: gated short convolutions in most layers, attention with norms of each head's query and key in the others."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import FEED_FORWARD
from pyhexagon.llm.architectures.qwen import QWEN3
from pyhexagon.llm.config import Traits
from pyhexagon.llm.short_conv import read, short_conv
from pyhexagon.llm.step import Architecture, Layer
from pyhexagon.llm.weights import EMBEDDING_NORM
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    x = b.add(x, _convolution(b, h) if b.is_recurrent else _attention(b, h))
    return b.add(x, b.feed_forward(b.norm(x, "ffn_norm")))


def _attention(b: Layer, h: Value) -> Value:
    q, k, v = b.qkv(h)
    q, k = b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm"))
    return b.linear(b.attention(q, k, v), "attn_output")


def _convolution(b: Layer, h: Value) -> Value:
    return b.linear(short_conv(b, b.linear(h, "shortconv.in_proj")), "shortconv.out_proj")


LFM2 = Architecture(
    rope="neox",
    layer=_layer,
    tensors=QWEN3.tensors,
    recurrent_tensors={
        "attn_norm.weight": ("width",),
        "ffn_norm.weight": ("width",),
        **FEED_FORWARD,
        "shortconv.conv.weight": ("width", "taps"),
        "shortconv.in_proj.weight": ("3 width", "width"),
        "shortconv.out_proj.weight": ("width", "width"),
    },
    model={f"{EMBEDDING_NORM}.weight": ("width",)},
    last_norm=EMBEDDING_NORM,  # despite its name, after the last layer
    traits=Traits(recurrence=read),
)
