# SPDX-License-Identifier: MIT
"""The words of which the parts of a tile consist."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

U16 = npt.NDArray[np.uint16]
U32 = npt.NDArray[np.uint32]
I16 = npt.NDArray[np.int16]


def interleave(halves: I16 | U16) -> U32:
    """16-bit numbers of rows (T, 64, u) as scale vectors (T, u, 32): number 2 * i is row i, 2 * i + 1 row 32 + i."""
    words = np.ascontiguousarray(halves).view(np.uint16).astype(np.uint32)
    return np.asarray((words[:, :32] | words[:, 32:] << 16).transpose(0, 2, 1))
