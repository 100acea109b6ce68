# SPDX-License-Identifier: MIT
"""L2_NORM through programs: the same bits on every kernel, close to the float64 result."""

from __future__ import annotations

import numpy as np
import pytest
from accuracy import nmse

from ops.rows import run
from pyhexagon import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases.reference import l2_norm


@pytest.mark.parametrize("shape", [(1, 1), (3, 31), (64,), (2, 3, 5, 129), (1, 5000), (300, 32)], ids=str)
@pytest.mark.parametrize("eps", [0.0, 1e-6, 3.0, 50.0])
def test_rows_have_a_length_of_1(device: Device, shape: tuple[int, ...], eps: float) -> None:
    x = np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    x.reshape(-1, shape[-1])[0, 0] = 3000
    assert nmse(run(device, lambda p, a: p.l2_norm(a, eps=eps), x).astype(np.float64), l2_norm(x, eps=eps)) < 1e-9


def test_zeros_nan_infinity_and_lengths_beyond_float32(device: Device) -> None:
    x = np.random.default_rng(1).standard_normal((6, 64), dtype=np.float32)
    clean = run(device, lambda p, a: p.l2_norm(a), x)
    x[0], x[1, 5], x[2, 6], x[3] = 0, np.nan, np.inf, 3e38
    got = run(device, lambda p, a: p.l2_norm(a), x)
    assert (got[0] == 0).all()
    assert np.isnan(got[1]).all()
    assert np.isnan(got[2, 6])
    assert (np.delete(got[2], 6) == 0).all()
    np.testing.assert_allclose(got[3], 0.125, rtol=1e-4)
    np.testing.assert_array_equal(got[4:], clean[4:])
    assert np.isnan(run(device, lambda p, a: p.l2_norm(a, eps=0.0), x)[0]).all()


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        with pytest.raises(ArgumentError, match="eps is -1"):
            p.l2_norm(p.input((3, 4)), eps=-1)
        with pytest.raises(ArgumentError, match="K from 1"):
            p.l2_norm(p.input(()))
