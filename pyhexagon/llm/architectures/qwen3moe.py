# SPDX-License-Identifier: MIT
"""Qwen 3's mixtures of experts: Qwen 3's attention, and experts instead of the feed-forward net."""

from __future__ import annotations

from pyhexagon.llm.architectures.qwen import QWEN3
from pyhexagon.llm.config import Traits
from pyhexagon.llm.step import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = (b.heads(b.linear(h, name)) for name in ("attn_q", "attn_k", "attn_v"))
    q, k = b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm"))
    x = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    return b.add(x, b.experts(b.norm(x, "ffn_norm"), b.swiglu))


QWEN3MOE = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        **{name: shape for name, shape in QWEN3.tensors.items() if name not in (
            "ffn_gate.weight", "ffn_up.weight", "ffn_down.weight",
        )},
        "ffn_gate_inp.weight": ("experts", "width"),
        "ffn_gate_exps.weight": ("experts", "expert ffn", "width"),
        "ffn_up_exps.weight": ("experts", "expert ffn", "width"),
        "ffn_down_exps.weight": ("experts", "width", "expert ffn"),
    },
    traits=Traits(has_experts=True),
)  # fmt: skip
