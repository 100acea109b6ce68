# SPDX-License-Identifier: MIT
"""Where intermediate results lie: those that are never there at the same time may share memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

ALIGNMENT: Final = 128  # a vector, and what the caches work in: two values share no line


class Lifetime(NamedTuple):
    """From the op that makes a value to the last that reads it, both included; and what it takes."""

    first: int
    last: int
    n_bytes: int


def pack(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """An offset for each, and the bytes of all. Large ones are placed first, each at the lowest gap that takes it."""
    offsets = [0] * len(lifetimes)
    placed: list[int] = []
    size = 0
    for index in sorted(range(len(lifetimes)), key=lambda index: (-lifetimes[index].n_bytes, index)):
        one = lifetimes[index]
        beside = [at for at in placed if one.first <= lifetimes[at].last and lifetimes[at].first <= one.last]
        at = 0
        for other in sorted(beside, key=lambda other: offsets[other]):
            if at + one.n_bytes <= offsets[other]:
                break
            at = max(at, _aligned(offsets[other] + lifetimes[other].n_bytes))
        offsets[index] = at
        placed.append(index)
        size = max(size, at + one.n_bytes)
    return offsets, size


def _aligned(n: int) -> int:
    return -(-n // ALIGNMENT) * ALIGNMENT
