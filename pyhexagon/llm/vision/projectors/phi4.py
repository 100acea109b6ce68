# SPDX-License-Identifier: MIT
"""Phi 4 with images: two matrices with GELU between them, one embedding for each patch."""

from __future__ import annotations

from functools import partial
from typing import Final

from pyhexagon.llm.vision.config import ProjectorKind
from pyhexagon.llm.vision.preprocessing import of_any_size
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value


def _project(b: Tower, x: Value) -> Value:
    return b.mlp(x, "mm.0", "mm.2")


PHI4: Final = ProjectorKind(
    project=_project,
    preprocess=partial(of_any_size, resample="BILINEAR"),
    output=("mm.2.weight", 0),
    tensors={
        "mm.0.weight": ("hidden", "width"), "mm.0.bias": ("hidden",),
        "mm.2.weight": ("projection", "hidden"), "mm.2.bias": ("projection",),
    },
    hidden="mm.0.weight",
    positions="antialiased",
    tokens=None,
)  # fmt: skip
