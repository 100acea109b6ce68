# SPDX-License-Identifier: MIT
"""A modulo scheduler for HVX loops: packs instructions into v68 packets and overlaps the loop's iterations.

A compiler fills about three quarters of the packets of our inner loops and spills when several results are summed at
once. These loops are straight lines without branches, whose only limits are the packet's resources and 32 registers, so
a greedy placement in program order into a table of `interval` packets (iterations start `interval` packets apart) comes
within a few percent of the bound.

What a v68 packet takes (the assembler checks all of it, for it is told the CPU): four instructions; two of them memory
accesses, one of these a vector load; multiplies and splats only in two of the four slots; four vector pipes, of which
two multiply, one shifts and one permutes, while a 16-bit multiply takes both multipliers, logic and additions take any
pipe, and so does a load unless it is a `.tmp` one.

An operand is a name, replaced in the text by a register: "{x}" vector or scalar, "{x.lo}" and "{x.hi}" halves of a pair
of scalars. Names beginning with "r" are scalars. Names given in `fixed` keep their register across iterations.
"""

from __future__ import annotations

import heapq
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field


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

    def fits_with(self, used: list[int]) -> bool:
        return all(a + b <= limit for a, b, limit in zip(self.vector(), used, LIMITS, strict=True))

    def leaves_multiplies(self, used: list[int]) -> bool:
        """Whether two 8-bit multiplies still fit, or some are there."""
        slots, _, multipliers, pipes, *_ = used
        return multipliers > 0 or (slots + self.slots <= 2 and pipes + self.pipes <= 2)

    def vector(self) -> tuple[int, ...]:
        return (self.slots, self.high_slots, self.multipliers, self.pipes, self.shifts, self.permutes,
                self.vector_loads, self.memory)  # fmt: skip


LIMITS = (4, 2, 2, 4, 1, 1, 1, 2)

MULTIPLY_8 = Cost(high_slots=1, multipliers=1)
MULTIPLY_16 = Cost(high_slots=1, multipliers=2, pipes=2)
SHIFT = Cost(shifts=1)
PERMUTE = Cost(permutes=1)
LOGIC = Cost()
LOAD = Cost(vector_loads=1, memory=1)
STORE = Cost(memory=1)
LOAD_SCALAR = Cost(pipes=0, memory=1)
SCALAR = Cost(pipes=0)
PREDICATE = Cost(pipes=0, high_slots=1)


@dataclass
class Op:
    """Instructions of one packet. `stream` is a pointer they move: accesses through it stay in order."""

    texts: Sequence[str]
    defs: Sequence[str]
    uses: Sequence[str]
    cost: Cost
    stream: str = ""
    time: int = 0


@dataclass(frozen=True)
class Plan:
    """How operations are placed.

    Attributes:
        window: packets before the latest one in which operations may still go, which bounds the life of registers.
        reserve: how many packets an operation that does not multiply passes by because two multiplies would not fit
            there any more.
        seed: of an order of operations near the program's, with dependent ones as they are; 0 is the program's.
    """

    window: int
    reserve: int = 0
    seed: int = 0

    @staticmethod
    def of(seed: int) -> Plan:
        """One of endlessly many."""
        rng = random.Random(seed)
        return Plan(3 + int(8 * rng.random()), 1 + int(8 * rng.random()), seed)

    def order(self, ops: Sequence[Op]) -> list[Op]:
        """The operations as they are to be placed."""
        if not self.seed:
            return list(ops)
        rng = random.Random(self.seed)
        spread = 12 * rng.random()
        keys = [i + spread * rng.random() for i in range(len(ops))]
        before = _dependences(ops)
        after: list[list[int]] = [[] for _ in ops]
        for i, others in enumerate(before):
            for other in others:
                after[other].append(i)
        ready = [(keys[i], i) for i, others in enumerate(before) if not others]
        heapq.heapify(ready)
        ordered = []
        while ready:
            _, i = heapq.heappop(ready)
            ordered.append(ops[i])
            for other in after[i]:
                before[other].discard(i)
                if not before[other]:
                    heapq.heappush(ready, (keys[other], other))
        return ordered


def _dependences(ops: Sequence[Op]) -> list[set[int]]:
    """For each operation those that it must follow."""
    written: dict[str, int] = {}
    read: dict[str, set[int]] = {}
    moved: dict[str, int] = {}
    found = []
    for i, op in enumerate(ops):
        uses, defs = ([name.partition(".")[0] for name in names] for names in (op.uses, op.defs))
        before = {written[name] for name in (*uses, *defs) if name in written}
        before |= {other for name in defs for other in read.get(name, ())}
        if op.stream in moved:
            before.add(moved[op.stream])
        if op.stream:
            moved[op.stream] = i
        for name in uses:
            read.setdefault(name, set()).add(i)
        for name in defs:
            written[name], read[name] = i, set()
        found.append(before - {i})
    return found


@dataclass
class Loop:
    """A scheduled loop: packets before, of and after the steady state."""

    interval: int
    stages: int
    before: list[list[str]]
    body: list[list[str]]
    after: list[list[str]]


@dataclass
class _Facts:
    """Where a name is written and read within one iteration."""

    first_def: int | None = None
    last_def: int | None = None
    first_use: int | None = None
    last_use: int | None = None


@dataclass
class Scheduler:
    """Schedules `ops`, one iteration in program order.

    Attributes:
        fixed: registers that live across iterations, by name.
        vectors: numbers of the free vector registers.
        scalars: numbers of the free scalar registers.
        pairs: scalar names that take an even register and the next one.
    """

    ops: list[Op]
    fixed: dict[str, str]
    vectors: Sequence[int]
    scalars: Sequence[int]
    pairs: frozenset[str]
    facts: dict[str, _Facts] = field(default_factory=dict)

    def bound(self) -> int:
        """Packets that the resources alone demand."""
        totals = [sum(op.cost.vector()[i] for op in self.ops) for i in range(len(LIMITS))]
        return max(-(-total // limit) for total, limit in zip(totals, LIMITS, strict=True))

    def schedule(self, interval: int, plan: Plan) -> Loop | None:
        """None when the operations do not fit `interval`, or the registers do not suffice."""
        if not self._place(interval, plan) or not self._carried_order_holds(interval):
            return None
        registers = self._allocate(interval)
        return self._emit(interval, registers) if registers is not None else None

    def _place(self, interval: int, plan: Plan) -> bool:
        table = [[0] * len(LIMITS) for _ in range(interval)]
        streams: dict[str, tuple[int, int]] = {}
        latest = 0
        self.facts = {}
        for op in plan.order(self.ops):
            earliest = max(0, latest - plan.window)
            for name in op.uses:
                defined = self._of(name).last_def
                if defined is not None:
                    earliest = max(earliest, defined + 1)
            for name in op.defs:
                facts = self._of(name)
                if facts.last_def is not None:
                    earliest = max(earliest, facts.last_def + 1)
                if facts.last_use is not None:
                    earliest = max(earliest, facts.last_use)  # a packet reads before it writes
            if op.stream in streams:
                earliest = max(earliest, streams[op.stream][1] + 1)
            passing = 0 if op.cost.multipliers else plan.reserve
            times = [time for time in range(earliest, earliest + passing)
                     if op.cost.leaves_multiplies(table[time % interval])]  # fmt: skip
            for time in (*times, *range(earliest, earliest + interval)):
                if op.cost.fits_with(table[time % interval]):
                    break
            else:
                return False
            op.time = time
            latest = max(latest, time)
            used = table[time % interval]
            for i, amount in enumerate(op.cost.vector()):
                used[i] += amount
            if op.stream:
                streams[op.stream] = (streams.get(op.stream, (time, 0))[0], time)
            for name in op.uses:
                facts = self._of(name)
                facts.first_use = time if facts.first_use is None else min(facts.first_use, time)
                facts.last_use = time if facts.last_use is None else max(facts.last_use, time)
            for name in op.defs:
                facts = self._of(name)
                facts.first_def = time if facts.first_def is None else facts.first_def
                facts.last_def = time
        return all(last < first + interval for first, last in streams.values())

    def _of(self, name: str) -> _Facts:
        return self.facts.setdefault(name.partition(".")[0], _Facts())

    def _carried_order_holds(self, interval: int) -> bool:
        """Whether a fixed register's uses and definitions of the next iteration come after this one's."""
        for name in self.fixed:
            facts = self.facts.get(name)
            if facts is None or facts.first_def is None or facts.last_def is None:
                continue
            if facts.first_use is not None and facts.first_use + interval <= facts.last_def:
                return False
            if facts.first_def + interval < max(facts.last_use or 0, facts.last_def + 1):
                return False
        return True

    def _allocate(self, interval: int) -> dict[str, tuple[int, ...]] | None:
        busy: dict[tuple[str, int], set[int]] = {}
        chosen: dict[str, tuple[int, ...]] = {}
        temporaries = [(f.first_def or 0, name) for name, f in self.facts.items() if name not in self.fixed]
        for _, name in sorted(temporaries):
            facts = self.facts[name]
            if facts.first_def is None or facts.last_use is None:
                raise ValueError(f"{name} is read without being written, or the other way round")
            if facts.last_use - facts.first_def > interval:
                return None
            life = {time % interval for time in range(facts.first_def + 1, facts.last_use + 1)}
            kind = "r" if name.startswith("r") else "v"
            pool = self.scalars if kind == "r" else self.vectors
            choices = [(n,) for n in pool]
            if name in self.pairs:
                choices = [(n, n + 1) for n in pool if n % 2 == 0 and n + 1 in pool]  # type: ignore[misc]
            for choice in choices:
                if all(busy.get((kind, n), set()).isdisjoint(life) for n in choice):
                    break
            else:
                return None
            for n in choice:
                busy.setdefault((kind, n), set()).update(life)
            chosen[name] = choice
        return chosen

    def _emit(self, interval: int, registers: dict[str, tuple[int, ...]]) -> Loop:
        def register(match: re.Match[str]) -> str:
            name, _, half = match[1].partition(".")
            if match[1] in self.fixed:
                return self.fixed[match[1]]
            numbers = registers[name]
            kind = "r" if name.startswith("r") else "v"
            if len(numbers) == 2 and not half:
                return f"{kind}{numbers[1]}:{numbers[0]}"
            return f"{kind}{numbers[1 if half == 'hi' else 0]}"

        stages = max(op.time for op in self.ops) // interval + 1

        def packets(first_stage: int, last_stage: int) -> list[list[str]]:
            rows: list[list[str]] = [[] for _ in range(interval)]
            for op in self.ops:
                if first_stage <= op.time // interval <= last_stage:
                    rows[op.time % interval] += [re.sub(r"\{([^}]+)\}", register, text) for text in op.texts]
            return rows

        before = [row for stage in range(stages - 1) for row in packets(0, stage) if row]
        after = [row for stage in range(stages - 1) for row in packets(stage + 1, stages - 1) if row]
        return Loop(interval, stages, before, packets(0, stages - 1), after)


def best(scheduler: Scheduler, plans: Sequence[Plan], slack: int) -> Loop:
    """The shortest loop that any of the plans gives, up to `slack` packets above the bound."""
    for interval in range(scheduler.bound(), scheduler.bound() + slack + 1):
        for plan in plans:
            loop = scheduler.schedule(interval, plan)
            if loop:
                return loop
    raise RuntimeError(f"no schedule within {slack} packets of {scheduler.bound()}")
