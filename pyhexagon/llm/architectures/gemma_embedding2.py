# SPDX-License-Identifier: MIT
"""EmbeddingGemma 2, text: Gemma 4's graph with bidirectional attention, and a matrix that makes embeddings of rows.

Per-layer embeddings are projections of the token embeddings alone: there is no table of them.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.gemma4 import GEMMA4, PER_LAYER, PER_LAYER_MODEL
from pyhexagon.llm.architectures.gemma_embedding import without_logits
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.files.weights import LAST_NORM, OUTPUT, PER_LAYER_EMBEDDING

GEMMA_EMBEDDING2 = GEMMA4._replace(
    tensors={**GEMMA4.tensors, **GEMMA4.optional},
    moe_tensors={},
    per_layer=({name: shape for name, shape in PER_LAYER_MODEL.items() if name != PER_LAYER_EMBEDDING}, PER_LAYER),
    optional={},
    model={f"{LAST_NORM}.weight": ("width",), OUTPUT: ("embedding", "width")},
    projection="output",
    traits=Traits(
        window_pattern=6, has_window_rope=True, has_window_heads=True, has_per_layer_embeddings=True, is_encoder=True,
        has_projection=True, adapt=without_logits,
    ),
)  # fmt: skip
