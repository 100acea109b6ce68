# SPDX-License-Identifier: MIT
"""Latent attention: MiniCPM 3 and DeepSeek V2 Lite.

DeepSeek has mixtures of experts with shared experts, except in the first layers. Its files of converters since April
2025 have matrices for attention over the narrow rows, heads of 576 elements, which are too long; those of 2024 have a
matrix that computes keys and values. MiniCPM 3 has MiniCPM's factors, which follow from the sizes.
"""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.llama import pre_norm_layer
from pyhexagon.llm.architectures.tensors import EXPERTS, FEED_FORWARD, LONG_ROPE_FACTORS, PRE_NORMS, SHARED_EXPERTS
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.experts import router_of_keys
from pyhexagon.llm.graph.latent_attention import LATENT_ATTENTION, LATENT_QUERIES, latent_attention, read
from pyhexagon.llm.graph.layer import Architecture

_LAYER = partial(pre_norm_layer, attention=latent_attention)
DEEPSEEK2 = Architecture(
    rope="normal",
    layer=_LAYER,
    tensors={**PRE_NORMS, "attn_q.weight": ("q", "width"), **LATENT_ATTENTION},
    dense_tensors=FEED_FORWARD,
    moe_tensors={**EXPERTS, **SHARED_EXPERTS},
    traits=Traits(
        latent=read, has_experts=True, has_dense_layers=True, has_shared_experts=True, router=router_of_keys
    ),
)


def _minicpm3_factors(keys: HeaderKeys) -> Factors:
    n_layers, width = keys.count("block_count", 1), keys.count("embedding_length", 1)
    return Factors(embeddings=12.0, residuals=1.4 * n_layers**-0.5, logits=256 / width)


MINICPM3 = Architecture(
    rope="neox",
    layer=_LAYER,
    tensors={**PRE_NORMS, **LATENT_QUERIES, **LATENT_ATTENTION, **FEED_FORWARD},
    model_optional=LONG_ROPE_FACTORS,
    embedding_scale=lambda config: config.factors.embeddings,
    traits=Traits(latent=read, factors=_minicpm3_factors),
)
