# SPDX-License-Identifier: MIT
"""RMS_NORM through programs: the same bits on every kernel, close to the float64 result."""

from __future__ import annotations

import numpy as np
import pytest
from accuracy import nmse

from ops.rows import numbers, run
from pyhexagon import Device
from pyhexagon.op_cases.reference import rms_norm


@pytest.mark.parametrize("shape", [(1, 1), (3, 31), (64,), (2, 3, 5, 129), (1, 5000), (300, 32)], ids=str)
@pytest.mark.parametrize("eps", [0.0, 1e-5, 1.0])
def test_rows_are_normalised(device: Device, shape: tuple[int, ...], eps: float) -> None:
    x = np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    got = run(device, lambda p, a: p.rms_norm(a, eps=eps), x)
    assert nmse(got.astype(np.float64), rms_norm(x, eps=eps)) < 1e-9


@pytest.mark.parametrize("n", [64, 2048, 4096, 14336])
def test_one_number_that_is_3000_times_as_large_costs_few_digits(device: Device, n: int) -> None:
    x = np.random.default_rng(2).standard_normal((3, n), dtype=np.float32)
    x[:, 5] = (3000, -3000, 1)
    got = run(device, lambda p, a: p.rms_norm(a, eps=1e-5), x).astype(np.float64)
    rest = np.arange(n) != 5
    for one, wanted in zip(got, rms_norm(x, eps=1e-5), strict=True):
        assert nmse(one, wanted) < 1e-8
        assert nmse(one[rest], wanted[rest]) < 1e-8


def test_the_weight_is_a_row_or_anything_that_can_be_broadcast(device: Device) -> None:
    x, row = numbers(4, 6, 40), numbers(40, seed=1)
    plain = run(device, lambda p, a: p.rms_norm(a), x)
    weighted = run(device, lambda p, a, w: p.rms_norm(a, w), x, row)
    np.testing.assert_allclose(weighted, plain * row, rtol=1e-5)
    many = run(device, lambda p, a, w: p.rms_norm(a, w), x, np.broadcast_to(row, (6, 40)).copy())
    np.testing.assert_array_equal(many, weighted)


def test_heads_cut_out_of_wider_rows(device: Device) -> None:
    wide, weight = numbers(3, 5 * 64), numbers(64, seed=1)
    whole = run(device, lambda p, a, w: p.rms_norm(a, w), wide.reshape(3, 5, 64), weight)
    part = run(device, lambda p, a, w: p.rms_norm(a[:, 64:256].reshape(3, 3, 64), w), wide, weight)
    np.testing.assert_array_equal(part, whole[:, 1:4])


def test_zeros_and_nan(device: Device) -> None:
    x = numbers(3, 64)
    x[0], x[1, 5] = 0, np.nan
    got = run(device, lambda p, a: p.rms_norm(a, eps=1e-5), x)
    assert (got[0] == 0).all()
    assert np.isnan(got[1]).all()
    assert np.isfinite(got[2]).all()


def test_a_small_op_costs_at_most_250_packets_in_all(qemu: str) -> None:
    with Device("loopback:qemu", threads=1) as device:
        for shape in [(1, 64), (64,)]:
            with device.program() as p:
                x = p.input((1, 64))
                p.output(p.rms_norm(x, device.tensor(np.ones(shape, np.float32))))
                p.output(p.add(x, x))
            program = p.compile()
            program.run(numbers(1, 64))
            _, report = program.run_with_report(numbers(1, 64))
            assert [op.op for op in report.ops] == ["rms_norm", "add"]
            assert all(op.packets is not None and op.packets <= 250 for op in report.ops), report
