# SPDX-License-Identifier: MIT
"""NeoBERT: pre-norms, fused matrices, SwiGLU, and bidirectional attention."""

from __future__ import annotations

from pyhexagon.llm.architectures.phi3 import PHI3
from pyhexagon.llm.files.config import Traits

_LAST_NORM = "enc.output_norm"

NEO_BERT = PHI3._replace(
    rope="normal",
    model={f"{_LAST_NORM}.weight": ("width",)},
    model_optional={},
    last_norm=_LAST_NORM,
    traits=Traits(is_encoder=True),
)
