# SPDX-License-Identifier: MIT
"""OLMoE: experts whose shares are not normalised, and norms of all queries and all keys of a row at once."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION
from pyhexagon.llm.architectures.olmo2 import ROW_NORMS, attention_with_row_norms
from pyhexagon.llm.architectures.qwen3moe import EXPERTS
from pyhexagon.llm.files.config import ExpertRouter, Traits
from pyhexagon.llm.graph.experts import experts
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    x = b.add(x, attention_with_row_norms(b, b.norm(x, "attn_norm")))
    return b.add(x, experts(b, b.norm(x, "ffn_norm"), b.swiglu))


OLMOE = Architecture(
    rope="neox",
    layer=_layer,
    tensors={"attn_norm.weight": ("width",), **ATTENTION, **ROW_NORMS, "ffn_norm.weight": ("width",), **EXPERTS},
    traits=Traits(
        has_experts=True,
        router=lambda _: ExpertRouter(is_normalized=False),
        adapt=lambda keys: keys.rename("feed_forward_length", "expert_feed_forward_length"),
    ),
)
