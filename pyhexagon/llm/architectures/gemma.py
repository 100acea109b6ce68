# SPDX-License-Identifier: MIT
"""Gemma 1 to 3 and EmbeddingGemma: GEGLU, and a factor on embeddings."""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.llama import LLAMA, geglu_net, pre_norm_layer
from pyhexagon.llm.architectures.post_norms import four_norms_layer
from pyhexagon.llm.architectures.tensors import HEAD_NORMS, POST_NORMS
from pyhexagon.llm.files.config import Config, Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Architecture
from pyhexagon.ops.flash_attn_ext import SOFTCAP_MOST

_LAYERS_OF_GEMMA2_27B, _LAYERS_OF_GEMMA3_27B = 46, 62
_STRETCHED = 34, 48, _LAYERS_OF_GEMMA3_27B  # layers of 4B, 12B and 27B, whose context is stretched
_OF_IMAGES = "v.", "mm."  # image tensors in Ollama's files


def root_of_width(config: Config) -> float:
    """Return the factor on embeddings."""
    return float(config.width**0.5)


GEMMA = LLAMA._replace(
    rope="neox",
    layer=partial(pre_norm_layer, net=geglu_net),
    optional={},
    model_optional={},
    embedding_scale=root_of_width,
)


def _attention_scale(config: Config, n_layers_of_27b: int) -> float:
    """Return the attention scale, which differs in the 27B model, and no key says so."""
    per_head = config.width / config.n_heads[0]
    return float(per_head**-0.5) if config.n_layers == n_layers_of_27b else config.scale


def _soft_caps(keys: HeaderKeys) -> Factors:
    of_scores, of_logits = keys.value("attn_logit_softcapping", 50.0), keys.value("final_logit_softcapping", 30.0)
    if not 1 <= min(of_scores, of_logits) <= max(of_scores, of_logits) <= SOFTCAP_MOST:
        keys.problems.append(f"soft caps of {of_scores} and {of_logits}: expected 1 to {SOFTCAP_MOST}")
    return Factors(attention_softcap=of_scores, logit_softcap=of_logits)


# Gemma 2: four norms per layer, soft caps, and a window in every second layer.
GEMMA2 = Architecture(
    rope="neox",
    layer=partial(four_norms_layer, net=geglu_net),
    tensors={**LLAMA.tensors, **POST_NORMS},
    traits=Traits(window_pattern=2, factors=_soft_caps),
    embedding_scale=root_of_width,
    attention_scale=partial(_attention_scale, n_layers_of_27b=_LAYERS_OF_GEMMA2_27B),
)


def _of_ollama(keys: HeaderKeys) -> None:
    """Adapt Ollama's files, which have image keys and other names, and leave out what its own engine knows.

    Some have a soft cap of logits, which no Gemma 3 has.
    """
    if not any(name.startswith(("vision.", "mm.", "rope.global.", "rope.local.")) for name in keys.names):
        return
    keys.ignore("vision.", "mm.", "final_logit_softcapping")
    keys.rename("rope.global.freq_base", "rope.freq_base")
    keys.rename("rope.local.freq_base", "rope.freq_base_swa")
    keys.supply("rope.freq_base", 1e6)
    keys.supply("attention.layer_norm_rms_epsilon", 1e-6)
    if keys.value("block_count", 0) in _STRETCHED:
        keys.supply("rope.scaling.factor", 8.0)


# Gemma 3: norms of each head's query and key instead of soft caps, and a window in five layers of six.
GEMMA3 = GEMMA2._replace(
    tensors={**GEMMA2.tensors, **HEAD_NORMS},
    traits=Traits(window_pattern=6, has_window_rope=True, adapt=_of_ollama),
    ignored=_OF_IMAGES,
    attention_scale=partial(_attention_scale, n_layers_of_27b=_LAYERS_OF_GEMMA3_27B),
)


def without_logits(keys: HeaderKeys) -> None:
    """Drop the keys of generation."""
    keys.ignore("attention.causal", "final_logit_softcapping")  # as in llama.cpp, it never is, and has no logits
    keys.supply("attention.causal", value=False)


# EmbeddingGemma: attention is bidirectional.
GEMMA_EMBEDDING = GEMMA3._replace(
    traits=Traits(window_pattern=6, has_window_rope=True, is_encoder=True, adapt=without_logits),
    ignored=(),
    attention_scale=lambda config: config.scale,
)
