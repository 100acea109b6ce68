# SPDX-License-Identifier: MIT
"""Qwen 3's mixtures of experts: Qwen 3's attention, and experts instead of the feed-forward net."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION, HEAD_NORMS
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.experts import experts
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    q, k = b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm"))
    x = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    return b.add(x, experts(b, b.norm(x, "ffn_norm"), b.swiglu))


EXPERTS = {
    "ffn_gate_inp.weight": ("experts", "width"),
    "ffn_gate_exps.weight": ("experts", "expert ffn", "width"),
    "ffn_up_exps.weight": ("experts", "expert ffn", "width"),
    "ffn_down_exps.weight": ("experts", "width", "expert ffn"),
}

SHARED_EXPERTS = {
    "ffn_gate_shexp.weight": ("shared ffn", "width"),
    "ffn_up_shexp.weight": ("shared ffn", "width"),
    "ffn_down_shexp.weight": ("width", "shared ffn"),
}

QWEN3MOE = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        **ATTENTION,
        "ffn_norm.weight": ("width",),
        **HEAD_NORMS,
        **EXPERTS,
    },
    traits=Traits(has_experts=True),
)
