# SPDX-License-Identifier: MIT
"""A modulo scheduler for HVX loops: packs instructions into v68 packets and overlaps the iterations of a loop.

A compiler fills about three quarters of the packets of our inner loops, and spills registers when a loop accumulates
several results. These loops are straight lines without branches. Packet resources, 32 vector registers and stalls are
their only limits, so a placement of the instructions into a table of `interval` packets (one iteration starts every
`interval` packets) comes within a few percent of the bound.

orders/ stores the packet of each instruction. This module checks such an order, allocates the registers and writes the
prologue, the body and the epilogue of the loop. placement.py and search.py find orders.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from instructions import EARLY_DISTANCE, EMPTY, LIMITS, SCALAR_LOAD_DISTANCE, TOO_MUCH, Op, whole


def _dependences(ops: Sequence[Op]) -> list[dict[int, int]]:
    """For each instruction, the instructions that it must follow, and by how many packets at least."""
    written: dict[str, int] = {}
    read: dict[str, set[int]] = {}
    moved: dict[str, int] = {}
    found = []
    for i, op in enumerate(ops):
        uses, defs = ({whole(name) for name in names} for names in (op.uses, op.defs))
        early = op.early
        before: dict[int, int] = {}

        def follow(other: int, distance: int, before: dict[int, int] = before) -> None:
            before[other] = max(before.get(other, 0), distance)

        for name in uses & written.keys():
            other = written[name]
            if name in early:
                follow(other, EARLY_DISTANCE)
            else:
                follow(other, SCALAR_LOAD_DISTANCE if ops[other].loads_scalars else 1)
        for name in defs:
            if name in written:
                follow(written[name], 1)
            for other in read.get(name, ()):
                follow(other, 0)  # a packet reads before it writes
        if op.stream:
            if op.stream in moved:
                follow(moved[op.stream], 1)
            moved[op.stream] = i
        for name in uses:
            read.setdefault(name, set()).add(i)
        for name in defs:
            written[name] = i
            read[name] = set()
        before.pop(i, None)
        found.append(before)
    return found


@dataclass
class Loop:
    """A scheduled loop: the packets of its prologue, its body and its epilogue.

    The prologue jumps to packet `entry` of the body, where the first iteration needs no instruction of an iteration
    before it. `entry` 0: the prologue holds a whole iteration.
    """

    interval: int
    stages: int
    prologue: list[list[str]]
    body: list[list[str]]
    epilogue: list[list[str]]
    entry: int


class Facts(NamedTuple):
    """The instructions that write and read a name."""

    defs: list[int]
    uses: list[int]


@dataclass
class Scheduler:
    """Schedules `ops`, one iteration in program order.

    Attributes:
        fixed: registers that live across iterations, by name.
        vectors: numbers of the free vector registers.
        scalars: numbers of the free scalar registers.
        pairs: names that take an even register and the next one.
        before: for each instruction, its dependences and their distances in packets.
        facts: for each name, the instructions that write and read it.
        temporaries: names that live in one iteration only.
        streams: the first and the last access through each pointer.
    """

    ops: list[Op]
    fixed: dict[str, str]
    vectors: Sequence[int]
    scalars: Sequence[int]
    pairs: frozenset[str]

    def __post_init__(self) -> None:
        self.before = _dependences(self.ops)
        self.facts: dict[str, Facts] = {}
        streams: dict[str, list[int]] = {}
        for i, op in enumerate(self.ops):
            for name in op.uses:
                self.facts.setdefault(whole(name), Facts([], [])).uses.append(i)
            for name in op.defs:
                self.facts.setdefault(whole(name), Facts([], [])).defs.append(i)
            if op.stream:
                streams.setdefault(op.stream, []).append(i)
        self.streams = [(members[0], members[-1]) for members in streams.values()]
        self.temporaries = [name for name in self.facts if name not in self.fixed]
        for name in self.temporaries:
            if not all(self.facts[name]):
                raise ValueError(f"{name} is read without being written, or written without being read")
        self._check_order()

    def _check_order(self) -> None:
        """A temporary is written before it is read; of a pair, the half that is read or the whole."""
        made = set(self.fixed)
        for op in self.ops:
            for name in op.uses:
                if made.isdisjoint((name, whole(name))) and not made.issuperset((f"{name}.lo", f"{name}.hi")):
                    raise ValueError(f"{name} is read before it is made: {op.texts}")
            made.update(op.defs)

    def bound(self) -> int:
        """Packets that the resources alone demand."""
        totals = [sum(op.cost.vector()[i] for op in self.ops) for i in range(len(LIMITS))]
        return max(-(-total // limit) for total, limit in zip(totals, LIMITS, strict=True))

    def loop(self, interval: int, times: Sequence[int]) -> Loop:
        """The loop that has instruction i in packet times[i] of its iteration. ValueError: the packets break a rule."""
        self._check_packets(interval, times)
        self._check_carried(interval, times)
        return self._emit(interval, times, self._allocate(interval, times))

    def _check_packets(self, interval: int, times: Sequence[int]) -> None:
        """Every packet holds its instructions, and every instruction follows its dependences."""
        if len(times) != len(self.ops):
            raise ValueError(f"an order of {len(times)} instructions for {len(self.ops)}")
        table = [EMPTY] * interval
        for op, time, before in zip(self.ops, times, self.before, strict=True):
            table[time % interval] += op.cost.packed
            if table[time % interval] & TOO_MUCH:
                raise ValueError(f"packet {time % interval} is full: {op.texts}")
            for other, distance in before.items():
                if time < times[other] + distance:
                    raise ValueError(f"{op.texts} must follow {self.ops[other].texts} by {distance} packets")
        for first, last in self.streams:
            if times[last] >= times[first] + interval:
                raise ValueError(f"accesses of two iterations through {self.ops[first].stream} would change places")

    def _check_carried(self, interval: int, times: Sequence[int]) -> None:
        """The next iteration uses and writes a fixed register after this iteration does."""
        for name in self.fixed:
            facts = self.facts.get(name)
            if facts is None or not facts.defs:
                continue
            defs, uses = [times[i] for i in facts.defs], [times[i] for i in facts.uses]
            if (uses and min(uses) + interval <= max(defs)) or min(defs) + interval < max([*uses, max(defs) + 1]):
                raise ValueError(f"two iterations would use {name} at once")

    def _allocate(self, interval: int, times: Sequence[int]) -> dict[str, tuple[int, ...]]:
        """Registers of the temporaries, by name."""
        lives = []
        for name in self.temporaries:
            defs, uses = self.facts[name]
            first, last = min(times[i] for i in defs), max(times[i] for i in uses)
            if last - first > interval:
                raise ValueError(f"{name} lives longer than an iteration")
            life = ((1 << last - first) - 1) << (first + 1) % interval
            lives.append((first, name, (life | life >> interval) & (1 << interval) - 1))
        busy: dict[tuple[str, int], int] = {}
        chosen: dict[str, tuple[int, ...]] = {}
        for _, name, life in sorted(lives):
            kind = "r" if name.startswith("r") else "v"
            pool = self.scalars if kind == "r" else self.vectors
            choice: tuple[int, ...] | None
            if name in self.pairs:
                choices = [(n, n + 1) for n in pool if n % 2 == 0 and n + 1 in pool]
                choice = next((c for c in choices if not any(busy.get((kind, n), 0) & life for n in c)), None)
            else:
                free = next((n for n in pool if not busy.get((kind, n), 0) & life), None)
                choice = None if free is None else (free,)
            if choice is None:
                raise ValueError(f"no register is free for {name}")
            for n in choice:
                busy[kind, n] = busy.get((kind, n), 0) | life
            chosen[name] = choice
        return chosen

    def _emit(self, interval: int, times: Sequence[int], registers: dict[str, tuple[int, ...]]) -> Loop:
        def register(match: re.Match[str]) -> str:
            name, _, half = match[1].partition(".")
            if match[1] in self.fixed:
                return self.fixed[match[1]]
            numbers = registers[name]
            kind = "r" if name.startswith("r") else "v"
            if len(numbers) == 2 and not half:
                return f"{kind}{numbers[1]}:{numbers[0]}"
            return f"{kind}{numbers[1 if half == 'hi' else 0]}"

        stages = max(times) // interval + 1

        def packets(first_stage: int, last_stage: int) -> list[list[str]]:
            rows: list[list[str]] = [[] for _ in range(interval)]
            for op, time in zip(self.ops, times, strict=True):
                if first_stage <= time // interval <= last_stage:
                    rows[time % interval] += [re.sub(r"\{([^}]+)\}", register, text) for text in op.texts]
            return rows

        before = [packets(0, stage) for stage in range(stages - 1)]
        body = packets(0, stages - 1)
        epilogue = [row for stage in range(stages - 1) for row in packets(stage + 1, stages - 1) if row]
        entry = interval
        while before and entry and before[-1][entry - 1] == body[entry - 1]:
            entry -= 1
        before = [*before[:-1], before[-1][:entry]] if before else []
        prologue = [row for rows in before for row in rows if row]
        return Loop(interval, stages, prologue, body, epilogue, entry % interval)
