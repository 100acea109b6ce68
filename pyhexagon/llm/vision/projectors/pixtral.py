# SPDX-License-Identifier: MIT
"""Pixtral and Mistral Small: rotary positions, perhaps merged patches, two matrices with GELU between them, and a mark
at the end of each row of the picture but the last. LightOnOCR has no marks.
"""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import PatchRotation, ProjectorKind, merged_patches
from pyhexagon.llm.vision.preprocessing import of_any_size, of_longest_edge
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value


def _project(b: Tower, x: Value) -> Value:
    if b.has("mm.patch_merger.weight"):
        x = b.norm(x, "mm.input_norm", norm="rms") if b.has("mm.input_norm.weight") else x
        x = b.linear(b.merged_by_channel(x), "mm.patch_merger")
    return b.mlp(x, "mm.1", "mm.2")


def _project_with_marks(b: Tower, x: Value) -> Value:
    p, grid, y = b.p, b.grid, _project(b, x)
    n_rows, n_columns = grid.n_rows // grid.merge, grid.n_columns // grid.merge
    mark = b.vector("v.token_embd.img_break").broadcast_to(n_rows, 1, y.shape[1])
    rows = p.concat([y.reshape(n_rows, n_columns, -1), mark], axis=1)
    return p.cpy(rows.reshape(-1, y.shape[1])[:-1])


_MATRICES: Final = {"mm.1.weight": ("hidden", "width"), "mm.2.weight": ("projection", "hidden")}
PIXTRAL: Final = ProjectorKind(
    project=_project_with_marks,
    preprocess=of_any_size,
    output=("mm.2.weight", 0),
    tensors={**_MATRICES, "v.token_embd.img_break": ("projection",)},
    optional={
        "mm.1.bias": ("hidden",), "mm.2.bias": ("projection",),
        "mm.input_norm.weight": ("width",), "mm.patch_merger.weight": ("width", "merged"),
    },
    hidden="mm.1.weight",
    merge_key="vision.spatial_merge_size",
    positions=None,
    rotation=PatchRotation("normal", is_shifted=True),
    tokens=(8, 1024),
    end="[IMG_END]",
    norm="rms",
    n_tokens=lambda grid: merged_patches(grid) + grid.n_rows // grid.merge - 1,
)  # fmt: skip
LIGHTONOCR: Final = PIXTRAL._replace(
    project=_project,
    preprocess=of_longest_edge,
    tensors=_MATRICES,
    longest_edge="image_size",
    n_tokens=merged_patches,
    begin="<|im_start|>",
    end="<|im_end|>",
)
