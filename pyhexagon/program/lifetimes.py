# SPDX-License-Identifier: MIT
"""Placement of intermediates in an arena: values whose lifetimes do not overlap may share memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

ALIGNMENT: Final = 128  # bytes of a vector and of a cache line: two values share no line


class Lifetime(NamedTuple):
    """The first op that writes a value, the last op that reads it, both inclusive, and its size."""

    first: int
    last: int
    n_bytes: int


def pack(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """Return an offset for each value and the total size. Largest first, each at the lowest gap that fits."""
    offsets = [0] * len(lifetimes)
    placed: list[int] = []
    size = 0
    for index in sorted(range(len(lifetimes)), key=lambda index: (-lifetimes[index].n_bytes, index)):
        lifetime = lifetimes[index]
        beside = [at for at in placed if lifetime.first <= lifetimes[at].last and lifetimes[at].first <= lifetime.last]
        at = 0
        for other in sorted(beside, key=lambda other: offsets[other]):
            if at + lifetime.n_bytes <= offsets[other]:
                break
            at = max(at, _aligned(offsets[other] + lifetimes[other].n_bytes))
        offsets[index] = at
        placed.append(index)
        size = max(size, at + lifetime.n_bytes)
    return offsets, size


def _aligned(n: int) -> int:
    return -(-n // ALIGNMENT) * ALIGNMENT
