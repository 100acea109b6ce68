# SPDX-License-Identifier: MIT
"""Seed-OSS: Llama's graph with biases on queries, keys and values, and heads wider than the model."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION, FEED_FORWARD
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    return b.add(x, b.feed_forward(b.norm(x, "post_attention_norm")))


SEED_OSS = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        **ATTENTION,
        "post_attention_norm.weight": ("width",),
        **FEED_FORWARD,
    },
    optional={"attn_q.bias": ("q",), "attn_k.bias": ("kv",), "attn_v.bias": ("kv",)},
)
