# SPDX-License-Identifier: MIT
"""ARGMAX through programs: equal to NumPy's, on every engine and kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from ops.elementwise import Devices, numbers, results
from ops.picks import F32, SIZES, hard_rows, rows
from pyhexagon import Device
from pyhexagon.errors import ArgumentError


def test_it_is_that_of_numpy(engines: Devices) -> None:
    inputs = [hard_rows(n) for n in SIZES]
    got = results(engines, lambda p, *values: [p.argmax(value) for value in values], *inputs)
    for x, indices in zip(inputs, got, strict=True):
        assert indices.dtype == np.int32
        np.testing.assert_array_equal(indices, x.argmax(-1), f"rows of {x.shape[-1]}")


def test_views_vectors_and_no_rows(engines: Devices) -> None:
    x = numbers(3, 5, 70, 66)
    picks: list[Any] = [np.s_[:], np.s_[1, 2, 3], np.s_[::2, :, 3:5, 1:34], np.s_[:, 1:4, :6, 7:], np.s_[:, :0]]
    got = results(engines, lambda p, v: [p.argmax(v[pick]) for pick in picks] + [p.argmax(v.transpose(2, 0, 1, 3))], x)
    for pick, indices in zip(picks, got, strict=False):
        np.testing.assert_array_equal(indices, x[pick].argmax(-1))
    np.testing.assert_array_equal(got[-1], x.transpose(2, 0, 1, 3).argmax(-1))


def test_a_vocabulary_wherever_the_largest_is(engines: Devices) -> None:
    x = numbers(9, 128256)
    for i, at in enumerate((0, 1, 32063, 32064, 64128, 77777, 128254, 128255)):
        x[i, at] = 3e8
    x[8, [40000, 20000, 100000]] = np.inf
    got = results(engines, lambda p, v: [p.argmax(v[i]) for i in range(9)], x)
    np.testing.assert_array_equal(np.array(got), x.argmax(-1))


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=8)
    @given(rows())
    def check(x: F32) -> None:
        (got,) = results(engines, lambda p, v: [p.argmax(v)], x)
        np.testing.assert_array_equal(got, x.argmax(-1))

    check()


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_one_row_takes_all_threads_to_the_same_end(qemu: str, threads: int) -> None:
    x = numbers(1, 20000, spread=0)
    with Device("loopback:qemu", threads=threads) as device:
        p = device.program()
        p.output(p.argmax(p.input(x.shape)))
        program = p.compile()
        for ties in ([], [4999, 5000, 19999], [10000, 15001]):
            x[0, ties] = 99
            (got,), report = program.run_with_report(x)
            assert got.numpy()[0] == x.argmax()
            assert report.ops[0].n_threads == threads


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        for shape in ((), (3, 0)):
            with pytest.raises(ArgumentError, match="K at least 1"):
                p.argmax(p.input(shape))
        with pytest.raises(ArgumentError, match="float32"):
            p.argmax(p.input((3, 4), np.int32))
