# SPDX-License-Identifier: MIT
"""The grids of IQ1, IQ2 and IQ3: the entries that a block's indices select. The gguf package has them."""

from __future__ import annotations

from threading import Lock
from typing import Final

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi import repack
from pyhexagon.quants.tiles import U8

# IQ1_M shares IQ1_S's.
_TYPES: Final = {
    Q.IQ1_S: (Q.IQ1_S, gguf.quants.IQ1_S),
    Q.IQ1_M: (Q.IQ1_S, gguf.quants.IQ1_S),
    Q.IQ2_XXS: (Q.IQ2_XXS, gguf.quants.IQ2_XXS),
    Q.IQ2_XS: (Q.IQ2_XS, gguf.quants.IQ2_XS),
    Q.IQ2_S: (Q.IQ2_S, gguf.quants.IQ2_S),
    Q.IQ3_XXS: (Q.IQ3_XXS, gguf.quants.IQ3_XXS),
    Q.IQ3_S: (Q.IQ3_S, gguf.quants.IQ3_S),
}
_set: Final[dict[Q, U8]] = {}  # the native library reads them as long as the process lives
_lock: Final = Lock()


def provide(dtype: Q) -> None:
    """Give the repacker the grid of a type, if it has one and the repacker lacks it. Any thread may call it."""
    if dtype not in _TYPES or dtype in _set:
        return
    owner, kind = _TYPES[dtype]
    with _lock:
        grid = _set.get(owner)
        if grid is None:
            grid = _entries(kind)
            repack.set_grid(int(owner), grid)
        _set[owner] = _set[dtype] = grid


def _entries(kind: type[gguf.quants.IQ1_S]) -> U8:
    """Return a grid as places in its ascending levels, (entries, 8 or 4)."""
    kind.init_grid()
    assert kind.grid is not None
    grid = kind.grid.reshape(kind.grid_shape)
    return np.searchsorted(np.array(kind.grid_map, np.float32), grid).astype(np.uint8)
