# SPDX-License-Identifier: MIT
"""SmolLM3: Llama's graph, without RoPE in every fourth layer."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    if (b.index + 1) % 4:
        q, k = b.rope(q), b.rope(k)
    x = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    return b.add(x, b.feed_forward(b.norm(x, "ffn_norm")))


SMOLLM3 = LLAMA._replace(layer=_layer, model_optional={})
