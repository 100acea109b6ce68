# SPDX-License-Identifier: MIT
"""SmolLM3: Llama's graph, without RoPE in every fourth layer."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.step import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = (b.heads(b.linear(h, name)) for name in ("attn_q", "attn_k", "attn_v"))
    if (b.index + 1) % 4:
        q, k = b.rope(q), b.rope(k)
    x = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    h = b.norm(x, "ffn_norm")
    return b.add(x, b.linear(b.swiglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up")), "ffn_down"))


SMOLLM3 = LLAMA._replace(layer=_layer, model_optional={})
