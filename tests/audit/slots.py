# SPDX-License-Identifier: MIT
"""Finds packets whose instructions do not fit the four slots of a v68 DSP, by their encodings alone.

A packet's instructions are encoded from slot 3 down to slot 0, each in a slot that its class may issue from:

| class | slots |
|---|---|
| loads, stores | 0, 1; those of new values, memory operations, locks and frames 0 |
| 32-bit ALU; HVX, but for products | 0 to 3 |
| shifts, products and 64-bit ALU; products of HVX | 2, 3 |
| control registers, hardware loops, jumps on a register's value | 3; logic of predicates 2, 3 |
| jumps to a label, predicated or not, and comparisons with a jump | 0 to 3 |
| calls of a label; jumps and calls through a register | 2, 3; 2 |

Up to V60 jumps were confined to slots 2 and 3, as the slot table of those versions' manuals says. Since V62 they issue
from any slot: so LLVM's itineraries for V62 to V68 have it (generated from Qualcomm's description of the processor),
and the classes in QEMU's target/hexagon/imported/iclass.def, which are Qualcomm's: J and CJ are 0123. The assembler
follows the version that it assembles for (test_slots.py), so a packet that is illegal on v68 cannot be built.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from elf32 import Elf32
from hvx_float import Opcode

PARSE_BITS: Final = 0xC000
PACKET_END: Final = 0xC000
DUPLEX: Final = 0

Slots = tuple[int, ...]
Products = dict[int, frozenset[int]]
ANY: Final[Slots] = (3, 2, 1, 0)
HIGH: Final[Slots] = (3, 2)
LOW: Final[Slots] = (1, 0)

_HVX_ARITHMETIC: Final = 0b0001_1  # bits 31:27
_HVX_MEMORY: Final = 0b0010_1
_CALLS: Final = (0x5A, 0x5B, 0x5D)  # bits 31:24
_PREDICATE_LOGIC: Final = 0x6B
_TO_A_LABEL: Final = (0x58, 0x59, 0x5C)
_SET_AND_JUMP: Final = (0x16, 0x17)


def by_mask(opcodes: Iterable[Opcode]) -> Products:
    """The fixed bits of opcodes by their masks, so that a word is looked up once for each mask."""
    opcodes = list(opcodes)
    return {mask: frozenset(one.match for one in opcodes if one.mask == mask) for mask in {one.mask for one in opcodes}}


def packets(code: bytes, address: int) -> Iterator[tuple[int, list[int]]]:
    """(address, words) of each packet of a section."""
    start, words = address, list[int]()
    for at, (word,) in enumerate(struct.iter_unpack("<I", code)):
        words.append(word)
        if word & PARSE_BITS in (PACKET_END, DUPLEX):
            yield start, words
            start, words = address + 4 * at + 4, []


def is_jump(word: int) -> bool:
    """Whether a word jumps to a label, which no call does: by itself, or after a comparison."""
    return word & PARSE_BITS != DUPLEX and (
        word >> 24 in _TO_A_LABEL or (word >> 27 == 0b0001_0 and word >> 24 not in _SET_AND_JUMP)
    )


def slots(word: int, products: Products) -> Slots:
    """The slots that an instruction may issue from, the highest first; none for an extender of a constant.

    Args:
        products: the instructions of HVX that multiply.
    """
    kind = word >> 28
    if word & PARSE_BITS == DUPLEX:
        return (1,)  # and slot 0, for its second half
    if kind == 0:
        return ()
    if word >> 27 == _HVX_ARITHMETIC:
        return HIGH if any(word & mask in matches for mask, matches in products.items()) else ANY
    if word >> 27 == _HVX_MEMORY:
        return LOW
    if is_jump(word):
        return ANY
    if kind == 1 or word >> 24 in _CALLS:
        return HIGH
    if kind == 5:
        return (2,)
    if kind == 6:
        return HIGH if word >> 24 == _PREDICATE_LOGIC else (3,)
    return {2: (0,), 3: LOW, 4: LOW, 7: ANY, 9: LOW, 10: LOW, 11: ANY, 15: ANY}.get(kind, HIGH)


def fits(each: Sequence[Slots]) -> bool:
    """Whether instructions, in the order in which they are encoded, find slots from 3 down to 0."""
    free = 4
    for allowed in filter(None, each):
        free = next((slot for slot in allowed if slot < free), -1)
        if free < 0:
            return False
    return True


def packet_fits(words: Sequence[int], products: Products, jump: Slots = ANY) -> bool:
    """Whether the words of a packet find slots.

    Args:
        jump: the slots that jumps to labels may issue from.
    """
    each = [jump if is_jump(word) else slots(word, products) for word in words]
    return fits([*each, (0,)] if words[-1] & PARSE_BITS == DUPLEX else each)


def problems(elf: Elf32, products: Products, jump: Slots = ANY) -> list[int]:
    """The addresses of packets that do not fit the slots; `jump` as in ``packet_fits``."""
    return [
        address
        for section in elf.code
        for address, words in packets(section.data, section.address)
        if not packet_fits(words, products, jump)
    ]
