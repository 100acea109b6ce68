# SPDX-License-Identifier: MIT
"""MiniCPM 3: latent attention, and MiniCPM's factors, which follow from the sizes."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import FEED_FORWARD
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.latent_attention import LATENT_ATTENTION, LATENT_QUERIES, latent_attention, read
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    factor = b.config.factors.residuals
    x = b.add(x, b.scale(latent_attention(b, b.norm(x, "attn_norm")), factor))
    return b.add(x, b.scale(b.feed_forward(b.norm(x, "ffn_norm")), factor))


def _factors(keys: HeaderKeys) -> Factors:
    n_layers, width = keys.count("block_count", 1), keys.count("embedding_length", 1)
    return Factors(embeddings=12.0, residuals=1.4 * n_layers**-0.5, logits=256 / width)


MINICPM3 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        **LATENT_QUERIES,
        **LATENT_ATTENTION,
        "ffn_norm.weight": ("width",),
        **FEED_FORWARD,
    },
    model_optional={"rope_factors_long.weight": ("pairs",), "rope_factors_short.weight": ("pairs",)},
    embedding_scale=lambda config: config.factors.embeddings,
    traits=Traits(latent=read, factors=_factors),
)
