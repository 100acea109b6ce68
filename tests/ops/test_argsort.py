# SPDX-License-Identifier: MIT
"""ARGSORT through programs: equal to NumPy's stable sort, on every engine and kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from ops.elementwise import Devices, numbers, results
from ops.picks import F32, SIZES, hard_rows, rows
from pyhexagon import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases.reference import argsort


def test_it_is_that_of_numpy(engines: Devices) -> None:
    inputs = [hard_rows(n) for n in SIZES]
    got = results(
        engines, lambda p, *values: [p.argsort(v, descending=d) for v in values for d in (False, True)], *inputs
    )
    for x, up, down in zip(inputs, got[::2], got[1::2], strict=True):
        assert up.dtype == np.int32
        np.testing.assert_array_equal(up, argsort(x), f"rows of {x.shape[-1]}")
        np.testing.assert_array_equal(down, argsort(x, descending=True), f"rows of {x.shape[-1]}")


def test_views_vectors_and_no_rows_on_many_threads(engines: Devices) -> None:
    x = numbers(3, 5, 70, 66)
    picks: list[Any] = [np.s_[:], np.s_[1, 2, 3], np.s_[::2, :, 3:5, 1:34], np.s_[:, 1:4, :6, 7:], np.s_[:, :0]]
    got = results(engines, lambda p, v: [p.argsort(v[pick]) for pick in picks], x)
    for pick, indices in zip(picks, got, strict=True):
        np.testing.assert_array_equal(indices, argsort(x[pick]))


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=6)
    @given(rows())
    def check(x: F32) -> None:
        (got,) = results(engines, lambda p, v: [p.argsort(v)], x)
        np.testing.assert_array_equal(got, argsort(x))

    check()


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        for shape in ((), (3, 0)):
            with pytest.raises(ArgumentError, match="K from 1"):
                p.argsort(p.input(shape))
