# SPDX-License-Identifier: MIT
"""The detector of HVX floating point sees every such instruction of v68 and nothing else."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import hvx_float
import pytest
from elf32 import Elf32

FLOATS = list(filter(hvx_float.is_float, hvx_float.hvx_syntaxes()))


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int | None]:
    """One instance of each float instruction, with some register other than 0."""
    rng = random.Random(68)
    lines = [rng.choice(list(hvx_float.instances(syntax))) for syntax in FLOATS]
    return dict(zip(FLOATS, hvx_float.assemble(lines, tmp_path_factory.mktemp("planted")), strict=True))


@pytest.fixture(scope="session")
def float_opcodes(tmp_path_factory: pytest.TempPathFactory) -> list[hvx_float.Opcode]:
    return hvx_float.derive_floats(tmp_path_factory.mktemp("float"))


def test_every_instruction_is_known(float_opcodes: list[hvx_float.Opcode]) -> None:
    """LLVM 19 and 22 know 67; a header that cannot be read any more would give fewer."""
    assert [opcode.syntax for opcode in float_opcodes] == FLOATS
    assert len(FLOATS) >= 67
    assert {opcode.match >> 27 for opcode in float_opcodes} == {hvx_float.HVX_ARITHMETIC}


def test_no_integer_instruction_can_be_taken_for_one(float_opcodes: list[hvx_float.Opcode], tmp_path: Path) -> None:
    integers = hvx_float.derive((s for s in hvx_float.hvx_syntaxes() if not hvx_float.is_float(s)), tmp_path)
    assert len(integers) > 380
    assert [(a.syntax, b.syntax) for a in float_opcodes for b in integers if a.overlaps(b)] == []


def test_planted_instructions_are_found(
    planted: dict[str, int | None], skel_v68_path: Path, float_opcodes: list[hvx_float.Opcode]
) -> None:
    """Each at a place of its own: inside a packet, at the end of a loop's, at the end."""
    image = bytearray(Path(skel_v68_path).read_bytes())
    section = Elf32(bytes(image)).code[0]
    rng = random.Random(68)
    places = sorted(4 * place for place in rng.sample(range(len(section.data) // 4), len(FLOATS)))
    expected = []
    for at, syntax in zip(places, FLOATS, strict=True):
        word, parse_bits = planted[syntax], rng.choice((0x4000, 0x8000, 0xC000))
        assert word is not None
        struct.pack_into("<I", image, section.offset + at, word & ~hvx_float.PARSE_BITS | parse_bits)
        expected.append((section.address + at, syntax))
    assert hvx_float.float_instructions(Elf32(bytes(image)), float_opcodes) == expected
