# SPDX-License-Identifier: MIT
"""The lines of a kernel's source by address, from the line table (DWARF) that the compiler writes."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence

Table = Sequence[tuple[int, int]]  # address and line, by address

_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE = range(1, 5)
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2


def line_of(table: Table, address: int) -> int:
    """Return the line of an address; 0 if it is unknown."""
    at = bisect_right(table, (address, 1 << 31)) - 1
    return table[at][1] if at >= 0 else 0


def read(image: bytes) -> Table:
    """Return the line table of a linked file; empty without one, or if it cannot be read."""
    try:
        section = _section(image, ".debug_line")
        return sorted(set(_units(section, 8 if image[4] == 2 else 4)))
    except (struct.error, IndexError, ValueError):
        return []


def stripped(image: bytearray) -> bytes:
    """Return a linked file without its section headers and what only they refer to, debug information above all."""
    is_64 = image[4] == 2
    (table,) = struct.unpack_from("<Q" if is_64 else "<I", image, 32 if is_64 else 28)
    (n,) = struct.unpack_from("<H", image, 56 if is_64 else 44)
    end, step = 0, 56 if is_64 else 32
    for header in range(table, table + step * n, step):
        if is_64:
            kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", image, header)
        else:
            kind, offset, _, _, size = struct.unpack_from("<5I", image, header)
        if kind == 1:
            end = max(end, offset + size)
    struct.pack_into("<Q" if is_64 else "<I", image, 40 if is_64 else 32, 0)
    struct.pack_into("<2H", image, 60 if is_64 else 48, 0, 0)
    return bytes(image[:end])


def _section(image: bytes, wanted: str) -> bytes:
    is_64 = image[4] == 2
    (table,) = struct.unpack_from("<Q" if is_64 else "<I", image, 40 if is_64 else 32)
    _, n, names_at = struct.unpack_from("<3H", image, 58 if is_64 else 46)
    layout = struct.Struct("<II16xQQ" if is_64 else "<II8xII")
    step = 64 if is_64 else 40
    headers = [layout.unpack_from(image, table + i * step) for i in range(n)]
    names = headers[names_at][2]
    for name, _, offset, size in headers:
        start = names + name
        if image[start : image.index(b"\0", start)].decode() == wanted:
            return image[offset : offset + size]
    return b""


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, layout: str) -> int:
        (value,) = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return int(value)

    def leb(self, *, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value


def _units(section: bytes, address_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield the rows of the file 0 or 1 of each unit: the source itself, and none of its headers."""
    at = 0
    while at < len(section):
        (length,) = struct.unpack_from("<I", section, at)
        yield from _rows(section, at + 4, at + 4 + length, address_bytes)
        at += 4 + length


def _rows(section: bytes, at: int, end: int, address_bytes: int) -> Iterator[tuple[int, int]]:
    reader = _Reader(section, at)
    version = reader.take("<H")
    if version >= 5:
        reader.at += 2
    start = reader.take("<I") + reader.at
    shortest = reader.take("<B")
    reader.at += 2 if version >= 4 else 1  # operations per instruction, default is_stmt
    line_base, line_range, opcode_base = reader.take("<b"), reader.take("<B"), reader.take("<B")
    lengths = [0, *(reader.take("<B") for _ in range(opcode_base - 1))]
    own = (0, 1) if version >= 5 else (1,)
    reader.at = start
    address, line, file = 0, 1, 1
    while reader.at < end:
        opcode = reader.take("<B")
        if opcode >= opcode_base:
            step = opcode - opcode_base
            address += step // line_range * shortest
            line += line_base + step % line_range
            if file in own:
                yield address, line
        elif opcode == 0:
            size = reader.leb()
            after = reader.at + size
            kind = reader.take("<B")
            if kind == _SET_ADDRESS:
                address = reader.take("<Q" if address_bytes == 8 else "<I")
            elif kind == _END_SEQUENCE:
                address, line, file = 0, 1, 1
            reader.at = after
        elif opcode == _COPY:
            if file in own:
                yield address, line
        elif opcode == _ADVANCE_PC:
            address += reader.leb() * shortest
        elif opcode == _ADVANCE_LINE:
            line += reader.leb(signed=True)
        elif opcode == _SET_FILE:
            file = reader.leb()
        elif opcode == _CONST_ADD_PC:
            address += (255 - opcode_base) // line_range * shortest
        elif opcode == _FIXED_ADVANCE_PC:
            address += reader.take("<H")
        else:
            for _ in range(lengths[opcode]):
                reader.leb()
