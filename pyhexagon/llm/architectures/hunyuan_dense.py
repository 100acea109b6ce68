# SPDX-License-Identifier: MIT
"""Hunyuan, dense: Qwen 3's graph, but RoPE comes before the norms of each head's query and key."""

from __future__ import annotations

from pyhexagon.llm.architectures.qwen import QWEN3
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    q, k = b.norm(b.rope(q), "attn_q_norm"), b.norm(b.rope(k), "attn_k_norm")
    x = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    return b.add(x, b.feed_forward(b.norm(x, "ffn_norm")))


HUNYUAN_DENSE = Architecture(rope="neox", layer=_layer, tensors=QWEN3.tensors)
MAINCODER = HUNYUAN_DENSE._replace(rope="normal")
