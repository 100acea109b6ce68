# SPDX-License-Identifier: MIT
"""REPEAT through programs: equal to NumPy's tile, for every type and in every dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import Devices, numbers, results
from ops.rows import run
from pyhexagon import Device
from pyhexagon.errors import ArgumentError

REPEATS = [(1, 1, 1, 1), (1, 1, 1, 3), (1, 1, 4, 1), (1, 2, 1, 1), (3, 1, 1, 1), (2, 3, 2, 5)]


def shape_of(x: Any, repeats: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(np.tile(np.empty(x.shape, np.uint8), repeats).shape)


def test_in_every_dimension(engines: Devices) -> None:
    x = numbers(2, 3, 5, 67)
    got = results(engines, lambda p, v: [p.repeat(v, shape_of(v, repeats)) for repeats in REPEATS], x)
    for repeats, result in zip(REPEATS, got, strict=True):
        np.testing.assert_array_equal(result, np.tile(x, repeats))


def test_views_single_elements_and_new_dimensions_on_many_threads(engines: Devices) -> None:
    x = numbers(6, 70, 33)

    def build(p: Any, v: Any) -> list[Any]:
        return [
            p.repeat(v[:2, :, :1], (2, 70, 1000)),
            p.repeat(v.T[:, ::2], (33, 70, 6)),
            p.repeat(v[0, 0], (7, 99)),
            p.repeat(v[1:2, 3:4], (64, 8, 33)),
            p.repeat(v[:, :0], (6, 0, 33)),
        ]

    ones, turned, vector, rows, nothing = results(engines, build, x)
    np.testing.assert_array_equal(ones, np.tile(x[:2, :, :1], (1, 1, 1000)))
    np.testing.assert_array_equal(turned, np.tile(x.T[:, ::2], (1, 2, 1)))
    np.testing.assert_array_equal(vector, np.tile(x[0, 0], (7, 3)))
    np.testing.assert_array_equal(rows, np.tile(x[1:2, 3:4], (64, 8, 1)))
    assert nothing.shape == (6, 0, 33)


@pytest.mark.parametrize("dtype", ["F16", "BF16", "Q8_0", "Q4_0"])
def test_of_every_type(engines: Devices, dtype: str) -> None:
    x = numbers(2, 64, spread=2)

    def build(p: Any, v: Any) -> Any:
        v = p.cpy(v, dtype)
        return p.concat([p.cpy(v, "F32"), p.cpy(p.repeat(v, (4, 192)), "F32")[2:, 64:]], 1)

    for device in engines:
        got = run(device, build, x, n_ops=5)
        np.testing.assert_array_equal(got[:, 64:], np.tile(got[:, :64], (1, 2)))


def test_of_whole_numbers(engines: Devices) -> None:
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    (got,) = results(engines, lambda p, v: [p.repeat(v, (6, 8))], x)
    np.testing.assert_array_equal(got, np.tile(x, (2, 2)))


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=8)
    @given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 4)), max_size=3), st.integers(1, 90), st.integers(1, 9))
    def check(leading: list[tuple[int, int]], n: int, times: int) -> None:
        x = numbers(*(length for length, _ in leading), n, seed=n)
        repeats = (*(count for _, count in leading), times)
        (got,) = results(engines, lambda p, v: [p.repeat(v, shape_of(v, repeats))], x)
        np.testing.assert_array_equal(got, np.tile(x, repeats))

    check()


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        x = p.input((3, 4))
        for shape in ((3, 6), (4, 4), (4,), (3, 0, 2)):
            with pytest.raises(ArgumentError, match="multiples"):
                p.repeat(x, shape)
