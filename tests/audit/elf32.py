# SPDX-License-Identifier: MIT
"""A 32-bit little-endian ELF file as a loader sees it, and its executable sections; no more than the audits ask for.

Everything but the sections comes from the program headers and the dynamic table: that is all the board's loader reads.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

PT_NULL, PT_LOAD, PT_DYNAMIC = 0, 1, 2
PF_X, PF_W, PF_R = 1, 2, 4
SHF_ALLOC, SHF_EXECINSTR = 2, 4
SHT_NOBITS = 8
SHN_UNDEF = 0
STB_WEAK = 2

DT_PLTRELSZ, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_RELAENT = 2, 4, 5, 6, 7, 8, 9
DT_SYMENT, DT_SONAME, DT_SYMBOLIC, DT_PLTREL, DT_JMPREL = 11, 14, 16, 20, 23

_SYMBOL = struct.Struct("<IIIBBH")
_RELA = struct.Struct("<IIi")


@dataclass(frozen=True)
class Segment:
    """A program header."""

    kind: int
    offset: int
    address: int
    file_size: int
    memory_size: int
    flags: int
    alignment: int


@dataclass(frozen=True)
class Section:
    """A section header and its bytes."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Symbol:
    """A dynamic symbol."""

    name: str
    value: int
    binding: int
    section: int

    @property
    def undefined(self) -> bool:
        return self.section == SHN_UNDEF

    @property
    def weak(self) -> bool:
        return self.binding == STB_WEAK


@dataclass(frozen=True)
class Relocation:
    """An entry of DT_RELA or DT_JMPREL."""

    address: int
    kind: int


class Elf32:
    """The parsed file. Raises ValueError or struct.error for other files and for tables outside the file."""

    type: int
    machine: int
    flags: int
    program_headers_offset: int
    n_program_headers: int

    def __init__(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x01\x01":
            raise ValueError("not a 32-bit little-endian ELF file")
        self.data = data
        self.type, self.machine = struct.unpack_from("<HH", data, 16)
        self.program_headers_offset, self._section_headers_offset, self.flags = struct.unpack_from("<III", data, 28)
        self.n_program_headers, _, self._n_sections, self._names_index = struct.unpack_from("<HHHH", data, 44)
        self.segments = [self._segment(self.program_headers_offset + 32 * i) for i in range(self.n_program_headers)]
        self.dynamic = self._dynamic()

    @classmethod
    def read(cls, path: Path) -> Elf32:
        return cls(path.read_bytes())

    def _segment(self, at: int) -> Segment:
        kind, offset, address, _, file_size, memory_size, flags, alignment = struct.unpack_from("<8I", self.data, at)
        return Segment(kind, offset, address, file_size, memory_size, flags, alignment)

    def _dynamic(self) -> list[tuple[int, int]]:
        """(tag, value) in order, up to DT_NULL."""
        entries = []
        for segment in self.segments:
            if segment.kind == PT_DYNAMIC:
                for tag, value in struct.iter_unpack("<II", self.data[segment.offset :][: segment.file_size]):
                    if tag == 0:
                        break
                    entries.append((tag, value))
        return entries

    def tag(self, tag: int) -> int | None:
        """The value of a dynamic tag; ValueError when it is there twice."""
        values = [value for key, value in self.dynamic if key == tag]
        if len(values) > 1:
            raise ValueError(f"dynamic tag {tag:#x} is there {len(values)} times")
        return values[0] if values else None

    def required_tag(self, tag: int) -> int:
        value = self.tag(tag)
        if value is None:
            raise ValueError(f"dynamic tag {tag:#x} is missing")
        return value

    def file_offset(self, address: int) -> int:
        """Return the place of a loaded address in the file."""
        for segment in self.segments:
            if segment.kind == PT_LOAD and 0 <= address - segment.address < segment.file_size:
                return address - segment.address + segment.offset
        raise ValueError(f"address {address:#x} is in no loaded segment's file part")

    def string(self, offset: int) -> str:
        """A string of the dynamic string table."""
        start = self.file_offset(self.required_tag(DT_STRTAB)) + offset
        return self.data[start : self.data.index(0, start)].decode("ascii")

    @property
    def hash_counts(self) -> tuple[int, int]:
        """Buckets and chain entries of the sysv hash table."""
        n_buckets, n_chain = struct.unpack_from("<II", self.data, self.file_offset(self.required_tag(DT_HASH)))
        return n_buckets, n_chain

    @property
    def symbols(self) -> list[Symbol]:
        """The dynamic symbols without the null one; the hash table says how many there are."""
        table = self.file_offset(self.required_tag(DT_SYMTAB))
        found = []
        for i in range(1, self.hash_counts[1]):
            name, value, _, info, _, section = _SYMBOL.unpack_from(self.data, table + _SYMBOL.size * i)
            found.append(Symbol(self.string(name), value, info >> 4, section))
        return found

    @property
    def exports(self) -> set[str]:
        return {symbol.name for symbol in self.symbols if not symbol.undefined}

    @property
    def imports(self) -> list[Symbol]:
        return [symbol for symbol in self.symbols if symbol.undefined]

    @property
    def relocations(self) -> list[Relocation]:
        found = []
        for table, size in ((DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)):
            address, n_bytes = self.tag(table), self.tag(size)
            if address is not None and n_bytes:
                start = self.file_offset(address)
                for target, info, _ in _RELA.iter_unpack(self.data[start : start + n_bytes]):
                    found.append(Relocation(target, info & 0xFF))
        return found

    @property
    def sections(self) -> list[Section]:
        """The sections; empty when the file carries no section headers."""
        raw = [
            struct.unpack_from("<6I", self.data, self._section_headers_offset + 40 * i) for i in range(self._n_sections)
        ]
        if not raw:
            return []
        names = self.data[raw[self._names_index][4] :]
        return [
            Section(
                names[name : names.index(0, name)].decode("ascii"),
                kind,
                flags,
                address,
                offset,
                b"" if kind == SHT_NOBITS else self.data[offset : offset + size],
            )
            for name, kind, flags, address, offset, size in raw
        ]

    @property
    def code(self) -> list[Section]:
        """The sections of instructions; ValueError when there are none to be told from data."""
        found = [section for section in self.sections if section.flags & SHF_EXECINSTR]
        if not found:
            raise ValueError("no executable section: instructions and constants cannot be told apart")
        return found
