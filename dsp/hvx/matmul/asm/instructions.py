# SPDX-License-Identifier: MIT
"""Instructions of an HVX loop, and what each takes of a v68 packet.

A packet holds four instructions. Two may access memory, one of these two may load or store a vector. Multiplies and
splats fit only two of the four slots. Of the four vector pipes two multiply, one shifts and one permutes. A 16-bit
multiply takes both multipliers, logic and additions take any pipe, and a load takes a pipe unless it is a `.tmp`
load. Logic and additions of pairs take both multiplying pipes or both other pipes. The assembler knows the CPU and
checks all of these rules.

A vector that an instruction multiplies, shifts or permutes ("early") must not be written by the packet just before:
that packet would stall for a cycle. pyhexagon/kernels/cycles.py has the same rule and counts the stalls of the whole
skel.

An operand is a name, which the scheduler replaces by a register: "{x}" is a vector or a scalar, "{x.lo}" and "{x.hi}"
are the halves of a pair. Names that begin with "r" are scalars.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

EARLY: Final = re.compile(r"\bv(?:r?mpy|dmpy|asr|asl|lsr|round|shuff|lut)")  # mnemonics that read their sources early
EARLY_DISTANCE: Final = 2  # packets from the write of a vector to its early read
SCALAR_LOAD_DISTANCE: Final = 3  # packets from a scalar load to its use

FIELD: Final = 4  # bits of one resource in a packed Cost; its highest bit is set when a packet exceeds the limit


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
        return pack(self.vector())


def pack(amounts: Sequence[int]) -> int:
    return sum(amount << FIELD * i for i, amount in enumerate(amounts))


LIMITS = (4, 2, 2, 4, 1, 1, 1, 2, 1)
EMPTY: Final = pack([(1 << FIELD - 1) - 1 - limit for limit in LIMITS])  # a packet, packed
TOO_MUCH: Final = pack([1 << FIELD - 1 for _ in LIMITS])
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
        return {whole(name) for source in sources if EARLY.search(source) for name in re.findall(r"{([^}]+)}", source)}

    @property
    def loads_scalars(self) -> bool:
        return self.cost.memory > 0 and self.cost.vector_loads == 0 and len(self.defs) > 0


def whole(name: str) -> str:
    """Of a pair's half."""
    return name.partition(".")[0]
