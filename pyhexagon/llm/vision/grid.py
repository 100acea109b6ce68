# SPDX-License-Identifier: MIT
"""The patches of a tile: their order, their pixels, and their positions.

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
