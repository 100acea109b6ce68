# SPDX-License-Identifier: MIT
"""gpt-oss: experts, biases everywhere, sinks, YaRN, and a window in every second layer."""

from __future__ import annotations

from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.experts import experts
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    return b.add(x, experts(b, b.norm(x, "post_attention_norm"), b.swiglu_oai))


GPT_OSS = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        "attn_q.weight": ("q", "width"),
        "attn_q.bias": ("q",),
        "attn_k.weight": ("kv", "width"),
        "attn_k.bias": ("kv",),
        "attn_v.weight": ("kv", "width"),
        "attn_v.bias": ("kv",),
        "attn_sinks.weight": ("heads",),
        "attn_output.weight": ("width", "q"),
        "attn_output.bias": ("width",),
        "post_attention_norm.weight": ("width",),
        "ffn_gate_inp.weight": ("experts", "width"),
        "ffn_gate_inp.bias": ("experts",),
        "ffn_gate_exps.weight": ("experts", "expert ffn", "width"),
        "ffn_gate_exps.bias": ("experts", "expert ffn"),
        "ffn_up_exps.weight": ("experts", "expert ffn", "width"),
        "ffn_up_exps.bias": ("experts", "expert ffn"),
        "ffn_down_exps.weight": ("experts", "width", "expert ffn"),
        "ffn_down_exps.bias": ("experts", "width"),
    },
    traits=Traits(window_pattern=2, has_experts=True),
)
