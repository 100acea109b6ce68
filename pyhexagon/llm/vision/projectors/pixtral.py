# SPDX-License-Identifier: MIT
"""Pixtral and Mistral Small: rotary positions, perhaps merged patches, two matrices with GELU between them, and a mark
at the end of each row of the picture but the last.
"""

from __future__ import annotations

from pyhexagon.llm.vision.config import ProjectorKind, merged_patches
from pyhexagon.llm.vision.preprocessing import pixtral
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value


def _project(b: Tower, x: Value) -> Value:
    p, grid = b.p, b.grid
    if b.has("mm.patch_merger.weight"):
        x = b.norm(x, "mm.input_norm", norm="rms") if b.has("mm.input_norm.weight") else x
        width, n = x.shape[1], grid.merge**2
        x = p.cpy(x.reshape(-1, n, width).transpose(0, 2, 1)).reshape(-1, n * width)  # channel by channel
        x = b.linear(x, "mm.patch_merger")
    y = b.linear(p.gelu(b.linear(x, "mm.1")), "mm.2")
    n_rows, n_columns = grid.n_rows // grid.merge, grid.n_columns // grid.merge
    mark = b.vector("v.token_embd.img_break").broadcast_to(n_rows, 1, y.shape[1])
    rows = p.concat([y.reshape(n_rows, n_columns, -1), mark], axis=1)
    return p.cpy(rows.reshape(-1, y.shape[1])[:-1])


PIXTRAL = ProjectorKind(
    project=_project,
    preprocess=pixtral,
    output=("mm.2.weight", 0),
    tensors={
        "mm.1.weight": ("hidden", "width"), "mm.2.weight": ("projection", "hidden"),
        "v.token_embd.img_break": ("projection",),
    },
    optional={
        "mm.1.bias": ("hidden",), "mm.2.bias": ("projection",),
        "mm.input_norm.weight": ("width",), "mm.patch_merger.weight": ("width", "merged"),
    },
    hidden="mm.1.weight",
    merge_key="vision.spatial_merge_size",
    positions=None,
    rotation="normal",
    end="[IMG_END]",
    norm="rms",
    n_tokens=lambda grid: merged_patches(grid) + grid.n_rows // grid.merge - 1,
)  # fmt: skip
