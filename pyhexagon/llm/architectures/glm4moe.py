# SPDX-License-Identifier: MIT
"""GLM 4.5 and 4.6: mixtures of experts with shared experts except in the first layers, RoPE on half a head."""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.llama import ATTENTION, FEED_FORWARD, HEAD_NORMS
from pyhexagon.llm.architectures.qwen3moe import EXPERTS, SHARED_EXPERTS
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.experts import SIGMOID, experts, router_of_keys
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    if b.has("attn_q_norm.weight"):
        q, k = b.norm(q, "attn_q_norm"), b.norm(k, "attn_k_norm")
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    h = b.norm(x, "post_attention_norm")
    if b.is_dense:
        return b.add(x, b.feed_forward(h))
    return b.add(x, b.add(experts(b, h, b.swiglu), b.feed_forward(h, "_shexp")))


GLM4MOE = Architecture(
    rope="neox",
    layer=_layer,
    tensors={"attn_norm.weight": ("width",), **ATTENTION, "post_attention_norm.weight": ("width",)},
    dense_tensors=FEED_FORWARD,
    moe_tensors={**EXPERTS, **SHARED_EXPERTS, "exp_probs_b.bias": ("experts",)},
    optional={
        "attn_q.bias": ("q",),
        "attn_k.bias": ("kv",),
        "attn_v.bias": ("kv",),
        **HEAD_NORMS,
    },
    traits=Traits(
        has_experts=True,
        has_dense_layers=True,
        has_shared_experts=True,
        has_mtp=True,
        router=partial(router_of_keys, default=SIGMOID),
    ),
)
