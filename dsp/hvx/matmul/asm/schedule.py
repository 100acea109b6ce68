# SPDX-License-Identifier: MIT
"""A modulo scheduler for HVX loops: packs instructions into v68 packets and overlaps the loop's iterations.

A compiler fills about three quarters of the packets of our inner loops and spills when several results are summed at
once. These loops are straight lines without branches, whose only limits are the packet's resources, 32 registers and
what vectors wait for, so a greedy placement near program order into a table of `interval` packets (iterations start
`interval` packets apart) comes within a few percent of the bound; which order is best is found by trying (search.py).

What a v68 packet takes (the assembler checks all of it, for it is told the CPU): four instructions; two of them memory
accesses, one of these a vector load; multiplies and splats only in two of the four slots; four vector pipes, of which
two multiply, one shifts and one permutes, while a 16-bit multiply takes both multipliers, logic and additions take any
pipe, and so does a load unless it is a `.tmp` one; those of pairs take both multipliers' or both of the others.

A vector that is multiplied, shifted or permuted ("early") must not be written by the packet just before, or that packet
waits a cycle: pyhexagon/bench/cycles.py has the same rule and counts what all of the skel waits.

An operand is a name, replaced in the text by a register: "{x}" vector or scalar, "{x.lo}" and "{x.hi}" halves of a pair
of scalars. Names beginning with "r" are scalars. Names given in `fixed` keep their register across iterations.
"""

from __future__ import annotations

import heapq
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

EARLY: Final = re.compile(r"\bv(?:r?mpy|dmpy|asr|asl|lsr|round|shuff|lut)")  # of the steps
WIDE: Final = 1 << 32  # seeds from here on are of orders farther from the program's
EARLY_DISTANCE: Final = 2  # packets from where a vector is written to where it is needed early
SCALAR_LOAD_DISTANCE: Final = 3  # packets from a scalar load to its use

FIELD: Final = 4  # bits of a resource in a packed Cost; the highest is set when a packet has too much of it


@dataclass(frozen=True)
class Cost:
    """What an instruction, or a bundle that must share a packet, takes of it."""

    slots: int = 1
    high_slots: int = 0  # multiplies and splats: slots 2 and 3 only
    multipliers: int = 0
    pipes: int = 1
    shifts: int = 0
    permutes: int = 0
    vector_loads: int = 0
    memory: int = 0
    vector_stores: int = 0

    def vector(self) -> tuple[int, ...]:
        return (self.slots, self.high_slots, self.multipliers, self.pipes, self.shifts, self.permutes,
                self.vector_loads, self.memory, self.vector_stores)  # fmt: skip

    @cached_property
    def packed(self) -> int:
        """A number whose fields are these, to be added to what a packet has."""
        return _pack(self.vector())


def _pack(amounts: Sequence[int]) -> int:
    return sum(amount << FIELD * i for i, amount in enumerate(amounts))


LIMITS = (4, 2, 2, 4, 1, 1, 1, 2, 1)
EMPTY: Final = _pack([(1 << FIELD - 1) - 1 - limit for limit in LIMITS])  # a packet, packed
TOO_MUCH: Final = _pack([1 << FIELD - 1 for _ in LIMITS])
TWO_MULTIPLIES: Final = Cost(slots=2, pipes=2).packed
MULTIPLIERS: Final = 0xF << 2 * FIELD

MULTIPLY_8 = Cost(high_slots=1, multipliers=1)
MULTIPLY_16 = Cost(high_slots=1, multipliers=2, pipes=2)
SHIFT = Cost(shifts=1)
PERMUTE = Cost(permutes=1)
LOGIC = Cost()
LOAD = Cost(vector_loads=1, memory=1)
STORE = Cost(memory=1, vector_stores=1)
LOAD_SCALAR = Cost(pipes=0, memory=1)
SCALAR = Cost(pipes=0)
EXTENDED = Cost(slots=2, pipes=0)  # with a constant of 32 bits
PREDICATE = Cost(pipes=0, high_slots=1)


@dataclass
class Op:
    """Instructions of one packet. `stream` is a pointer they move: accesses through it stay in order."""

    texts: Sequence[str]
    defs: Sequence[str]
    uses: Sequence[str]
    cost: Cost
    stream: str = ""

    @property
    def early(self) -> set[str]:
        """Vectors that are needed early: all sources of these instructions but what they accumulate onto."""
        sources = (text.partition("=")[2] for text in self.texts)
        return {_whole(name) for source in sources if EARLY.search(source) for name in re.findall(r"{([^}]+)}", source)}

    @property
    def loads_scalars(self) -> bool:
        return self.cost.memory > 0 and self.cost.vector_loads == 0 and len(self.defs) > 0


def _whole(name: str) -> str:
    """Of a pair's half."""
    return name.partition(".")[0]


def _width(seed: int) -> int:
    return 2 if seed >= WIDE else 1


@dataclass(frozen=True)
class Plan:
    """How operations are placed.

    Attributes:
        window: packets before the latest one in which operations may still go, which bounds the life of registers.
        reserve: how many packets an operation that does not multiply passes by because two multiplies would not fit
            there any more.
        seed: of an order of operations near the program's, with dependent ones as they are; 0 is the program's.
        changes: seeds of what is changed in that order, one after the other.
    """

    window: int
    reserve: int = 0
    seed: int = 0
    changes: tuple[int, ...] = ()

    @staticmethod
    def of(seed: int, *changes: int) -> Plan:
        """One of endlessly many."""
        rng = random.Random(seed)
        return Plan(_width(seed) * (6 + int(18 * rng.random())), int(9 * rng.random()), seed, changes)

    def order(self, before: Sequence[dict[int, int]]) -> list[int]:
        """The operations as they are to be placed, each after those that it depends on."""
        if not self.seed:
            return list(range(len(before)))
        rng = random.Random(self.seed)
        spread = _width(self.seed) * 20 * rng.random()
        keys = [i + spread * rng.random() for i in range(len(before))]
        for change in self.changes:
            rng = random.Random(change)
            share = rng.random() / 8
            keys = [i + spread * rng.random() if rng.random() < share else key for i, key in enumerate(keys)]
        after: list[list[int]] = [[] for _ in before]
        for i, others in enumerate(before):
            for other in others:
                after[other].append(i)
        missing = [len(others) for others in before]
        ready = [(keys[i], i) for i, n in enumerate(missing) if not n]
        heapq.heapify(ready)
        ordered = []
        while ready:
            _, i = heapq.heappop(ready)
            ordered.append(i)
            for other in after[i]:
                missing[other] -= 1
                if not missing[other]:
                    heapq.heappush(ready, (keys[other], other))
        return ordered


def _dependences(ops: Sequence[Op]) -> list[dict[int, int]]:
    """For each operation those that it must follow, and by how many packets at least."""
    written: dict[str, int] = {}
    read: dict[str, set[int]] = {}
    moved: dict[str, int] = {}
    found = []
    for i, op in enumerate(ops):
        uses, defs = ({_whole(name) for name in names} for names in (op.uses, op.defs))
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
    """A scheduled loop: packets before, of and after the steady state.

    What follows the packets before is the body from its packet number `entry` on, where the first iteration finds
    nothing of one before it; 0 if that is nowhere, and all of the first one's packets are among those before.
    """

    interval: int
    stages: int
    before: list[list[str]]
    body: list[list[str]]
    after: list[list[str]]
    entry: int


class _Facts(NamedTuple):
    """Which operations write and read a name."""

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
    """

    ops: list[Op]
    fixed: dict[str, str]
    vectors: Sequence[int]
    scalars: Sequence[int]
    pairs: frozenset[str]

    def __post_init__(self) -> None:
        self._before = _dependences(self.ops)
        self._facts: dict[str, _Facts] = {}
        streams: dict[str, list[int]] = {}
        for i, op in enumerate(self.ops):
            for name in op.uses:
                self._facts.setdefault(_whole(name), _Facts([], [])).uses.append(i)
            for name in op.defs:
                self._facts.setdefault(_whole(name), _Facts([], [])).defs.append(i)
            if op.stream:
                streams.setdefault(op.stream, []).append(i)
        self._after: list[list[tuple[int, int]]] = [[] for _ in self.ops]
        for i, others in enumerate(self._before):
            for other, distance in others.items():
                self._after[other].append((i, distance))
        self._streams = [(members[0], members[-1]) for members in streams.values()]
        self._temporaries = [name for name in self._facts if name not in self.fixed]
        for name in self._temporaries:
            if not all(self._facts[name]):
                raise ValueError(f"{name} is read without being written, or the other way round")
        self._check_order()
        # For each operation, of the temporaries that it writes or reads: which operations write or read them.
        self._defined_with: list[list[list[int]]] = [[] for _ in self.ops]
        self._used_with: list[list[list[int]]] = [[] for _ in self.ops]
        for defs, uses in (self._facts[name] for name in self._temporaries):
            for i in defs:
                self._defined_with[i].append(defs)
            for i in uses:
                self._used_with[i].append(uses)

    def _check_order(self) -> None:
        """What does not live across iterations is made before it is read; of a pair the half that is read, or both."""
        made = set(self.fixed)
        for op in self.ops:
            for name in op.uses:
                if made.isdisjoint((name, _whole(name))) and not made.issuperset((f"{name}.lo", f"{name}.hi")):
                    raise ValueError(f"{name} is read before it is made: {op.texts}")
            made.update(op.defs)

    def bound(self) -> int:
        """Packets that the resources alone demand."""
        totals = [sum(op.cost.vector()[i] for op in self.ops) for i in range(len(LIMITS))]
        return max(-(-total // limit) for total, limit in zip(totals, LIMITS, strict=True))

    def schedule(self, interval: int, plan: Plan) -> Loop | None:
        """None when the operations do not fit `interval`, or the registers do not suffice."""
        times = self._place(interval, plan)
        if times is None or not self._carried_order_holds(interval, times):
            return None
        registers = self._allocate(interval, times)
        return self._emit(interval, times, registers) if registers is not None else None

    def _place(self, interval: int, plan: Plan) -> list[int] | None:
        """A packet for each operation."""
        table = [EMPTY] * interval
        times = [0] * len(self.ops)
        latest = 0
        order = plan.order(self._before)
        for i in order:
            earliest = max(0, latest - plan.window)
            for other, distance in self._before[i].items():
                earliest = max(earliest, times[other] + distance)
            cost = self.ops[i].cost
            packed = cost.packed
            time = earliest
            if not cost.multipliers:
                end = earliest + plan.reserve
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
        self._delay(interval, sorted(order, key=lambda i: -times[i]), times, table)
        return times if all(times[last] < times[first] + interval for first, last in self._streams) else None

    def _delay(self, interval: int, order: Sequence[int], times: list[int], table: list[int]) -> None:
        """Moves operations to just before where their results are needed, if that frees registers: loads, mostly."""
        for i in order:  # from the last to the first
            if not self._after[i]:
                continue
            begun = sum(all(times[j] > times[i] for j in defs if j != i) for defs in self._defined_with[i])
            ended = sum(all(times[j] <= times[i] for j in uses if j != i) for uses in self._used_with[i])
            latest = min(times[other] - distance for other, distance in self._after[i])
            if begun <= ended or latest <= times[i]:
                continue
            packed = self.ops[i].cost.packed
            table[times[i] % interval] -= packed
            times[i] = next(
                time for time in range(latest, times[i] - 1, -1) if not (table[time % interval] + packed) & TOO_MUCH
            )
            table[times[i] % interval] += packed

    def _carried_order_holds(self, interval: int, times: Sequence[int]) -> bool:
        """Whether a fixed register's uses and definitions of the next iteration come after this one's."""
        for name in self.fixed:
            facts = self._facts.get(name)
            if facts is None or not facts.defs:
                continue
            defs, uses = [times[i] for i in facts.defs], [times[i] for i in facts.uses]
            if uses and min(uses) + interval <= max(defs):
                return False
            if min(defs) + interval < max([*uses, max(defs) + 1]):
                return False
        return True

    def _allocate(self, interval: int, times: Sequence[int]) -> dict[str, tuple[int, ...]] | None:
        lives = []
        for name in self._temporaries:
            defs, uses = self._facts[name]
            first, last = min(times[i] for i in defs), max(times[i] for i in uses)
            if last - first > interval:
                return None
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
                return None
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
        after = [row for stage in range(stages - 1) for row in packets(stage + 1, stages - 1) if row]
        entry = interval
        while before and entry and before[-1][entry - 1] == body[entry - 1]:
            entry -= 1
        before = [*before[:-1], before[-1][:entry]] if before else []
        return Loop(interval, stages, [row for rows in before for row in rows if row], body, after, entry % interval)


def best(scheduler: Scheduler, plans: Sequence[Plan], slack: int) -> Loop:
    """The shortest loop that any of the plans gives, up to `slack` packets above the bound."""
    for interval in range(scheduler.bound(), scheduler.bound() + slack + 1):
        for plan in plans:
            loop = scheduler.schedule(interval, plan)
            if loop:
                return loop
    raise RuntimeError(f"no schedule within {slack} packets of {scheduler.bound()}")
