# SPDX-License-Identifier: MIT
"""HADAMARD through programs: the same bits on every kernel, close to the float64 result, its own inverse."""

from __future__ import annotations

import numpy as np
import pytest
from accuracy import nmse

from ops.rows import run
from pyhexagon import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases.reference import hadamard
from pyhexagon.ops.hadamard import SIZES


@pytest.mark.parametrize("shape", [(1, 32), (3, 96), (64,), (2, 3, 5, 128), (7, 256), (3, 320), (1, 512)], ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_blocks_are_multiplied_by_the_matrix(device: Device, shape: tuple[int, ...], n: int) -> None:
    if shape[-1] % n:
        n = 32
    x = np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    x.reshape(-1, shape[-1])[0, 5] = 3000
    got = run(device, lambda p, a: p.hadamard(a, n), x)
    assert nmse(got.astype(np.float64), hadamard(x, n)) < 1e-11
    again = run(device, lambda p, a: p.hadamard(p.hadamard(a, n), n), x, n_ops=2)
    assert nmse(again.astype(np.float64), x.astype(np.float64)) < 1e-11


def test_a_row_does_not_depend_on_those_beside_it(device: Device) -> None:
    x = np.random.default_rng(2).standard_normal((9, 5, 64), dtype=np.float32)
    x *= np.float32(2) ** np.arange(-20, 25, 5, dtype=np.float32)[:, None, None]
    together = run(device, lambda p, a: p.hadamard(a), x)
    for row, one in zip(x, together, strict=True):
        np.testing.assert_array_equal(run(device, lambda p, a: p.hadamard(a), row[:1])[0], one[0])
    strided = run(device, lambda p, a: p.hadamard(a[:, ::2]), x)
    np.testing.assert_array_equal(strided, together[:, ::2])


def test_zeros_nan_infinity_and_numbers_near_the_ends(device: Device) -> None:
    x = np.random.default_rng(1).standard_normal((7, 128), dtype=np.float32)
    clean = run(device, lambda p, a: p.hadamard(a, 64), x)
    x[0], x[1, 5], x[2, 70], x[3], x[4], x[5] = 0, np.nan, -np.inf, 3e38, 1e-37, 1e-44
    got = run(device, lambda p, a: p.hadamard(a, 64), x)
    assert not got[[0, 5]].any()
    assert np.isnan(got[1, :64]).all()
    assert np.isnan(got[2, 64:]).all()
    np.testing.assert_array_equal(got[1, 64:], clean[1, 64:])
    np.testing.assert_array_equal(got[2, :64], clean[2, :64])
    assert np.isposinf(got[3, [0, 64]]).all()
    assert not np.delete(got[3], [0, 64]).any()
    np.testing.assert_array_equal(got[6], clean[6])


@pytest.mark.parametrize("n", SIZES)
def test_runs_and_what_is_left_of_them(device: Device, n: int) -> None:
    """Contiguous rows are computed together, many vectors at a time; parts of longer rows one by one."""
    x = np.random.default_rng(4).standard_normal((2, 9, 3, 512), dtype=np.float32)
    together = run(device, lambda p, a: p.hadamard(a, n), x)
    np.testing.assert_array_equal(run(device, lambda p, a: p.hadamard(a[:, 2:5], n), x), together[:, 2:5])
    np.testing.assert_array_equal(run(device, lambda p, a: p.hadamard(a[..., 256:], n), x), together[..., 256:])
    np.testing.assert_array_equal(
        run(device, lambda p, a: p.hadamard(a, n), x[1, 4, 1:, :256]), together[1, 4, 1:, :256]
    )


def test_threads_share_the_heads_of_a_token(devices: tuple[Device, Device]) -> None:
    """32 heads of 64: 17 packets per 32 numbers on one thread, and less than half of that on the busiest of four."""
    x, reports, rows = np.random.default_rng(3).standard_normal((1, 32, 64), dtype=np.float32), [], []
    for device in devices:
        p = device.program()
        p.output(p.hadamard(p.input(x.shape)))
        program = p.compile()
        program.run(x)
        (result,), report = program.run_with_report(x)
        rows.append(result.numpy().copy())
        reports.append(report.ops[0])
    np.testing.assert_array_equal(*rows)
    one, four = reports
    assert (one.packets or 0) <= 1150
    assert (four.packets_max_thread or 0) <= 0.45 * (one.packets or 0), four


def test_the_largest_block_is_taken() -> None:
    with Device("loopback") as device:
        x = np.ones((1, 320), np.float32)
        got = run(device, lambda p, a: p.hadamard(a), x)
        assert np.flatnonzero(got[0]).tolist() == list(range(0, 320, 64))


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        for shape, n in (((3, 48), None), ((3, 64), 16), ((3, 96), 64), ((), None), ((3, 512), 512)):
            with pytest.raises(ArgumentError, match="K a multiple of n"):
                p.hadamard(p.input(shape), n)
