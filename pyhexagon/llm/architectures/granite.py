# SPDX-License-Identifier: MIT
"""Granite 3 and 4, dense and mixtures of experts: Llama's graph with factors on embeddings, residuals and logits.

Granite 4 H has Mamba 2 instead of attention in most layers, no RoPE, and an expert that all tokens share.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION, FEED_FORWARD, LLAMA
from pyhexagon.llm.architectures.qwen3moe import EXPERTS, SHARED_EXPERTS
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.experts import experts
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.llm.graph.mamba2 import MAMBA2, MAMBA2_BIAS, MAMBA2_NORM, mamba2, read
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    factor = b.config.factors.residuals
    h = b.norm(x, "attn_norm")
    x = b.add(x, b.scale(mamba2(b, h) if b.is_recurrent else _attention(b, h), factor))
    h = b.norm(x, "ffn_norm")
    return b.add(x, b.scale(b.feed_forward(h) if b.is_dense else _experts(b, h), factor))


def _attention(b: Layer, h: Value) -> Value:
    q, k, v = b.qkv(h)
    return b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output")


def _experts(b: Layer, h: Value) -> Value:
    y = experts(b, h, b.swiglu)
    return b.add(y, b.feed_forward(h, "_shexp")) if b.config.n_shared_ffn else y


def _factors(keys: HeaderKeys) -> Factors:
    embeddings, residuals, logits = (
        keys.value(name, 0.0) or 1.0 for name in ("embedding_scale", "residual_scale", "logit_scale")
    )
    return Factors(embeddings, residuals, 1 / logits)


def _adapt_dense(keys: HeaderKeys) -> None:
    """Drop the keys of Mamba layers and shared experts, which the converter writes for Granite 4 without any, too."""
    keys.ignore("ssm.", "expert_shared_feed_forward_length")


def _adapt_experts(keys: HeaderKeys) -> None:
    keys.ignore("ssm.")
    keys.rename("feed_forward_length", "expert_feed_forward_length")


def _adapt_hybrid(keys: HeaderKeys) -> None:
    if keys.count("expert_count", 0, least=0):
        keys.rename("feed_forward_length", "expert_feed_forward_length")
    else:
        keys.ignore("expert_shared_feed_forward_length")


_NORMS = {"attn_norm.weight": ("width",), "ffn_norm.weight": ("width",)}

GRANITE = LLAMA._replace(
    layer=_layer,
    traits=Traits(factors=_factors, may_lack_rope=True, adapt=_adapt_dense),
    embedding_scale=lambda config: config.factors.embeddings,
)

GRANITEMOE = GRANITE._replace(
    tensors={**_NORMS, **ATTENTION},
    moe_tensors={**EXPERTS, **SHARED_EXPERTS},
    traits=GRANITE.traits._replace(
        has_experts=True, has_shared_experts=True, may_lack_shared_experts=True, adapt=_adapt_experts
    ),
)

GRANITEHYBRID = GRANITE._replace(
    tensors={**_NORMS, **ATTENTION},
    recurrent_tensors={**_NORMS, **MAMBA2, **MAMBA2_NORM},
    dense_tensors=FEED_FORWARD,
    moe_tensors=GRANITEMOE.moe_tensors,
    optional={**LLAMA.optional, **MAMBA2_BIAS},
    traits=GRANITEMOE.traits._replace(may_be_dense=True, recurrence=read, adapt=_adapt_hybrid),
)
