# SPDX-License-Identifier: MIT
"""Gemma 3: the mean of each square of patches, an RMS norm, and a matrix."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import ProjectorKind
from pyhexagon.llm.vision.preprocessing import square
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_PROJECTION: Final = "mm.input_projection.weight"  # (width, projection) in files


def _project(b: Tower, x: Value) -> Value:
    return b.p.matmul(b.norm(pooled(b, x), "mm.soft_emb_norm", norm="rms"), b.matrix(_PROJECTION))


def pooled(b: Tower, x: Value) -> Value:
    """Return the mean of the patches that are merged: (patches, width) to (N, width)."""
    n = b.grid.merge**2
    parts = x.reshape(-1, n, x.shape[1])
    total = parts[:, 0]
    for at in range(1, n):
        total = b.p.add(total, parts[:, at])
    return b.p.scale(total, 1 / n)


GEMMA3 = ProjectorKind(
    project=_project,
    preprocess=square,
    output=(_PROJECTION, 1),
    tensors={_PROJECTION: ("width", "projection"), "mm.soft_emb_norm.weight": ("width",)},
    merge_key="vision.projector.scale_factor",
    merge=4,
    has_swapped_ffn=True,
    is_causal=False,
    begin="<start_of_image>",
    end="<end_of_image>",
)
