# SPDX-License-Identifier: MIT
"""Intermediates that share memory: values with overlapping lifetimes never share it."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from pyhexagon.program.lifetimes import ALIGNMENT, Lifetime, pack

PARTS = st.tuples(st.integers(0, 20), st.integers(0, 8), st.integers(1, 1000))
LIFETIMES = st.lists(PARTS.map(lambda parts: Lifetime(parts[0], parts[0] + parts[1], parts[2])), max_size=30)


def aligned(n: int) -> int:
    return -(-n // ALIGNMENT) * ALIGNMENT


@given(LIFETIMES)
def test_what_is_there_at_the_same_time_lies_apart(lifetimes: list[Lifetime]) -> None:
    offsets, size = pack(lifetimes)
    ends = [offset + one.n_bytes for offset, one in zip(offsets, lifetimes, strict=True)]
    assert all(offset % ALIGNMENT == 0 for offset in offsets)
    assert size == max(ends, default=0)
    for (a, at_a), (b, at_b) in combinations(zip(lifetimes, offsets, strict=True), 2):
        together = any(time in range(b.first, b.last + 1) for time in range(a.first, a.last + 1))
        lines = {(at + i) // ALIGNMENT for one, at in ((a, at_a),) for i in range(one.n_bytes)}
        assert not together or not lines & {(at_b + i) // ALIGNMENT for i in range(b.n_bytes)}


@given(LIFETIMES)
def test_it_takes_no_more_than_all_side_by_side_and_no_less_than_the_fullest_time(lifetimes: list[Lifetime]) -> None:
    _, size = pack(lifetimes)
    assert size <= sum(aligned(one.n_bytes) for one in lifetimes)
    at_a_time = [[one for one in lifetimes if one.first <= time <= one.last] for time in range(30)]
    assert aligned(size) >= max(sum(aligned(one.n_bytes) for one in there) for there in at_a_time)


def test_a_chain_takes_two_places() -> None:
    offsets, size = pack([Lifetime(at, at + 1, 4096) for at in range(100)])
    assert (size, set(offsets)) == (8192, {0, 4096})
