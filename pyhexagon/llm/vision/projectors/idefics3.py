# SPDX-License-Identifier: MIT
"""Idefics 3, SmolVLM and SmolVLM 2: merged patches, and a matrix. The prompt names the place of each tile."""

from __future__ import annotations

from pyhexagon.llm.vision.config import ProjectorKind, TileMarks
from pyhexagon.llm.vision.preprocessing import tiled_by_longest_edge
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value


def _project(b: Tower, x: Value) -> Value:
    return b.linear(b.merged(x), "mm.model.fc")


IDEFICS3 = ProjectorKind(
    project=_project,
    preprocess=tiled_by_longest_edge,
    output=("mm.model.fc.weight", 0),
    tensors={"mm.model.fc.weight": ("projection", "merged")},
    merge_key="vision.projector.scale_factor",
    has_swapped_ffn=True,
    longest_edge="own",
    marks=TileMarks(
        part="<fake_token_around_image><row_{}_col_{}>",
        row_end=("\n",),
        whole_begin=("\n\n", "<fake_token_around_image>", "<global-img>"),
        whole_end=("<fake_token_around_image>",),
    ),
)
