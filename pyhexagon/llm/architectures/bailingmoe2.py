# SPDX-License-Identifier: MIT
"""Ling and Ring 2.0: experts from groups, shared experts except in the first layers, and RoPE on half a head."""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.glm4moe import GLM4MOE
from pyhexagon.llm.architectures.llama import HEAD_NORMS
from pyhexagon.llm.architectures.qwen3moe import EXPERTS, SHARED_EXPERTS
from pyhexagon.llm.graph.experts import SIGMOID, experts, router_of_keys
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    q, k = b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm"))
    x = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    h = b.norm(x, "ffn_norm")
    return b.add(x, b.feed_forward(h) if b.is_dense else b.add(experts(b, h, b.swiglu), b.feed_forward(h, "_shexp")))


BAILINGMOE2 = GLM4MOE._replace(
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        "attn_qkv.weight": ("qkv", "width"),
        "attn_output.weight": ("width", "q"),
        **HEAD_NORMS,
        "ffn_norm.weight": ("width",),
    },
    moe_tensors={**EXPERTS, **SHARED_EXPERTS},
    optional={"exp_probs_b.bias": ("experts",)},
    traits=GLM4MOE.traits._replace(router=partial(router_of_keys, default=SIGMOID)),
)
