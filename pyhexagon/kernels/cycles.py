# SPDX-License-Identifier: MIT
"""Modelled cycles: the stalls of a DSP's vector pipeline for the packets that really ran.

QEMU logs the disassembly of the code it translates, and the order in which translated blocks run (its log options
in_asm and exec). So every packet of every thread is known in its order, by function, and a model can be applied:

- A packet takes a cycle.
- A packet stalls one cycle if a vector that it needs *early* was written by the previous packet of the same thread,
  vector loads included. The sources of multiplies, shifts and permutes are needed early; the sources of adders, logic
  and stores, and accumulators are not. LLVM's itineraries and Qualcomm's HVX reference agree on this.

The model leaves out memory (every access hits), latencies of the scalar unit, threads that share vector units, and DMA.
No board has confirmed it. It is a lower bound for a thread that runs alone, and shows what instruction scheduling can
change.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from pyhexagon.kernels.macs import macs

_INSTRUCTION: Final = re.compile(r"^0x([0-9a-f]{8}):  0x([0-9a-f]{8})\t(.*)$")
_PACKET_END: Final = re.compile(r"\}\s*(?::endloop\d+)?\s*$")  # :endloop0, :endloop1 or :endloop01 ends a hardware loop
_RUN: Final = re.compile(r"^(Trace|Stopped execution of TB chain before) (\d+)?.*\[[0-9a-f]+/([0-9a-f]+)/")
_VECTOR: Final = re.compile(r"\bv(\d+)(?::(\d+))?")
_ASSIGNMENT: Final = re.compile(r"^(.*?)\s*(\+=|-=|\|=|&=|\^=|=(?!=))\s*(.*)$")
_EARLY: Final = re.compile(
    r"\bv(?:r?mpy|dmpy|tmpy|mpa|r?sad"  # multiply
    r"|asr|asl|lsr|rol|round|cl0|normamt|popcount"  # shift
    r"|shuff|deal|lut|pack|unpack|l?align|r?delta|ror)"  # permute
)
_LINKED: Final = re.compile(r"^\s*([0-9a-f]+)\s+[0-9a-f]+\s+[0-9a-f]+\s+\d+\s+(\S.*)$")  # address, section or symbol
_SECTION: Final = re.compile(r"\(\.text\.([^)]+)\)$")
_UNIQUE: Final = 24  # so many consecutive words of code are assumed to be unique


class Cost(NamedTuple):
    """Packets, and the stall cycles that the model adds."""

    packets: int
    stalls: int

    @property
    def cycles(self) -> int:
        return self.packets + self.stalls


def costs_of(functions: Mapping[str, Cost]) -> list[dict[str, Any]] | None:
    """Return the costs in the form of records; None if nothing was modelled."""
    found = [{"name": name, "packets": cost.packets, "cycles": cost.cycles} for name, cost in functions.items()]
    return found or None


class PacketVectors(NamedTuple):
    """A packet's vector registers: those needed early, and those written."""

    early: frozenset[int]
    written: frozenset[int]


def packet(instructions: Sequence[str]) -> PacketVectors:
    """Return the registers that a packet needs early and those that it writes, from QEMU's disassembly."""
    early: set[int] = set()
    written: set[int] = set()
    for instruction in instructions:
        text = instruction.lower()
        parts = _ASSIGNMENT.match(text.rpartition(") ")[2] if text.startswith("if ") else text)
        if parts is None:  # vshuff(Vy,Vx,Rt) and vdeal: both are read and written
            if _EARLY.match(text):
                early |= _registers(text)
                written |= _registers(text)
            continue
        target, _, source = parts.groups()
        if _EARLY.match(source):
            early |= _registers(source)
        if target.startswith("v") and not target.startswith("vmem") and not target.endswith(".tmp"):
            written |= _registers(target)
    return PacketVectors(frozenset(early), frozenset(written))


def stalls(packets: Sequence[PacketVectors]) -> int:
    """Return the stall cycles of packets that run one after the other."""
    return sum(bool(a.written & b.early) for a, b in pairwise(packets))


def _registers(text: str) -> set[int]:
    found = set()
    for first, second in _VECTOR.findall(text):
        found.add(int(first))
        if second:
            found.add(int(second))
    return found


class _Block(NamedTuple):
    """A translated block: packets that QEMU runs without interruption."""

    n_packets: int
    stalls: int
    first: PacketVectors
    last: PacketVectors
    code: Sequence[tuple[int, str, bool]]  # address, instruction, and whether it waits for the packet before

    @property
    def macs(self) -> int:
        return sum(macs(text) for _, text, _ in self.code)


class Loop(NamedTuple):
    """The code that took most packets.

    Attributes:
        packets: that it took.
        lines: address, instruction, and whether its packet waits for the one before.
    """

    packets: int
    lines: Sequence[tuple[int, str, bool]]


class Log:
    """Reads QEMU's log incrementally, and adds up the costs.

    Args:
        path: of the log.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self._rest = ""
        self._blocks: dict[int, _Block] = {}
        self._words: dict[int, int] = {}  # words of code, by address
        self._listing: list[tuple[int, str]] = []
        self._last: dict[str, PacketVectors | None] = {}  # the last packet of each thread
        self._costs: dict[int, list[int]] = {}

    def hottest(self, costs: Mapping[int, Cost], begin: int, end: int) -> Loop | None:
        """Return the block of code between two addresses that took most packets; None if none of it ran."""
        found = [(cost.packets, at) for at, cost in costs.items() if begin <= at < end and at in self._blocks]
        if not found:
            return None
        packets, at = max(found)
        return Loop(packets, self._blocks[at].code)

    def macs(self, costs: Mapping[int, Cost]) -> int:
        """Return the multiplications of blocks that ran."""
        found = ((self._blocks[at], cost) for at, cost in costs.items() if at in self._blocks)
        return sum(cost.packets // block.n_packets * block.macs for block, cost in found)

    @property
    def words(self) -> dict[int, int]:
        """The translated code: words by address."""
        return self._words

    def costs(self) -> dict[int, Cost]:
        """Return the cost of everything that ran since the last call, by block address."""
        with self._path.open(encoding="ascii", errors="replace") as file:
            file.seek(self._read)
            while text := file.read(1 << 22):
                self._take(text)
            self._read = file.tell()
        found, self._costs = self._costs, {}
        return {address: Cost(*cost) for address, cost in found.items()}

    def _take(self, text: str) -> None:
        lines = (self._rest + text).split("\n")
        self._rest = lines.pop()
        for line in lines:
            if line.startswith("0x"):
                if match := _INSTRUCTION.match(line):
                    self._words[int(match[1], 16)] = int(match[2], 16)
                    self._listing.append((int(match[1], 16), match[3]))
            elif line.startswith("IN:"):
                self._listing = []
            elif match := _RUN.match(line):
                self._translated()
                self._ran(match[2] or "0", int(match[3], 16), 1 if match[1] == "Trace" else -1)

    def _translated(self) -> None:
        """Finish a disassembly listing."""
        if not self._listing:
            return
        packets, instructions, code = [], list[str](), list[tuple[int, str, bool]]()
        waits, first = False, 0
        for at, text in self._listing:
            end = _PACKET_END.search(text)
            instructions.append(text[: end.start() if end else None].strip().removeprefix("{").strip())
            code.append((at, text, False))
            if end:
                packets.append(packet(instructions))
                waits = len(packets) > 1 and bool(packets[-2].written & packets[-1].early)
                code[first] = (*code[first][:2], waits)
                first, instructions = len(code), []
        start = self._listing[0][0]
        if packets:
            self._blocks[start] = _Block(len(packets), stalls(packets), packets[0], packets[-1], code)
        self._listing = []

    def _ran(self, thread: str, address: int, sign: int) -> None:
        block = self._blocks.get(address)
        if block is None:
            self._last[thread] = None
            return
        last = self._last.get(thread)
        waits = block.stalls + (last is not None and bool(last.written & block.first.early))
        self._last[thread] = block.last
        cost = self._costs.setdefault(address, [0, 0])
        cost[0] += sign * block.n_packets
        cost[1] += sign * waits


class Functions:
    """The addresses of a skel's functions in a DSP process.

    Args:
        skel: the file. The linker's map lies beside it in a build tree; without a map, all code is one function.
        words: the code of the process.
    """

    def __init__(self, skel: Path, words: dict[int, int]) -> None:
        self._begin, self._end = place(skel.read_bytes(), words)
        listing = _map_of(skel)
        functions = sorted(_linked(listing)) if listing else [(0, skel.name)]
        self._starts = [self._begin + start for start, _ in functions]
        self._names = [name for _, name in functions]

    def name(self, address: int) -> str | None:
        """Return the function at an address; None outside the skel."""
        if not self._begin <= address < self._end:
            return None
        return self._names[max(0, bisect_right(self._starts, address) - 1)]


def _map_of(skel: Path) -> Path | None:
    """Return the linker's map; for an installed skel, from the build tree of the checkout."""
    image = skel.read_bytes()
    trees = Path(__file__).resolve().parents[2].glob(f"build/*/{skel.parent.name}/{skel.name}")
    for path in (skel, *trees):
        listing = path.with_name(path.name + ".map")
        if listing.exists() and path.read_bytes() == image:
            return listing
    return None


def _linked(listing: Path) -> Iterator[tuple[int, str]]:
    """Yield addresses and names of functions from a map written by lld."""
    for line in listing.read_text(encoding="utf-8").splitlines():
        if match := _LINKED.match(line):
            section = _SECTION.search(match[2])
            if section or re.fullmatch(r"[A-Za-z_]\w*", match[2]):
                yield int(match[1], 16), section[1] if section else match[2]


def place(image: bytes, words: dict[int, int], unique: int = _UNIQUE) -> tuple[int, int]:
    """Find the load range of an image whose first segment begins with its first byte; (0, 0) if none of it ran."""
    run: list[int] = []
    for address in sorted(words):
        run = [*run, address] if run and address == run[-1] + 4 else [address]
        if len(run) == unique:
            text = b"".join(words[at].to_bytes(4, "little") for at in run)
            at = image.find(text)
            if at >= 0 and image.find(text, at + 1) < 0:
                return run[0] - at, run[0] - at + len(image)
            run = []
    return 0, 0


class QemuLogs:
    """Within its ``with`` statement, newly started DSP processes log their execution, which slows them down."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pyhexagon-cycles-"))
        self._logs: dict[Path, Log] = {}
        self._before: dict[str, str | None] = {}

    def __enter__(self) -> QemuLogs:
        settings = {"QEMU_LOG": "in_asm,exec,nochain", "QEMU_LOG_FILENAME": str(self.folder / "%d.log")}
        self._before = {name: os.environ.get(name) for name in settings}
        os.environ.update(settings)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for name, value in self._before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        shutil.rmtree(self.folder, ignore_errors=True)

    def hottest(self, image: bytes) -> tuple[Cost, int, Loop | None, int]:
        """Return the cost of a small file since the last call, its MACs, its hottest code, and where it is loaded."""
        for path in sorted(self.folder.iterdir()):
            log = self._logs.setdefault(path, Log(path))
            costs = log.costs()
            begin, end = place(image, log.words, _UNIQUE // 3)
            of_image = {at: cost for at, cost in costs.items() if begin <= at < end}
            if of_image:
                each = of_image.values()
                total = Cost(sum(cost.packets for cost in each), sum(cost.stalls for cost in each))
                return total, log.macs(of_image), log.hottest(costs, begin, end), begin
        return Cost(0, 0), 0, None, 0

    def costs(self, skel: Path) -> dict[str, Cost]:
        """Return the cost of a skel since the last call by function, most expensive first."""
        sums: dict[str, Cost] = {}
        for path in sorted(self.folder.iterdir()):
            log = self._logs.setdefault(path, Log(path))
            costs = log.costs()
            functions = Functions(skel, log.words)
            for address, cost in costs.items():
                if name := functions.name(address):
                    before = sums.get(name, Cost(0, 0))
                    sums[name] = Cost(before.packets + cost.packets, before.stalls + cost.stalls)
        return dict(sorted(sums.items(), key=lambda item: -item[1].cycles))
