# SPDX-License-Identifier: MIT
"""Phi 3.5 MoE: mixtures of experts, and norms with biases, which are RMS norms as in llama.cpp."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION
from pyhexagon.llm.architectures.qwen3moe import EXPERTS
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.files.weights import OUTPUT_BIAS
from pyhexagon.llm.graph.experts import experts
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    return b.add(x, experts(b, b.norm(x, "ffn_norm"), b.swiglu))


PHIMOE = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        "attn_norm.bias": ("width",),
        **ATTENTION,
        "attn_output.bias": ("width",),
        "ffn_norm.weight": ("width",),
        "ffn_norm.bias": ("width",),
        **EXPERTS,
    },
    optional={"attn_q.bias": ("q",), "attn_k.bias": ("kv",), "attn_v.bias": ("kv",)},
    model={"output_norm.weight": ("width",), "output_norm.bias": ("width",), OUTPUT_BIAS: ("vocabulary",)},
    model_optional={"rope_factors_long.weight": ("pairs",), "rope_factors_short.weight": ("pairs",)},
    traits=Traits(
        has_experts=True,
        adapt=lambda keys: keys.rename("feed_forward_length", "expert_feed_forward_length"),
    ),
)
