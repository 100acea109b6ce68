# SPDX-License-Identifier: MIT
"""MiniCPM-V 4.6: patches are merged twice, among the layers and at the end: 16 of them become one embedding.

The first merger has attention within squares of 2 x 2 patches, then a feed-forward net from a square's rows to one row,
to which it adds their mean. The encoder is SigLIP with position embeddings of 70 x 70 places.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyhexagon.llm.files.weights import Shapes
from pyhexagon.llm.vision.config import ProjectorKind
from pyhexagon.llm.vision.projectors.minicpm import SLICES
from pyhexagon.llm.vision.slicing import sliced
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_NAME: Final = "v.vit_merger"
_PATCHES: Final = 4  # of a square


def _merge(b: Tower, x: Value) -> Value:
    p = b.p
    x = p.add(x, b.linear(_attend(b, b.norm(x, f"{_NAME}.ln1")), f"{_NAME}.attn_out"))
    squares = x.reshape(-1, _PATCHES, x.shape[1])
    mean = p.scale(reduce(p.add, [squares[:, at] for at in range(_PATCHES)]), 1 / _PATCHES)
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
        rows.append(reduce(p.add, [weighted[:, one] for one in range(_PATCHES)]).reshape(-1, 1, x.shape[1]))
    return p.concat(rows, axis=1).reshape(x.shape)


def _project(b: Tower, x: Value) -> Value:
    y = b.norm(x.reshape(-1, _PATCHES * x.shape[1]), "mm.input_norm")
    return b.mlp(y, "mm.up", "mm.down")


_MATRICES: Final[Shapes] = {
    f"{_NAME}.attn_q": ("heads", "width"), f"{_NAME}.attn_k": ("heads", "width"), f"{_NAME}.attn_v": ("heads", "width"),
    f"{_NAME}.attn_out": ("width", "heads"),
    f"{_NAME}.ds_ffn_up": ("inner", "4 width"), f"{_NAME}.ds_ffn_down": ("width", "inner"),
    "mm.up": ("hidden", "4 width"), "mm.down": ("projection", "hidden"),
}  # fmt: skip
_NORMS: Final[Shapes] = {f"{_NAME}.ln1": ("width",), f"{_NAME}.ds_ln": ("4 width",), "mm.input_norm": ("4 width",)}
MINICPMV46: Final = ProjectorKind(
    project=_project,
    preprocess=sliced,
    output=("mm.down.weight", 0),
    tensors={f"{name}.weight": shape for name, shape in {**_MATRICES, **_NORMS}.items()},
    optional={f"{name}.bias": shape[:1] for name, shape in {**_MATRICES, **_NORMS}.items()},
    hidden="mm.up.weight",
    merge_key="vision.projector.scale_factor",
    merge=4,
    merger=(_merge, 2),
    positions="buckets",
    has_places=None,
    marks=SLICES,
)
