# SPDX-License-Identifier: MIT
"""dots.ocr: two norms, merged patches, and two matrices with GELU between them."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import PatchRotation, ProjectorKind
from pyhexagon.llm.vision.preprocessing import of_any_size
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_EPS: Final = 1e-6  # of the second norm, whatever the encoder's


def _project(b: Tower, x: Value) -> Value:
    y = b.norm(b.norm(x, "mm.post_norm"), "mm.input_norm", norm="layer", eps=_EPS)
    return b.mlp(b.merged(y), "mm.0", "mm.2")


DOTS_OCR: Final = ProjectorKind(
    project=_project,
    preprocess=of_any_size,
    output=("mm.2.weight", 0),
    tensors={
        "mm.post_norm.weight": ("width",), "mm.input_norm.weight": ("width",), "mm.input_norm.bias": ("width",),
        "mm.0.weight": ("hidden", "merged"), "mm.0.bias": ("hidden",),
        "mm.2.weight": ("projection", "hidden"), "mm.2.bias": ("projection",),
    },
    hidden="mm.0.weight",
    merge_key="vision.projector.scale_factor",
    merge=2,
    positions=None,
    norm="rms",
    rotation=PatchRotation("neox"),
    tokens=None,
    begin="<|img|>",
    end="<|endofimg|>",
)  # fmt: skip
