# SPDX-License-Identifier: MIT
"""PaddleOCR-VL: a layer norm, merged patches, and two matrices with the encoder's activation between them.

The encoder has position embeddings, which are interpolated, as well as rotary positions.
"""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import PatchRotation, ProjectorKind
from pyhexagon.llm.vision.preprocessing import of_any_size
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_EPS: Final = 1e-5  # of PyTorch's LayerNorm, whatever the encoder's


def _project(b: Tower, x: Value) -> Value:
    y = b.merged(b.norm(x, "mm.input_norm", norm="layer", eps=_EPS))
    return b.linear(b.activation(b.linear(y, "mm.1")), "mm.2")


PADDLEOCR: Final = ProjectorKind(
    project=_project,
    preprocess=of_any_size,
    output=("mm.2.weight", 0),
    tensors={
        "mm.input_norm.weight": ("width",), "mm.input_norm.bias": ("width",),
        "mm.1.weight": ("hidden", "merged"), "mm.1.bias": ("hidden",),
        "mm.2.weight": ("projection", "hidden"), "mm.2.bias": ("projection",),
    },
    hidden="mm.1.weight",
    merge=2,
    positions="antialiased",
    rotation=PatchRotation("neox"),
    tokens=None,
    has_places=True,
    begin="<|IMAGE_START|>",
    end="<|IMAGE_END|>",
)  # fmt: skip
