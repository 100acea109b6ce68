# SPDX-License-Identifier: MIT
"""The shape audit finds what it looks for: each defect, edited into the skel, is named."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import audits
import pytest
from elf32 import DT_HASH, DT_PLTREL, DT_RELA, DT_SYMBOLIC, DT_SYMENT, PT_DYNAMIC, PT_LOAD, Elf32

DT_RELACOUNT, DT_PLTGOT, DT_GNU_HASH, DT_TEXTREL, DT_INIT_ARRAY = 0x6FFFFFF9, 3, 0x6FFFFEF5, 22, 25
COPY = 32


def _word(image: bytearray, at: int, value: int) -> None:
    struct.pack_into("<I", image, at, value)


def _segment(skel: Elf32, kind: int, nth: int, word: int) -> int:
    """Return the place of a word of the nth program header of a kind."""
    indices = [i for i, segment in enumerate(skel.segments) if segment.kind == kind]
    return skel.program_headers_offset + 32 * indices[nth] + 4 * word


def _tag(skel: Elf32, tag: int) -> int:
    """Return the place of a dynamic entry."""
    table = next(segment.offset for segment in skel.segments if segment.kind == PT_DYNAMIC)
    return table + 8 * [key for key, _ in skel.dynamic].index(tag)


def _hash(skel: Elf32) -> int:
    return skel.file_offset(skel.required_tag(DT_HASH))


def _relocation(skel: Elf32) -> int:
    return skel.file_offset(skel.required_tag(DT_RELA))


DEFECTS: dict[str, tuple[Callable[[bytearray, Elf32], None], str]] = {
    "another machine": (lambda image, _: struct.pack_into("<H", image, 18, 62), "machine 62"),
    "an executable": (lambda image, _: struct.pack_into("<H", image, 16, 2), "type 2"),
    "v73": (lambda image, _: _word(image, 36, 0x73), "architecture 0x73"),
    "a thread-local segment": (lambda image, skel: _word(image, _segment(skel, PT_DYNAMIC, 0, 0), 7), "kind 0x7"),
    "a writable text": (lambda image, skel: _word(image, _segment(skel, PT_LOAD, 0, 6), 7), "flags [7, 6]"),
    "an unaligned load": (lambda image, skel: _word(image, _segment(skel, PT_LOAD, 1, 7), 4), "not page aligned"),
    "overlapping loads": (lambda image, skel: _word(image, _segment(skel, PT_LOAD, 0, 5), 1 << 24), "overlap"),
    "no DT_SYMBOLIC": (lambda image, skel: _word(image, _tag(skel, DT_SYMBOLIC), DT_RELACOUNT), "0x10 is missing"),
    "DT_GNU_HASH": (lambda image, skel: _word(image, _tag(skel, DT_RELACOUNT), DT_GNU_HASH), "tag 0x6ffffef5"),
    "DT_TEXTREL": (lambda image, skel: _word(image, _tag(skel, DT_RELACOUNT), DT_TEXTREL), "tag 0x16"),
    "DT_INIT_ARRAY": (lambda image, skel: _word(image, _tag(skel, DT_PLTGOT), DT_INIT_ARRAY), "tag 0x19"),
    "ELF64 symbols": (lambda image, skel: _word(image, _tag(skel, DT_SYMENT) + 4, 24), "is 24, not 16"),
    "REL": (lambda image, skel: _word(image, _tag(skel, DT_PLTREL) + 4, 17), "is 17, not 7"),
    "an empty hash": (lambda image, skel: _word(image, _hash(skel), 0), "does not find the entry"),
    "COPY": (lambda image, skel: image.__setitem__(_relocation(skel) + 4, COPY), "type 32"),
    "an odd target": (lambda image, skel: image.__setitem__(_relocation(skel), 2), "not aligned"),
    "a target in the text": (lambda image, skel: _word(image, _relocation(skel), 0x1000), "outside the RW load"),
    "another name": (lambda image, _: image.__setitem__(image.index(b"libpyhex"), ord("L")), "SONAME"),
    "another entry": (lambda image, _: image.__setitem__(image.index(b"pyhexagon_skel_h"), ord("P")), "exports"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_defect_is_found(skel_v68_path: Path, defect: str) -> None:
    change, complaint = DEFECTS[defect]
    image = bytearray(Path(skel_v68_path).read_bytes())
    change(image, Elf32(bytes(image)))
    assert complaint in "; ".join(audits.shape_problems(Elf32(bytes(image))))
