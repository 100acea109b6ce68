# SPDX-License-Identifier: MIT
"""ERNIE 4.5: Llama's graph; mixtures of experts have shared experts, too, except in the first layers."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION, FEED_FORWARD, LLAMA
from pyhexagon.llm.architectures.qwen3moe import EXPERTS, SHARED_EXPERTS
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.experts import experts
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    h = b.norm(x, "ffn_norm")
    if b.is_dense:
        return b.add(x, b.feed_forward(h))
    return b.add(x, b.add(experts(b, h, b.swiglu), b.feed_forward(h, "_shexp")))


ERNIE4_5 = LLAMA._replace(model_optional={})

ERNIE4_5_MOE = LLAMA._replace(
    layer=_layer,
    tensors={"attn_norm.weight": ("width",), **ATTENTION, "ffn_norm.weight": ("width",)},
    dense_tensors=FEED_FORWARD,
    moe_tensors={**EXPERTS, **SHARED_EXPERTS},
    optional={"exp_probs_b.bias": ("experts",)},
    model_optional={},
    traits=Traits(has_experts=True, has_dense_layers=True, has_shared_experts=True),
)
