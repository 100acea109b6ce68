# SPDX-License-Identifier: MIT
"""Llama 2 and 3, and models with the same graph: SmolLM2, Mistral, TinyLlama, R1 distills, InternLM 2 and 2.5."""

from __future__ import annotations

from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    return b.add(x, b.feed_forward(b.norm(x, "ffn_norm")))


ATTENTION = {
    "attn_q.weight": ("q", "width"),
    "attn_k.weight": ("kv", "width"),
    "attn_v.weight": ("kv", "width"),
    "attn_output.weight": ("width", "q"),
}
FEED_FORWARD = {
    "ffn_gate.weight": ("ffn", "width"),
    "ffn_up.weight": ("ffn", "width"),
    "ffn_down.weight": ("width", "ffn"),
}
POST_NORMS = {
    "post_attention_norm.weight": ("width",),
    "post_ffw_norm.weight": ("width",),
}
HEAD_NORMS = {
    "attn_q_norm.weight": ("head",),
    "attn_k_norm.weight": ("head",),
}

LLAMA = Architecture(
    rope="normal",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        **ATTENTION,
        "ffn_norm.weight": ("width",),
        **FEED_FORWARD,
    },
    optional={
        "attn_q.bias": ("q",),
        "attn_k.bias": ("kv",),
        "attn_v.bias": ("kv",),
        "attn_output.bias": ("width",),
        "ffn_gate.bias": ("ffn",),
        "ffn_up.bias": ("ffn",),
        "ffn_down.bias": ("width",),
    },
    model_optional={"rope_freqs.weight": ("pairs",)},
)
