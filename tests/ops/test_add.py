# SPDX-License-Identifier: MIT
"""ADD through programs: the same bits on every kernel, within its bound, whatever the strides."""

from __future__ import annotations

import numpy as np
import pytest

from ops.rows import numbers, run
from pyhexagon import Device


@pytest.mark.parametrize("shape", [(1,), (7, 1), (3, 31), (2, 3, 5, 129), (1, 5000), (300, 32)], ids=str)
def test_sums(device: Device, shape: tuple[int, ...]) -> None:
    x, y = numbers(*shape), numbers(*shape, seed=1)
    got = run(device, lambda p, a, b: p.add(a, b), x, y)
    exact = x.astype(np.float64) + y
    assert (np.abs(got - exact) <= 0.54 * np.spacing(np.abs(exact).astype(np.float32)) + 1e-37).all()


def test_rows_columns_and_steps_repeat(device: Device) -> None:
    x, y = numbers(4, 6, 40), numbers(6, 40, seed=1)
    whole = run(device, lambda p, a, b: p.add(a, b), x, np.broadcast_to(y, x.shape).copy())
    np.testing.assert_array_equal(run(device, lambda p, a, b: p.add(a, b), x, y), whole)
    np.testing.assert_array_equal(run(device, lambda p, a, b: p.add(b, a), x, y), whole)
    column = numbers(6, 1, seed=2)
    spread = np.broadcast_to(column, x.shape).copy()
    whole = run(device, lambda p, a, b: p.add(a, b), x, spread)
    np.testing.assert_array_equal(run(device, lambda p, a, b: p.add(a, b), x, column), whole)
    np.testing.assert_array_equal(run(device, lambda p, a, b: p.add(a[1::2], b[:, 1:2]), x, spread[0]), whole[1::2])


def test_special_values(device: Device) -> None:
    x = np.array([[np.nan, np.inf, np.inf, -np.inf, 0.0, -0.0, 1.0, 3.4e38]], np.float32)
    y = np.array([[1.0, 1.0, -np.inf, -np.inf, -0.0, -0.0, -1.0, 3.4e38]], np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        want = x + y
    got = run(device, lambda p, a, b: p.add(a, b), x, y)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[~np.isnan(want)]), np.signbit(want[~np.isnan(want)]))
