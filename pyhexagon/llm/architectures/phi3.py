# SPDX-License-Identifier: MIT
"""Phi 3 and 4 mini: fused QKV and gate-up matrices."""

from __future__ import annotations

from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    gate, up = b.split(b.linear(b.norm(x, "ffn_norm"), "ffn_up"), ("ffn", "ffn"))
    return b.add(x, b.linear(b.swiglu(gate, up), "ffn_down"))


PHI3 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        "attn_qkv.weight": ("qkv", "width"),
        "attn_output.weight": ("width", "q"),
        "ffn_norm.weight": ("width",),
        "ffn_up.weight": ("2 ffn", "width"),
        "ffn_down.weight": ("width", "ffn"),
    },
    traits=Traits(adapt=lambda keys: keys.ignore("attention.sliding_window")),  # as llama.cpp does
    model_optional={"rope_factors_long.weight": ("pairs",), "rope_factors_short.weight": ("pairs",)},
)
