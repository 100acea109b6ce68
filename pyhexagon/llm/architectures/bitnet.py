# SPDX-License-Identifier: MIT
"""BitNet b1.58: Llama's graph with norms before the output matrices of attention and feed-forward network."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    attended = b.norm(b.attention(b.rope(q), b.rope(k), v), "attn_sub_norm")
    x = b.add(x, b.linear(attended, "attn_output"))
    h = b.norm(x, "ffn_norm")
    h = b.norm(b.swiglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up")), "ffn_sub_norm")
    return b.add(x, b.linear(h, "ffn_down"))


BITNET = Architecture(
    rope="neox",
    layer=_layer,
    tensors={**LLAMA.tensors, "attn_sub_norm.weight": ("q",), "ffn_sub_norm.weight": ("ffn",)},
)
