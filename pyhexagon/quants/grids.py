# SPDX-License-Identifier: MIT
"""The grids of IQ1, IQ2 and IQ3: the entries that a block's indices select. The gguf package has them."""

from __future__ import annotations

from threading import Lock
from typing import Any, Final

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi import repack
from pyhexagon.quants.tiles import U8

_WITH_GRIDS: Final = (Q.IQ1_S, Q.IQ2_XXS, Q.IQ2_XS, Q.IQ2_S, Q.IQ3_XXS, Q.IQ3_S)
_OWNERS: Final = {dtype: dtype for dtype in _WITH_GRIDS} | {Q.IQ1_M: Q.IQ1_S}  # whose grid each type uses
_set: Final[dict[Q, U8]] = {}  # the native library reads them as long as the process lives
_lock: Final = Lock()


def provide(dtype: Q) -> None:
    """Give the repacker the grid of a type, if it has one and the repacker lacks it. Any thread may call it."""
    if dtype not in _OWNERS or dtype in _set:
        return
    owner = _OWNERS[dtype]
    with _lock:
        grid = _set.get(owner)
        if grid is None:
            grid = _entries(owner)
            repack.set_grid(int(owner), grid)
        _set[owner] = _set[dtype] = grid


def _entries(dtype: Q) -> U8:
    """Return a type's grid as places in its ascending levels, (entries, 8 or 4)."""
    kind: Any = getattr(gguf.quants, dtype.name)
    kind.init_grid()
    levels = np.array(kind.grid_map, np.float32)
    places: U8 = np.searchsorted(levels, kind.grid.reshape(kind.grid_shape)).astype(np.uint8)
    return places
