# SPDX-License-Identifier: MIT
"""LFM2-VL: merged patches, perhaps a layer norm, and two matrices with GELU between them."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import ProjectorKind, TileMarks
from pyhexagon.llm.vision.preprocessing import lfm2
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_EPS: Final = 1e-5  # of PyTorch's LayerNorm, whatever the encoder's


def _project(b: Tower, x: Value) -> Value:
    y = b.merged(x)
    y = b.norm(y, "mm.input_norm", norm="layer", eps=_EPS) if b.has("mm.input_norm.weight") else y
    return b.mlp(y, "mm.1", "mm.2")


LFM2 = ProjectorKind(
    project=_project,
    preprocess=lfm2,
    output=("mm.2.weight", 0),
    tensors={
        "mm.1.weight": ("hidden", "merged"), "mm.1.bias": ("hidden",),
        "mm.2.weight": ("projection", "hidden"), "mm.2.bias": ("projection",),
    },
    optional={"mm.input_norm.weight": ("merged",), "mm.input_norm.bias": ("merged",)},
    hidden="mm.1.weight",
    merge_key="vision.projector.scale_factor",
    merge=2,
    positions="antialiased",
    tokens=(64, 256),
    begin="<|image_start|>",
    end="<|image_end|>",
    marks=TileMarks(part="<|img_row_{}_col_{}|>", whole_begin=("<|img_thumbnail|>",)),
)  # fmt: skip
