# SPDX-License-Identifier: MIT
"""Repacking in C (native/repack.h): a library of ours beside the loopback, which is no part of FastRPC."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, package_folders
from pyhexagon.errors import ArgumentError, LibraryError

_FILE: Final = "libpyhexagon_repack.so"


@cache
def _library() -> CData:
    for folder in package_folders():
        path = folder / "lib" / _FILE
        if path.exists():
            try:
                return ffi.dlopen(str(path), ffi.RTLD_LOCAL | ffi.RTLD_NOW)
            except OSError as problem:
                raise LibraryError(str(problem), hint="install pyhexagon anew for this machine") from None
    raise LibraryError(f"{_FILE} is missing", hint="install pyhexagon anew (it builds what repacks weights)")


def repack(dtype: int, rows: npt.NDArray[np.uint8], k: int, tiles: npt.NDArray[np.uint8]) -> None:
    """See native/repack.h; the sizes are the caller's to check. Releases the GIL."""
    taken, out = (ffi.cast("uint8_t *", array.__array_interface__["data"][0]) for array in (rows, tiles))
    if _library().phx_repack(dtype, taken, rows.strides[0], len(rows), k, out):
        raise ArgumentError(f"{dtype} is no weight type")
