# SPDX-License-Identifier: MIT
"""MiniCPM-V 2.5 to 4.5: a resampler. Its queries, which are weights, attend to the patches of a slice.

The encoder is SigLIP with position embeddings of 70 x 70 places; the resampler has sinusoidal positions besides.

MiniCPM-V 4.6 merges patches twice, among the layers and at the end: 16 of them become one embedding. The first merger
has attention within squares of 2 x 2 patches, then a feed-forward net from a square's rows to one row, to which it adds
their mean.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

import numpy as np

from pyhexagon.llm.vision.config import ProjectorKind, TileMarks, with_biases
from pyhexagon.llm.vision.grid import Grid
from pyhexagon.llm.vision.mmproj import QUERIES
from pyhexagon.llm.vision.preprocessing import sliced
from pyhexagon.llm.vision.resizing import F32
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_HEAD_SIZE: Final = 128
_BASE: Final = 10000.0  # of the sinusoids' frequencies


def _resample(b: Tower, x: Value) -> Value:
    p, name = b.p, "resampler.attn"
    values = b.norm(b.linear(x, "resampler.kv"), "resampler.ln_kv")
    keys = p.add(values, b.constant(_sinusoids(b.grid, b.config.projection)))
    queries = b.norm(b.vector(QUERIES), "resampler.ln_q")
    q, k, v = (
        b.linear(rows, f"{name}.{part}").reshape(rows.shape[0], -1, _HEAD_SIZE)
        for rows, part in ((queries, "q"), (keys, "k"), (values, "v"))
    )
    y = b.linear(b.attend_across(q, k, v).reshape(q.shape[0], -1), f"{name}.out")
    return b.linear(b.norm(y, "resampler.ln_post"), "resampler.proj")


def _sinusoids(grid: Grid, width: int) -> F32:
    """Return the positions of patches, (patches, width): sines and cosines of columns, then of rows."""
    frequencies = _BASE ** -(np.arange(width // 4) / (width // 4))
    rows, columns = (np.outer(places, frequencies) for places in grid.places())
    parts = [np.sin(columns), np.cos(columns), np.sin(rows), np.cos(rows)]
    return np.concatenate(parts, axis=1).astype(np.float32)


_SLICES: Final = TileMarks(
    whole_begin=("<image>",), whole_end=("</image>",), part_begin=("<slice>",), part_end=("</slice>",),
    row_end=("\n",), is_always=True,
)  # fmt: skip
_IMAGES: Final = _SLICES._replace(
    part_begin=("<image>",), part_end=("</image>",), parts_begin=("<slice>",), parts_end=("</slice>",)
)
MINICPMV: Final = ProjectorKind(
    project=_resample,
    preprocess=sliced,
    output=("resampler.proj.weight", 0),
    output_multiple=_HEAD_SIZE,
    tensors={
        QUERIES: ("hidden", "projection"), "resampler.kv.weight": ("projection", "width"),
        "resampler.proj.weight": ("projection", "projection"),
        **with_biases({f"resampler.attn.{name}": ("projection", "projection") for name in ("q", "k", "v", "out")}),
        **with_biases({f"resampler.ln_{name}": ("projection",) for name in ("q", "kv", "post")}),
    },
    hidden=QUERIES,
    positions="buckets",
    n_tokens=None,
    has_swapped_ffn=True,
    versions=(
        "minicpmv_version",
        # 2.5; 2.6, o 2.6, 4.0, 4.5, and o 4.5
        {0: _IMAGES, 2: _IMAGES, **dict.fromkeys((3, 4, 5, 6, 100045), _SLICES)},
    ),
)  # fmt: skip


_NAME: Final = "v.vit_merger"
_PATCHES: Final = 4  # of a square


def _merge(b: Tower, x: Value) -> Value:
    p = b.p
    x = p.add(x, b.linear(_attend(b, b.norm(x, f"{_NAME}.ln1")), f"{_NAME}.attn_out"))
    mean = b.pooled(x, _PATCHES)
    y = b.norm(x.reshape(-1, _PATCHES * x.shape[1]), f"{_NAME}.ds_ln")
    return p.add(b.mlp(y, f"{_NAME}.ds_ffn_up", f"{_NAME}.ds_ffn_down"), mean)


def _attend(b: Tower, x: Value) -> Value:
    """Return attention within squares, (patches, width). It has no use for pages: they would be nearly empty."""
    p, heads = b.p, (-1, _PATCHES, b.config.n_heads, b.config.head_size)
    q, k, v = (b.linear(x, f"{_NAME}.attn_{name}").reshape(heads) for name in "qkv")
    rows = []
    for at in range(_PATCHES):
        logits = p.sum_rows(p.mul(k, q[:, at : at + 1]))  # (squares, 4, heads, 1)
        shares = p.soft_max(p.cpy(logits[..., 0].transpose(0, 2, 1)), scale=b.config.head_size**-0.5)
        weighted = p.mul(v, p.cpy(shares.transpose(0, 2, 1))[..., None])
        rows.append(reduce(p.add, [weighted[:, patch] for patch in range(_PATCHES)]).reshape(-1, 1, x.shape[1]))
    return p.concat(rows, axis=1).reshape(x.shape)


_TENSORS: Final = with_biases({
    **{f"{_NAME}.attn_{name}": ("heads", "width") for name in "qkv"}, f"{_NAME}.attn_out": ("width", "heads"),
    f"{_NAME}.ds_ffn_up": ("inner", "4 width"), f"{_NAME}.ds_ffn_down": ("width", "inner"),
    "mm.up": ("hidden", "4 width"), "mm.down": ("projection", "hidden"),
    f"{_NAME}.ln1": ("width",), f"{_NAME}.ds_ln": ("4 width",), "mm.input_norm": ("4 width",),
})  # fmt: skip
MINICPMV46: Final = ProjectorKind(
    project=lambda b, x: b.mlp(
        b.norm(x.reshape(-1, _PATCHES * x.shape[1]), "mm.input_norm"), "mm.up", "mm.down"
    ),
    preprocess=sliced,
    output=("mm.down.weight", 0),
    tensors={name: shape for name, shape in _TENSORS.items() if name.endswith(".weight")},
    optional={name: shape for name, shape in _TENSORS.items() if name.endswith(".bias")},
    hidden="mm.up.weight",
    merge_key="vision.projector.scale_factor",
    merge=4,
    merger=(_merge, 2),
    positions="buckets",
    has_places=None,
    marks=_SLICES,
)
