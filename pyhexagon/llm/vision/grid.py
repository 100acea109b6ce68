# SPDX-License-Identifier: MIT
"""The patches of a tile: their order, their pixels, their positions, and interpolated embeddings of these.

Patches that become one embedding follow each other, so that merging them is a view. Attention does not depend on the
order of the patches; positions go with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.llm.vision.resizing import F32

I32 = npt.NDArray[np.int32]


class Grid(NamedTuple):
    """Rows and columns of patches.

    Attributes:
        n_rows, n_columns: of patches.
        merge: the side of the squares that are merged; it divides both.
        inner: the side of the squares that are merged within these, after some layers; 0: there are none.
    """

    n_rows: int
    n_columns: int
    merge: int
    inner: int = 0

    @property
    def n_patches(self) -> int:
        """The number of patches."""
        return self.n_rows * self.n_columns

    def order(self) -> npt.NDArray[np.intp]:
        """Return the patches in the encoder's order, by their numbers row by row, (patches,)."""
        inner = self.inner or self.merge
        outer = self.merge // inner
        sides = [n for total in (self.n_rows, self.n_columns) for n in (total // self.merge, outer, inner)]
        return np.asarray(np.arange(self.n_patches).reshape(sides).transpose(0, 3, 1, 4, 2, 5).reshape(-1))

    def merged(self) -> Grid:
        """Return the grid of the inner squares."""
        return Grid(self.n_rows // self.inner, self.n_columns // self.inner, self.merge // self.inner)

    def places(self) -> tuple[I32, I32]:
        """Return the row and the column of each patch in the encoder's order, (patches,) each."""
        rows, columns = np.divmod(self.order(), self.n_columns)
        return rows.astype(np.int32), columns.astype(np.int32)


def patches(tile: F32, patch_size: int, merge: int, inner: int = 0) -> tuple[Grid, F32]:
    """Return the grid of a tile (h, w, 3), and its patches in the encoder's order, (patches, 3 * patch size ** 2).

    Pixels that fill no patch at the right and at the bottom are left out.
    """
    grid = Grid(tile.shape[0] // patch_size, tile.shape[1] // patch_size, merge, inner)
    whole = tile[: grid.n_rows * patch_size, : grid.n_columns * patch_size]
    split = whole.reshape(grid.n_rows, patch_size, grid.n_columns, patch_size, 3).transpose(0, 2, 4, 1, 3)
    return grid, np.ascontiguousarray(split.reshape(grid.n_patches, -1)[grid.order()])


def resized(table: F32, n_rows: int, n_columns: int, *, has_corners: bool) -> F32:
    """Return a square table of embeddings (side ** 2, width), interpolated: (n_rows * n_columns, width) float32.

    Args:
        has_corners: the corners of both grids are the same places. Otherwise their edges are, and when the table
            shrinks, interpolation averages, as PyTorch's with ``antialias``.
    """
    side = round(len(table) ** 0.5)
    if n_rows == n_columns == side:
        return table
    weights = _between_corners if has_corners else _antialiased
    square = table.reshape(side, side, -1).astype(np.float64)
    across = np.einsum("cx,rxw->rcw", weights(side, n_columns), square)
    result = np.einsum("ry,ycw->rcw", weights(side, n_rows), across)
    return np.asarray(result.reshape(n_rows * n_columns, -1), np.float32)


def _antialiased(n: int, n_new: int) -> npt.NDArray[np.float64]:
    """Return the weight of each old place in each new one, (n_new, n): a triangle around the new place's centre."""
    support = max(1.0, n / n_new)
    distances = np.abs(np.arange(n) + 0.5 - (np.arange(n_new)[:, None] + 0.5) * (n / n_new))
    weights = np.maximum(0, 1 - distances / support)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _between_corners(n: int, n_new: int) -> npt.NDArray[np.float64]:
    """As ``_antialiased``, with new places from the first old one to the last."""
    return np.asarray(np.maximum(0, 1 - np.abs(np.arange(n) - np.linspace(0, n - 1, n_new)[:, None])))
