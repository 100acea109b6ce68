# SPDX-License-Identifier: MIT
"""MobileVLM: two matrices, and depthwise convolutions of 3 x 3 over the patches' grid (LDP), or the mean of 2 x 2
patches and one such convolution (LDP v2). The encoder's rows are LLaVA's.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Final

import numpy as np

from pyhexagon.llm.files.weights import Shapes
from pyhexagon.llm.vision.config import ProjectorKind, with_biases
from pyhexagon.llm.vision.preprocessing import CLIP_MEAN, square
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_PEG: Final = "mm.model.peg.0"
_BLOCKS: Final = "mm.model.mb_block.1.block", "mm.model.mb_block.2.block"


def _ldp(b: Tower, x: Value) -> Value:
    p = b.p
    y = b.mlp(x[1:], "mm.model.mlp.1", "mm.model.mlp.3")
    side = b.grid.n_rows
    y = p.add(y, _block(b, y, _BLOCKS[0], side, 1))
    return _block(b, y, _BLOCKS[1], side, 2)


def _block(b: Tower, x: Value, name: str, side: int, stride: int) -> Value:
    """Return an inverted residual block with squeeze and excitation: (side ** 2, width) to (new side ** 2, width)."""
    p = b.p
    x = b.norm(_depthwise(b, x, f"{name}.0.0.weight", side, stride), f"{name}.0.1", norm="layer")
    x = p.mul(x, _hard_sigmoid(b, x))  # hard swish
    mean = p.mean(p.cpy(x.T)).reshape(1, -1)
    gate = b.linear(p.clamp(b.linear(mean, f"{name}.1.fc1"), 0.0, np.inf), f"{name}.1.fc2")
    return b.norm(b.linear(p.mul(x, _hard_sigmoid(b, gate)), f"{name}.2.0"), f"{name}.2.1", norm="layer")


def _hard_sigmoid(b: Tower, x: Value) -> Value:
    """Return ``clamp(x / 6 + 1 / 2, 0, 1)``."""
    return b.p.clamp(b.p.add(b.p.scale(x, 1 / 6), b.constant(np.array([0.5], np.float32))), 0.0, 1.0)


def _depthwise(b: Tower, x: Value, name: str, side: int, stride: int) -> Value:
    """Return a depthwise convolution of 3 x 3 with a padding of 1: (side ** 2, width) to (new side ** 2, width)."""
    p = b.p
    zeros = b.constant(np.zeros((1, x.shape[1]), np.float32))
    rows, taps = p.concat([x, zeros], axis=0), b.vector(name)
    centres = np.arange(0, side, stride)
    parts = []
    for at in range(9):
        places = [centres + step for step in (at // 3 - 1, at % 3 - 1)]
        is_inside = [(place >= 0) & (place < side) for place in places]
        ids = np.where(is_inside[0][:, None] & is_inside[1], places[0][:, None] * side + places[1], side**2)
        parts.append(p.mul(p.get_rows(rows, b.constant(ids.reshape(-1).astype(np.int32))), taps[at]))
    return reduce(p.add, parts)


def _ldpv2(b: Tower, x: Value) -> Value:
    p, side = b.p, b.grid.n_rows // 2
    y = b.mlp(x[1:], "mm.model.mlp.0", "mm.model.mlp.2")
    squares = y.reshape(side, 2, side, 2, y.shape[1])
    parts = [squares[:, i, :, j] for i in range(2) for j in range(2)]
    y = p.scale(reduce(p.add, parts), 1 / 4).reshape(side**2, -1)
    return p.add(p.add(_depthwise(b, y, f"{_PEG}.weight", side, 1), b.vector(f"{_PEG}.bias")), y)


def _tensors_of_block(name: str) -> Shapes:
    return {
        f"{name}.0.0.weight": ("projection", "one", "three", "three"),
        f"{name}.2.0.weight": ("projection", "projection"),
        **with_biases({
            f"{name}.0.1": ("projection",), f"{name}.2.1": ("projection",),
            f"{name}.1.fc1": ("quarter", "projection"), f"{name}.1.fc2": ("projection", "quarter"),
        }),
    }  # fmt: skip


def _matrices(first: int, second: int) -> Shapes:
    name = "mm.model.mlp"
    return with_biases({f"{name}.{first}": ("projection", "width"), f"{name}.{second}": ("projection", "projection")})


LDP: Final = ProjectorKind(
    project=_ldp,
    preprocess=partial(square, padding=CLIP_MEAN),
    output=("mm.model.mlp.3.weight", 0),
    tensors={**_matrices(1, 3), **_tensors_of_block(_BLOCKS[0]), **_tensors_of_block(_BLOCKS[1])},
    has_class=True,
    n_skipped=1,
    has_swapped_ffn=True,
    n_tokens=lambda grid: -(-grid.n_rows // 2) * -(-grid.n_columns // 2),
)
LDPV2: Final = LDP._replace(
    project=_ldpv2,
    output=("mm.model.mlp.2.weight", 0),
    tensors={
        **_matrices(0, 2),
        f"{_PEG}.weight": ("projection", "one", "three", "three"), f"{_PEG}.bias": ("projection",),
    },
)  # fmt: skip
