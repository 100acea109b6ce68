# SPDX-License-Identifier: MIT
"""Shared by the tests of ARGMAX, TOP_K and ARGSORT: rows that are hard to sort, and NumPy's order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

F32 = npt.NDArray[np.float32]

SIZES = (1, 2, 31, 32, 33, 64, 127, 129, 257, 512, 1000, 1025, 2049, 4097)


def hard_rows(n: int) -> F32:
    """Return rows of n: ties, zeros and NaN of both signs, none above 0, infinities, denormals, sorted, any."""
    rng = np.random.default_rng(n)
    x = np.stack([
        rng.standard_normal(n),
        rng.integers(-3, 4, n),
        np.zeros(n),
        -np.abs(rng.standard_normal(n)),
        rng.standard_normal(n),
        rng.standard_normal(n),
        np.full(n, -np.inf),
        rng.standard_normal(n) * 1e-41,
        np.arange(n),
        -np.arange(n),
        np.zeros(n),
    ]).astype(np.float32)  # fmt: skip
    x[2, ::3] = -0.0
    x[3, n // 2 :: 7], x[3, -1] = -0.0, 0.0
    x[4, n // 3 :: 5], x[4, n // 2] = np.nan, -np.nan
    x[5, n // 3], x[5, n // 4] = np.inf, -np.inf
    x[10] = rng.integers(0, 2**32, n, np.uint32).view(np.float32)
    return x


@st.composite
def rows(draw: st.DrawFn) -> F32:
    """Draw rows of few distinct values, or of any bits."""
    shape, n = draw(st.lists(st.integers(1, 4), max_size=3)), draw(st.integers(1, 3000))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        return rng.integers(0, 2**32, (*shape, n), np.uint32).view(np.float32)
    return rng.integers(-draw(st.integers(0, 5)), draw(st.integers(1, 100)), (*shape, n)).astype(np.float32)
