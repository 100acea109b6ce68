# SPDX-License-Identifier: MIT
"""TOP_K through programs: the first k of NumPy's stable order, on every engine and kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import Devices, numbers, results
from ops.picks import F32, SIZES, hard_rows, rows
from pyhexagon import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases.reference import top_k


def test_it_is_that_of_numpy(engines: Devices) -> None:
    inputs = [hard_rows(n) for n in SIZES]
    cases = [(i, k) for i, n in enumerate(SIZES) for k in {1, min(8, n), min(n, 40 + 101 * (i % 2)), n // 3 + 1}]
    got = results(engines, lambda p, *values: [p.top_k(values[i], k) for i, k in cases], *inputs)
    orders = [top_k(x, x.shape[-1]) for x in inputs]
    for (i, k), indices in zip(cases, got, strict=True):
        assert indices.dtype == np.int32
        np.testing.assert_array_equal(indices, orders[i][:, :k], f"{k} of {SIZES[i]}")


def test_the_experts_of_tokens(engines: Devices) -> None:
    x = numbers(6, 300, 128, spread=0)
    (got,) = results(engines, lambda p, v: [p.top_k(v, 8)], x)
    np.testing.assert_array_equal(got, top_k(x, 8))


def test_views_vectors_and_no_rows(engines: Devices) -> None:
    x = numbers(3, 5, 70, 66)
    picks: list[Any] = [np.s_[1, 2, 3], np.s_[::2, :, 3:5, 1:34], np.s_[:, 1:4, :6, 7:], np.s_[:, :0]]
    got = results(engines, lambda p, v: [p.top_k(v[pick], 5) for pick in picks], x)
    for pick, indices in zip(picks, got, strict=True):
        np.testing.assert_array_equal(indices, top_k(x[pick], 5))


def test_a_vocabulary(engines: Devices) -> None:
    x = numbers(2, 128256, spread=0)
    x[1] = np.round(x[1] * 4)
    got = results(engines, lambda p, v: [p.top_k(v[i], k) for i in range(2) for k in (1, 40)], x)
    for i, k, indices in zip((0, 0, 1, 1), (1, 40, 1, 40), got, strict=True):
        np.testing.assert_array_equal(indices, top_k(x[i], k))


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=8)
    @given(rows(), st.integers(1, 200))
    def check(x: F32, k: int) -> None:
        k = min(k, x.shape[-1])
        (got,) = results(engines, lambda p, v: [p.top_k(v, k)], x)
        np.testing.assert_array_equal(got, top_k(x, k))

    check()


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_one_row_takes_all_threads_to_the_same_end(qemu: str, threads: int) -> None:
    x = np.concatenate([numbers(1, 20000, spread=0), np.round(numbers(1, 20000, seed=1, spread=0))])
    x[1, [7, 15000]] = np.nan, -np.nan
    with Device("loopback:qemu", threads=threads) as device:
        p = device.program()
        value = p.input(x.shape)
        p.output(*(p.top_k(value[:1], k) for k in (1, 40, 1000)), *(p.top_k(value[1], k) for k in (1, 40, 1000)))
        got, report = p.compile().run_with_report(x)
        for i, k, indices in zip((0, 0, 0, 1, 1, 1), (1, 40, 1000) * 2, got, strict=True):
            np.testing.assert_array_equal(indices.numpy().ravel(), top_k(x[i], k))
        assert [op.n_threads for op in report.ops] == [threads] * 6


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        for k in (0, 5):
            with pytest.raises(ArgumentError, match=f"k = {k}"):
                p.top_k(p.input((3, 4)), k)
        with pytest.raises(ArgumentError, match="K up to"):
            p.top_k(p.input(()), 1)
