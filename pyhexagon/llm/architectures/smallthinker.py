# SPDX-License-Identifier: MIT
"""SmallThinker: experts with ReLU gates, which a router chooses by the input of attention.

Three layers of four of the 21B model have a sliding window, and only these have RoPE.
"""

from __future__ import annotations

from math import inf

from pyhexagon.llm.architectures.llama import ATTENTION
from pyhexagon.llm.architectures.qwen3moe import EXPERTS
from pyhexagon.llm.files.config import ExpertRouter, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.experts import experts, router_of_keys
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    def relu_gated(gate: Value, up: Value) -> Value:
        return b.mul(b.p.clamp(gate, 0.0, inf), up)

    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    if b.has_window or not b.config.window:
        q, k = b.rope(q), b.rope(k)
    attended = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    return b.add(attended, experts(b, b.norm(attended, "ffn_norm"), relu_gated, routed=x))


def _router(keys: HeaderKeys) -> ExpertRouter:
    return router_of_keys(keys)._replace(is_normalized=True)


SMALLTHINKER = Architecture(
    rope="neox",
    layer=_layer,
    tensors={"attn_norm.weight": ("width",), **ATTENTION, "ffn_norm.weight": ("width",), **EXPERTS},
    traits=Traits(window_pattern=4, has_full_attention_first=True, has_experts=True, router=_router),
)
