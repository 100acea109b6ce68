# SPDX-License-Identifier: MIT
"""Gemma 2: Gemma 3's graph without norms of queries and keys, with soft caps, and a window in every second layer."""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.gemma3 import gemma_layer, gemma_scale
from pyhexagon.llm.architectures.llama import LLAMA, POST_NORMS
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Architecture
from pyhexagon.ops.flash_attn_ext import SOFTCAP_MOST

_LAYERS_OF_27B = 46


def _soft_caps(keys: HeaderKeys) -> Factors:
    of_scores, of_logits = keys.value("attn_logit_softcapping", 50.0), keys.value("final_logit_softcapping", 30.0)
    if not 1 <= min(of_scores, of_logits) <= max(of_scores, of_logits) <= SOFTCAP_MOST:
        keys.problems.append(f"soft caps of {of_scores} and {of_logits}: expected 1 to {SOFTCAP_MOST}")
    return Factors(attention_softcap=of_scores, logit_softcap=of_logits)


GEMMA2 = Architecture(
    rope="neox",
    layer=gemma_layer,
    tensors={**LLAMA.tensors, **POST_NORMS},
    traits=Traits(window_pattern=2, factors=_soft_caps),
    embedding_scale=lambda config: float(config.width**0.5),
    attention_scale=partial(gemma_scale, n_layers_of_27b=_LAYERS_OF_27B),
)
