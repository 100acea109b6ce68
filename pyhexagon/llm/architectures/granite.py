# SPDX-License-Identifier: MIT
"""Granite 3 and 4, dense and mixtures of experts: Llama's graph with factors on embeddings, residuals and logits.

Granite 4 H has Mamba 2 instead of attention in most layers, no RoPE, and an expert that all tokens share. MiniCPM has
Granite's graph; its factors follow from the sizes in files without their keys.
"""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.llama import LLAMA, pre_norm_layer
from pyhexagon.llm.architectures.tensors import ATTENTION, EXPERTS, FEED_FORWARD, PRE_NORMS, SHARED_EXPERTS
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.mamba2 import MAMBA2, MAMBA2_BIAS, MAMBA2_NORM, mamba2, read


def _factors(keys: HeaderKeys, defaults: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Factors:
    names = "embedding_scale", "residual_scale", "logit_scale"
    embeddings, residuals, logits = (
        keys.value(name, default) or 1.0 for name, default in zip(names, defaults, strict=True)
    )
    return Factors(embeddings, residuals, 1 / logits)


def _minicpm_factors(keys: HeaderKeys) -> Factors:
    n_layers, width = keys.count("block_count", 1), keys.count("embedding_length", 1)
    return _factors(keys, (12.0, 1.4 * n_layers**-0.5, width / 256))


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


GRANITE = LLAMA._replace(
    traits=Traits(factors=_factors, may_lack_rope=True, adapt=_adapt_dense),
    embedding_scale=lambda config: config.factors.embeddings,
)
GRANITEMOE = GRANITE._replace(
    tensors={**PRE_NORMS, **ATTENTION},
    moe_tensors={**EXPERTS, **SHARED_EXPERTS},
    traits=GRANITE.traits._replace(
        has_experts=True, has_shared_experts=True, may_lack_shared_experts=True, adapt=_adapt_experts
    ),
)
GRANITEHYBRID = GRANITEMOE._replace(
    layer=partial(pre_norm_layer, attention=lambda b, h: mamba2(b, h) if b.is_recurrent else b.self_attention(h)),
    recurrent_tensors={**PRE_NORMS, **MAMBA2, **MAMBA2_NORM},
    dense_tensors=FEED_FORWARD,
    optional={**LLAMA.optional, **MAMBA2_BIAS},
    traits=GRANITEMOE.traits._replace(may_be_dense=True, recurrence=read, adapt=_adapt_hybrid),
)
# Granite 4.5, dense: attention sinks, and a sliding window in most layers.
GRANITE_SWA = GRANITE._replace(
    tensors={**GRANITE.tensors, "attn_sinks.weight": ("heads",)},
    traits=GRANITE.traits._replace(window_pattern=4, has_full_attention_first=True, has_rope_pattern=True),
)
MINICPM = GRANITE._replace(traits=Traits(factors=_minicpm_factors), model_optional={})
