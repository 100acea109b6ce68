# SPDX-License-Identifier: MIT
"""A greedy placement of instructions into packets: one pass over an order of them, near program order."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from instructions import EMPTY, MULTIPLIERS, TOO_MUCH, TWO_MULTIPLIES
from schedule import Scheduler


@dataclass(frozen=True)
class Placement:
    """How the pass places instructions.

    Attributes:
        keys: the pass takes the instruction with the smallest key among those whose dependences are placed.
        window: an instruction goes at most so many packets before the latest packet in use, which bounds the life of
            registers.
        reserve: an instruction that does not multiply passes by so many packets if it would leave no room for two
        multiplies.
    """

    keys: Sequence[float]
    window: int
    reserve: int = 0

    def order(self, before: Sequence[dict[int, int]]) -> list[int]:
        """The instructions by key, each after its dependences."""
        after: list[list[int]] = [[] for _ in before]
        for i, others in enumerate(before):
            for other in others:
                after[other].append(i)
        missing = [len(others) for others in before]
        ready = [(self.keys[i], i) for i, n in enumerate(missing) if not n]
        heapq.heapify(ready)
        ordered = []
        while ready:
            _, i = heapq.heappop(ready)
            ordered.append(i)
            for other in after[i]:
                missing[other] -= 1
                if not missing[other]:
                    heapq.heappush(ready, (self.keys[other], other))
        return ordered


def place(scheduler: Scheduler, interval: int, placement: Placement) -> list[int] | None:
    """The packet of each instruction; None if one finds no room. Scheduler.loop() tells whether registers suffice."""
    table = [EMPTY] * interval
    times = [0] * len(scheduler.ops)
    latest = 0
    order = placement.order(scheduler.before)
    for i in order:
        earliest = max(0, latest - placement.window)
        for other, distance in scheduler.before[i].items():
            earliest = max(earliest, times[other] + distance)
        cost = scheduler.ops[i].cost
        packed = cost.packed
        time = earliest
        if not cost.multipliers:
            end = earliest + placement.reserve
            while time < end:
                used = table[time % interval]
                after = used + packed
                if not after & TOO_MUCH and (
                    used & MULTIPLIERS != EMPTY & MULTIPLIERS or not (after + TWO_MULTIPLIES) & TOO_MUCH
                ):
                    break
                time += 1
            else:
                time = earliest
        end = time + interval
        while (table[time % interval] + packed) & TOO_MUCH:
            time += 1
            if time == end:
                return None
        table[time % interval] += packed
        times[i] = time
        latest = max(latest, time)
    _delay(scheduler, interval, times, table)
    return times


def _delay(scheduler: Scheduler, interval: int, times: list[int], table: list[int]) -> None:
    """Moves an instruction, mostly a load, to just before its first reader if that shortens the lives of registers."""
    after: list[list[tuple[int, int]]] = [[] for _ in times]
    for i, others in enumerate(scheduler.before):
        for other, distance in others.items():
            after[other].append((i, distance))
    defined_with: list[list[list[int]]] = [[] for _ in times]  # by instruction: the writers of each temporary it writes
    used_with: list[list[list[int]]] = [[] for _ in times]  # by instruction: the readers of each temporary it reads
    for defs, uses in (scheduler.facts[name] for name in scheduler.temporaries):
        for i in defs:
            defined_with[i].append(defs)
        for i in uses:
            used_with[i].append(uses)
    for i in sorted(range(len(times)), key=lambda i: -times[i]):
        if not after[i]:
            continue
        begun = sum(all(times[j] > times[i] for j in defs if j != i) for defs in defined_with[i])
        ended = sum(all(times[j] <= times[i] for j in uses if j != i) for uses in used_with[i])
        latest = min(times[other] - distance for other, distance in after[i])
        if begun <= ended or latest <= times[i]:
            continue
        packed = scheduler.ops[i].cost.packed
        table[times[i] % interval] -= packed
        times[i] = next(
            time for time in range(latest, times[i] - 1, -1) if not (table[time % interval] + packed) & TOO_MUCH
        )
        table[times[i] % interval] += packed
