# SPDX-License-Identifier: MIT
"""Repacking in C (native/repack.h)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.native_library import native_library
from pyhexagon.errors import ArgumentError


def set_grid(dtype: int, grid: npt.NDArray[np.uint8]) -> None:
    """Set the grid of a type (native/repack.h). The caller keeps the array alive."""
    native_library().phx_set_grid(dtype, ffi.cast("uint8_t *", grid.__array_interface__["data"][0]))


def repack(dtype: int, rows: npt.NDArray[np.uint8], k: int, tiles: npt.NDArray[np.uint8]) -> None:
    """Repack rows into tiles (native/repack.h). The caller checks the sizes. Releases the GIL."""
    taken, out = (ffi.cast("uint8_t *", array.__array_interface__["data"][0]) for array in (rows, tiles))
    if native_library().phx_repack(dtype, taken, rows.strides[0], len(rows), k, out):
        raise ArgumentError(f"{dtype} is no weight type")
