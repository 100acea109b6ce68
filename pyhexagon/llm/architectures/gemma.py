# SPDX-License-Identifier: MIT
"""Gemma 1: Llama's graph with GEGLU, and a factor on embeddings."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    h = b.norm(x, "ffn_norm")
    return b.add(x, b.linear(b.geglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up")), "ffn_down"))


GEMMA = LLAMA._replace(
    rope="neox",
    layer=_layer,
    optional={},
    model_optional={},
    embedding_scale=lambda config: float(config.width**0.5),
)
