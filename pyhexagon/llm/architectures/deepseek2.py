# SPDX-License-Identifier: MIT
"""DeepSeek V2 Lite: latent attention, and mixtures of experts with shared experts except in the first layers.

Files of converters since April 2025 have matrices for attention over the narrow rows, heads of 576 elements, which are
too long; those of 2024 have a matrix that computes keys and values.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import FEED_FORWARD
from pyhexagon.llm.architectures.qwen3moe import EXPERTS, SHARED_EXPERTS
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.experts import experts, router_of_keys
from pyhexagon.llm.graph.latent_attention import LATENT_ATTENTION, latent_attention, read
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    x = b.add(x, latent_attention(b, b.norm(x, "attn_norm")))
    h = b.norm(x, "ffn_norm")
    if b.is_dense:
        return b.add(x, b.feed_forward(h))
    return b.add(x, b.add(experts(b, h, b.swiglu), b.feed_forward(h, "_shexp")))


DEEPSEEK2 = Architecture(
    rope="normal",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        "attn_q.weight": ("q", "width"),
        **LATENT_ATTENTION,
        "ffn_norm.weight": ("width",),
    },
    dense_tensors=FEED_FORWARD,
    moe_tensors={**EXPERTS, **SHARED_EXPERTS},
    traits=Traits(
        latent=read, has_experts=True, has_dense_layers=True, has_shared_experts=True, router=router_of_keys
    ),
)
