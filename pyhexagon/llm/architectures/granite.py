# SPDX-License-Identifier: MIT
"""Granite 3 and 4, dense and mixtures of experts: Llama's graph with factors on embeddings, residuals and logits."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION, LLAMA
from pyhexagon.llm.architectures.qwen3moe import EXPERTS
from pyhexagon.llm.config import Factors, Traits
from pyhexagon.llm.experts import experts
from pyhexagon.llm.header_keys import HeaderKeys
from pyhexagon.llm.layer import Layer
from pyhexagon.program.graph import Value


def _attended(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    y = b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output")
    return b.add(x, b.scale(y, b.config.factors.residuals))


def _layer(b: Layer, x: Value) -> Value:
    x = _attended(b, x)
    return b.add(x, b.scale(b.feed_forward(b.norm(x, "ffn_norm")), b.config.factors.residuals))


def _layer_of_experts(b: Layer, x: Value) -> Value:
    x = _attended(b, x)
    return b.add(x, b.scale(experts(b, b.norm(x, "ffn_norm"), b.swiglu), b.config.factors.residuals))


def _factors(keys: HeaderKeys) -> Factors:
    if not keys.value("rope.scaling.finetuned", default=True):
        keys.problems.append("rope.scaling.finetuned is False: layers without RoPE are not supported")
    embeddings, residuals, logits = (
        keys.value(name, 0.0) or 1.0 for name in ("embedding_scale", "residual_scale", "logit_scale")
    )
    return Factors(embeddings, residuals, 1 / logits)


GRANITE = LLAMA._replace(
    layer=_layer,
    traits=Traits(factors=_factors),
    embedding_scale=lambda config: config.factors.embeddings,
)

GRANITEMOE = GRANITE._replace(
    layer=_layer_of_experts,
    tensors={"attn_norm.weight": ("width",), **ATTENTION, "ffn_norm.weight": ("width",), **EXPERTS},
    traits=Traits(
        has_experts=True,
        factors=_factors,
        adapt=lambda keys: keys.rename("feed_forward_length", "expert_feed_forward_length"),
    ),
)
