# SPDX-License-Identifier: MIT
"""ADD_ID through programs: equal to ADD of the rows that GET_ROWS selects."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import Devices, numbers, results
from pyhexagon import ArgumentError, HexagonError


def test_sums_of_rows_picked_by_ids(engines: Devices) -> None:
    @settings(max_examples=12)
    @given(
        shape=st.one_of(st.tuples(st.integers(1, 4)), st.tuples(st.integers(1, 3), st.integers(1, 4))),
        n=st.integers(1, 300),
        n_rows=st.integers(1, 7),
        seed=st.integers(0, 999),
    )
    def check(shape: tuple[int, ...], n: int, n_rows: int, seed: int) -> None:
        x, table = numbers(*shape, n, seed=seed), numbers(n_rows, n, seed=seed + 1)
        table[0, n // 2] = np.nan
        ids = np.random.default_rng(seed).integers(0, n_rows, shape).astype(np.int32)
        sums, apart, over = results(
            engines,
            lambda p, a, b, i: [p.add_id(a, b, i), p.add(a, p.get_rows(b, i)), p.add_id(p.scale(a, 1.0), b, i)],
            *(x, table, ids),
        )
        np.testing.assert_array_equal(sums.view(np.uint32), apart.view(np.uint32))
        np.testing.assert_array_equal(sums.view(np.uint32), over.view(np.uint32))

    check()


def test_views_and_none(engines: Devices) -> None:
    x, table, ids = numbers(5, 4, 70), numbers(9, 80, seed=1), np.arange(20, dtype=np.int32).reshape(5, 4) % 9
    got, none = results(
        engines,
        lambda p, a, b, i: [p.add_id(a[::2, 1:, 3:], b[:, 5:72], i[::2, 1:]), p.add_id(a[:0], b[:, :70], i[:0])],
        *(x, table, ids),
    )
    np.testing.assert_allclose(got, x[::2, 1:, 3:] + table[ids[::2, 1:], 5:72], rtol=1e-6, atol=1e-6)
    assert none.shape == (0, 4, 70)


@pytest.mark.parametrize("bad", [-1, 3])
def test_an_id_of_no_row_is_an_error(engines: Devices, bad: int) -> None:
    for device in engines:
        p = device.program()
        p.output(p.add_id(p.input((2, 40)), p.input((3, 40)), p.input((2,), np.int32)))
        with pytest.raises(HexagonError):
            p.compile()(numbers(2, 40), numbers(3, 40), np.array([0, bad], np.int32))


def test_shapes_must_fit(engines: Devices) -> None:
    p = engines[0].program()
    x, table, ids = p.input((2, 40)), p.input((3, 40)), p.input((2,), np.int32)
    for wrong in ((x, table, ids[:1]), (x[:, :39], table, ids), (x[0], table, ids), (x, ids, ids)):
        with pytest.raises(ArgumentError):
            p.add_id(*wrong)
