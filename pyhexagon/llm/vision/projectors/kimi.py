# SPDX-License-Identifier: MIT
"""Kimi-VL: a layer norm, merged patches, and two matrices with GELU between them.

The encoder has position embeddings, which are interpolated, as well as rotary positions.
"""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import PatchRotation
from pyhexagon.llm.vision.projectors.paddleocr import PADDLEOCR
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_EPS: Final = 1e-5  # of PyTorch's LayerNorm, whatever the encoder's


def _project(b: Tower, x: Value) -> Value:
    y = b.merged(b.norm(x, "mm.input_norm", norm="layer", eps=_EPS))
    return b.linear(b.p.gelu(b.linear(y, "mm.1")), "mm.2")


KIMIVL: Final = PADDLEOCR._replace(
    project=_project,
    merge_key="vision.projector.scale_factor",
    rotation=PatchRotation("normal", is_column_first=True),
    tokens=(8, 1024),
    has_places=False,
    begin="<|media_start|>",
    end="<|media_end|>",
)
