# SPDX-License-Identifier: MIT
"""CONCAT through programs: equal to NumPy's concatenate, for every type and along every axis."""

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

SHAPE = (2, 3, 5, 67)


def test_along_every_axis(engines: Devices) -> None:
    x, others = numbers(*SHAPE), [numbers(*SHAPE[:i], 2 * i + 1, *SHAPE[i + 1 :], seed=i) for i in range(4)]

    def build(p: Any, x: Any, *others: Any) -> list[Any]:
        pairs = [p.concat([x, other], axis) for axis, other in enumerate(others)]
        return [*pairs, p.concat([others[3], x]), p.concat([x, x], -4), p.concat([x[..., :0], x])]

    *pairs, last, twice, same = results(engines, build, x, *others)
    for axis, got in enumerate(pairs):
        np.testing.assert_array_equal(got, np.concatenate([x, others[axis]], axis))
    np.testing.assert_array_equal(last, np.concatenate([others[3], x], -1))
    np.testing.assert_array_equal(twice, np.concatenate([x, x]))
    np.testing.assert_array_equal(same, x)


def test_views_vectors_and_eight_at_once_on_many_threads(engines: Devices) -> None:
    x = numbers(70, 4, 300)

    def build(p: Any, v: Any) -> list[Any]:
        eight = p.concat([v[..., 10 * i : 11 * i + 3] for i in range(8)])
        return [eight, p.concat([v[::2], v[1::3]], 0), p.concat([v.T[:, :1], v.T], 1), p.concat([v[0, 0], v[1, 1]])]

    eight, rows, turned, vectors = results(engines, build, x)
    np.testing.assert_array_equal(eight, np.concatenate([x[..., 10 * i : 11 * i + 3] for i in range(8)], -1))
    np.testing.assert_array_equal(rows, np.concatenate([x[::2], x[1::3]]))
    np.testing.assert_array_equal(turned, np.concatenate([x.T[:, :1], x.T], 1))
    np.testing.assert_array_equal(vectors, np.concatenate([x[0, 0], x[1, 1]]))


@pytest.mark.parametrize("dtype", ["F16", "BF16", "Q8_0", "Q4_0"])
def test_of_every_type(engines: Devices, dtype: str) -> None:
    x = numbers(6, 64, spread=2)

    def build(p: Any, v: Any) -> Any:
        v = p.cpy(v, dtype)
        joined = p.concat([v[:2], p.concat([v[4:], v[2:4]], 0)], 0)
        return p.concat([p.cpy(v, "F32"), p.cpy(p.concat([joined, joined], 1), "F32")], 1)

    for device in engines:
        got = run(device, build, x, n_ops=7)
        np.testing.assert_array_equal(got[:, 64:], np.tile(got[[0, 1, 4, 5, 2, 3], :64], (1, 2)))


def test_of_whole_numbers(engines: Devices) -> None:
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    (got,) = results(engines, lambda p, v: [p.concat([v, v[:, 1:]], 1)], x)
    np.testing.assert_array_equal(got, np.concatenate([x, x[:, 1:]], 1))


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=8)
    @given(
        st.lists(st.integers(1, 90), min_size=1, max_size=4),
        st.integers(0, 3),
        st.lists(st.integers(0, 40), min_size=2, max_size=8),
    )
    def check(shape: list[int], axis: int, lengths: list[int]) -> None:
        axis %= len(shape)
        shape = [min(n, 6) for n in shape[:-1]] + shape[-1:]
        parts = [numbers(*shape[:axis], n, *shape[axis + 1 :], seed=i) for i, n in enumerate([*lengths[:7], 1])]
        (got,) = results(engines, lambda p, *values: [p.concat(values, axis)], *parts)
        np.testing.assert_array_equal(got, np.concatenate(parts, axis))

    check()


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        x = p.input((3, 4))
        for values, axis, words in (
            ([x], 0, "1 values"),
            ([x] * 9, 0, "9 values"),
            ([x, x], 2, "axis 2"),
            ([x[:0], x[:0]], 0, "none has any length"),
            ([x, p.input((2, 4))], 1, "other lengths equal"),
            ([x, p.input((3, 4, 1))], 1, "other lengths equal"),
            ([x, p.input((3, 4), np.int32)], 1, "one type"),
        ):
            with pytest.raises(ArgumentError, match=words):
                p.concat(values, axis)
