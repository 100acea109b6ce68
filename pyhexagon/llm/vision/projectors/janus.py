# SPDX-License-Identifier: MIT
"""Janus Pro: two matrices with the encoder's activation between them."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import ProjectorKind
from pyhexagon.llm.vision.preprocessing import square_grey
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value


def _project(b: Tower, x: Value) -> Value:
    return b.linear(b.activation(b.linear(x, "mm.0")), "mm.1")


JANUS_PRO: Final = ProjectorKind(
    project=_project,
    preprocess=square_grey,
    output=("mm.1.weight", 0),
    tensors={
        "mm.0.weight": ("hidden", "width"), "mm.0.bias": ("hidden",),
        "mm.1.weight": ("projection", "hidden"), "mm.1.bias": ("projection",),
    },
    hidden="mm.0.weight",
)  # fmt: skip
