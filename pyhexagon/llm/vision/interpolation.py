# SPDX-License-Identifier: MIT
"""Position embeddings for grids of patches of another shape than an encoder was trained with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyhexagon.llm.vision.resizing import F32


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
