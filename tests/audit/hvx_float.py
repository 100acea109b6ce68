# SPDX-License-Identifier: MIT
"""Finds HVX floating-point instructions in Hexagon code without a disassembler.

No QEMU executes them, so one in the skel would ship untested. The detector is derived from the toolchain itself:

1. clang's hvx_hexagon_protos.h states the assembly syntax of every HVX instruction. A floating-point one names
   a float type (qf16, qf32, sf, hf, bf, f8), and vfmv, which moves through the IEEE unit.
2. Each is assembled many times with the assembler for the skel's version of the DSP: every register field in turn with
   0 and with each of its bits set. The bits that never change, but for the two parse bits, are its opcode: a mask and a
   match.
3. A 32-bit word of code is such an instruction when (word & mask) == match.

Testing single words is sound. Hexagon instructions are 32-bit words; the parse bits (15:14) only say where a packet
ends, or, as 00, that the word is a duplex of two scalar instructions. A constant extender has the class (31:28) 0000.
HVX arithmetic has 0001 with bit 27 set, which no extender and no scalar instruction has. Constants and jump tables lie
in .rodata, which is in the same segment but not an executable section.

Checked once, by hand, against LLVM 19's disassembler: the 8,388,608 words of that class with every opcode and source
field (parse bits 11, destination a multiple of 4) hold 372,480 float instructions, and the two agree on each word.
"""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import ziglang  # type: ignore[import-untyped]
from elf32 import Elf32

ZIG_DIRECTORY = Path(ziglang.__file__).parent
ASSEMBLER = (str(ZIG_DIRECTORY / "zig"), "cc", "-target", "hexagon-freestanding-none")
CPU = "-mcpu=hexagonv{0}+hvxv{0}+hvx_length128b+hvx_qfloat+hvx_ieee_fp"
V68 = 68
PARSE_BITS = 0xC000
DUPLEX = 0
HVX_ARITHMETIC = 0b00011  # bits 31:27

_HEADER_ENTRY = re.compile(r"(?:#if __HVX_ARCH__ >= (\d+).*\n)?/\* =+\n *Assembly Syntax: +(\S.*)")
_FLOAT = re.compile(r"\.(?:qf16|qf32|sf|hf|bf|f8)\b|\bvfmv\b")
# A register (Vd32, a pair Vdd32, Qs4, Rt32, Mu2) or an immediate (#u3, #s4) of a syntax line.
_OPERAND = re.compile(
    r"\b(?P<file>[VQRM])(?P<letter>[a-z])(?P<pair>(?P=letter))?\d*\b|#(?P<sign>[us])(?P<bits>\d+)(?::\d)?"
)
_ERROR = re.compile(r"^\S*?:(\d+):\d+: error", re.MULTILINE)


@dataclass(frozen=True)
class Opcode:
    """The fixed bits of an instruction."""

    syntax: str
    mask: int
    match: int

    def is_in(self, word: int) -> bool:
        return word & self.mask == self.match and word & PARSE_BITS != DUPLEX

    def overlaps(self, other: Opcode) -> bool:
        """Whether some word is both."""
        return not (self.match ^ other.match) & self.mask & other.mask


def hvx_syntaxes(newest: int = V68) -> list[str]:
    """The syntax of each HVX instruction up to a version, as clang's header states it."""
    header = (ZIG_DIRECTORY / "lib/include/hvx_hexagon_protos.h").read_text(encoding="ascii")
    entries = _HEADER_ENTRY.findall(header)
    return list(dict.fromkeys(syntax.strip() for since, syntax in entries if int(since or 0) <= newest))


def is_float(syntax: str) -> bool:
    return _FLOAT.search(syntax) is not None


def assemble(lines: Iterable[str], directory: Path, version: int = V68) -> list[int | None]:
    """The word each one-instruction line becomes; None for a line that the assembler does not take."""
    lines = list(lines)
    source, target = directory / "lines.s", directory / "lines.o"
    kept = dict(enumerate(lines))
    while True:
        source.write_text("".join(f"{{ {line} }}\n" for line in kept.values()))
        done = subprocess.run(
            [*ASSEMBLER, CPU.format(version), "-c", str(source), "-o", str(target)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            break
        refused = {int(number) - 1 for number in _ERROR.findall(done.stderr)}
        if not refused:
            raise RuntimeError(f"zig cc: {done.stderr}")
        kept = {index: line for at, (index, line) in enumerate(kept.items()) if at not in refused}
    (code,) = Elf32.read(target).code
    words = [word for (word,) in struct.iter_unpack("<I", code.data)]
    if len(words) != len(kept):
        raise RuntimeError(f"{len(kept)} instructions became {len(words)} words")
    by_index = dict(zip(kept, words, strict=True))
    return [by_index.get(index) for index in range(len(lines))]


def _values(operand: re.Match[str]) -> list[str]:
    """Return values of an operand to encode: zero first, then each bit of its field."""
    if operand["sign"] == "u":
        return [f"#{value}" for value in (0, *(1 << bit for bit in range(int(operand["bits"]))))]
    if operand["sign"] == "s":
        return [f"#{value}" for value in (0, *(1 << bit for bit in range(int(operand["bits"]) - 1)), -1)]
    file, top = {"V": ("v", 5), "R": ("r", 5), "Q": ("q", 2), "M": ("m", 1)}[operand["file"]]
    numbers = [0, *(1 << bit for bit in range(top))]
    if operand["pair"]:
        even = [number & ~1 for number in numbers]
        swapped = [f"{file}0:1"] if file == "v" else []  # v0:1: the high register first, an odd number in the field
        return [f"{file}{number + 1}:{number}" for number in even] + swapped
    return [f"{file}{number}" for number in numbers]


def instances(syntax: str) -> Iterator[str]:
    """The syntax with all operands zero, then with each operand's other values."""
    operands = {found[0]: _values(found) for found in _OPERAND.finditer(syntax)}

    def written(chosen: Mapping[str, str]) -> str:
        return _OPERAND.sub(lambda found: chosen[found[0]], syntax)

    zero = {operand: values[0] for operand, values in operands.items()}
    yield written(zero)
    for operand, values in operands.items():
        for value in values[1:]:
            yield written({**zero, operand: value})


def derive(syntaxes: Iterable[str], directory: Path, version: int = V68) -> list[Opcode]:
    """The opcode of each syntax; none for an alias of several instructions (hi, lo), which the assembler refuses."""
    owners, lines = [], []
    for syntax in syntaxes:
        for line in instances(syntax):
            owners.append(syntax)
            lines.append(line)
    words: dict[str, list[int]] = {}
    for syntax, word in zip(owners, assemble(lines, directory, version), strict=True):
        if word is not None:
            words.setdefault(syntax, []).append(word)
    opcodes = []
    for syntax, encodings in words.items():
        varying = PARSE_BITS
        for word in encodings:
            varying |= word ^ encodings[0]
        mask = ~varying & 0xFFFFFFFF
        opcodes.append(Opcode(syntax, mask, encodings[0] & mask))
    return opcodes


def derive_floats(directory: Path, version: int = V68) -> list[Opcode]:
    """HVX floating point of a version of the DSP."""
    return derive(filter(is_float, hvx_syntaxes(version)), directory, version)


def float_instructions(elf: Elf32, opcodes: Iterable[Opcode]) -> list[tuple[int, str]]:
    """(address, syntax) of each HVX floating-point instruction in the executable sections."""
    opcodes = list(opcodes)
    found = []
    for section in elf.code:
        if len(section.data) % 4:
            raise ValueError(f"{section.name} is not a whole number of words")
        for at, (word,) in enumerate(struct.iter_unpack("<I", section.data)):
            if word >> 27 == HVX_ARITHMETIC:  # the rest is a hundred times more, and cannot match
                found += [(section.address + 4 * at, opcode.syntax) for opcode in opcodes if opcode.is_in(word)]
    return found
