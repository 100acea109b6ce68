# SPDX-License-Identifier: MIT
"""MiniCPM-V 2.5 to 4.5: a resampler. Its queries, which are weights, attend to the patches of a slice.

The encoder is SigLIP with position embeddings of 70 x 70 places; the resampler has sinusoidal positions besides.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pyhexagon.llm.files.weights import Shapes
from pyhexagon.llm.vision.config import ProjectorKind, TileMarks
from pyhexagon.llm.vision.grid import Grid
from pyhexagon.llm.vision.mmproj import QUERIES
from pyhexagon.llm.vision.resizing import F32
from pyhexagon.llm.vision.slicing import sliced
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_HEAD_SIZE: Final = 128
_BASE: Final = 10000.0  # of the sinusoids' frequencies


def _project(b: Tower, x: Value) -> Value:
    p, name = b.p, "resampler.attn"
    values = b.norm(b.linear(x, "resampler.kv"), "resampler.ln_kv")
    keys = p.add(values, b.constant(_sinusoids(b.grid, b.config.projection)))
    queries = b.norm(b.vector(QUERIES), "resampler.ln_q")
    q, k, v = (
        b.linear(one, f"{name}.{part}").reshape(one.shape[0], -1, _HEAD_SIZE)
        for one, part in ((queries, "q"), (keys, "k"), (values, "v"))
    )
    y = b.linear(b.attend_across(q, k, v).reshape(q.shape[0], -1), f"{name}.out")
    return b.linear(b.norm(y, "resampler.ln_post"), "resampler.proj")


def _sinusoids(grid: Grid, width: int) -> F32:
    """Return the positions of patches, (patches, width): sines and cosines of columns, then of rows."""
    frequencies = _BASE ** -(np.arange(width // 4) / (width // 4))
    rows, columns = (np.outer(one, frequencies) for one in grid.places())
    parts = [np.sin(columns), np.cos(columns), np.sin(rows), np.cos(rows)]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _norms(*names: str) -> Shapes:
    return {f"resampler.ln_{name}.{end}": ("projection",) for name in names for end in ("weight", "bias")}


SLICES: Final = TileMarks(
    whole_begin=("<image>",), whole_end=("</image>",), part_begin=("<slice>",), part_end=("</slice>",),
    row_end=("\n",), is_always=True,
)  # fmt: skip
_IMAGES: Final = SLICES._replace(
    part_begin=("<image>",), part_end=("</image>",), parts_begin=("<slice>",), parts_end=("</slice>",)
)
MINICPMV: Final = ProjectorKind(
    project=_project,
    preprocess=sliced,
    output=("resampler.proj.weight", 0),
    output_multiple=_HEAD_SIZE,
    tensors={
        QUERIES: ("hidden", "projection"), "resampler.kv.weight": ("projection", "width"),
        "resampler.proj.weight": ("projection", "projection"),
        **{f"resampler.attn.{name}.weight": ("projection", "projection") for name in ("q", "k", "v", "out")},
        **{f"resampler.attn.{name}.bias": ("projection",) for name in ("q", "k", "v", "out")},
        **_norms("q", "kv", "post"),
    },
    hidden=QUERIES,
    positions="buckets",
    n_tokens=None,
    has_swapped_ffn=True,
    versions=(
        "minicpmv_version",
        # 2.5; 2.6, o 2.6, 4.0, 4.5, and o 4.5
        {0: _IMAGES, 2: _IMAGES, **dict.fromkeys((3, 4, 5, 6, 100045), SLICES)},
    ),
)  # fmt: skip
