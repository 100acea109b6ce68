# SPDX-License-Identifier: MIT
"""SUM_ROWS through programs: the same bits on every kernel, close to the float64 result."""

from __future__ import annotations

import numpy as np
import pytest

from ops.rows import run
from pyhexagon import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases.reference import sum_rows

SHAPES = [(1, 1), (3, 31), (64,), (2, 3, 5, 129), (1, 5000), (300, 32), (2, 70000)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums(device: Device, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    got, want = run(device, lambda p, a: p.sum_rows(a), x), sum_rows(x)
    assert got.shape == want.shape
    largest = np.abs(x).max(-1, keepdims=True)
    assert (np.abs(got - want) <= shape[-1] * 2.0**-27 * largest + 2.0**-23 * np.abs(want)).all()


def test_specials_stay_within_their_row(device: Device) -> None:
    x = np.ones((7, 70), np.float32)
    x[0, 3], x[1, 4], x[2, 5], x[3, :2], x[4], x[5] = np.nan, np.inf, -np.inf, (np.inf, -np.inf), 3e38, -0.0
    got = run(device, lambda p, a: p.sum_rows(a), x)[:, 0]
    np.testing.assert_array_equal(got, np.array([np.nan, np.inf, -np.inf, np.nan, np.inf, 0, 70], np.float32))


def test_large_and_small_numbers_cancel(device: Device) -> None:
    x = np.array([[1e30, 1.0, -1e30, 5.0], [4096.0, 0.125, -4096.0, 0.5]], np.float32)
    got = run(device, lambda p, a: p.sum_rows(a), x)[:, 0]
    assert got.tolist() == [0.0, 0.625]


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        with pytest.raises(ArgumentError, match="K from 1"):
            p.sum_rows(p.input(()))
