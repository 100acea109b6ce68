# SPDX-License-Identifier: MIT
"""EmbeddingGemma: Gemma 3's graph with bidirectional attention."""

from __future__ import annotations

from pyhexagon.llm.architectures.gemma3 import GEMMA3
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.files.header_keys import HeaderKeys


def without_logits(keys: HeaderKeys) -> None:
    """Drop the keys of generation."""
    keys.ignore("attention.causal", "final_logit_softcapping")  # as in llama.cpp, it never is, and has no logits
    keys.supply("attention.causal", value=False)


GEMMA_EMBEDDING = GEMMA3._replace(
    traits=Traits(window_pattern=6, has_window_rope=True, is_encoder=True, adapt=without_logits),
    ignored=(),
    attention_scale=lambda config: config.scale,
)
