# SPDX-License-Identifier: MIT
"""MEAN through programs: the same bits on every kernel, close to the float64 result."""

from __future__ import annotations

import numpy as np
import pytest

from ops.rows import run
from pyhexagon import Device
from pyhexagon.op_cases.reference import mean


@pytest.mark.parametrize("shape", [(1, 1), (3, 31), (64,), (2, 3, 5, 129), (1, 5000), (300, 32)], ids=str)
def test_means(device: Device, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).standard_normal(shape, dtype=np.float32) + np.float32(0.5)
    got, want = run(device, lambda p, a: p.mean(a), x), mean(x)
    largest = np.abs(x).max(-1, keepdims=True)
    assert got.shape == want.shape
    assert (np.abs(got - want) <= 2.0**-26 * largest + 2.0**-23 * np.abs(want)).all()


def test_specials_and_sums_beyond_float32(device: Device) -> None:
    x = np.full((4, 50), 3e38, np.float32)
    x[0, 7], x[1, 8], x[2] = np.nan, -np.inf, 0
    got = run(device, lambda p, a: p.mean(a), x)[:, 0]
    assert np.isnan(got[0])
    assert got[1] == -np.inf
    assert got[2] == 0
    assert got[3] == pytest.approx(3e38, rel=1e-6)
