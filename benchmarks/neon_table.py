# SPDX-License-Identifier: MIT
"""Write docs/tables/neon.csv: the instructions per 512 MACs of each matmul micro-kernel for arm64, counted under QEMU.

    .venv/bin/python -m benchmarks.neon_table    # one minute
    .venv/bin/python -m benchmarks.tables        # renders the table in docs/benchmarks.md

QEMU logs every instruction that it runs. The count of 8 groups of blocks is subtracted from that of 16, which leaves
neither start nor end. `vector` are the instructions that compute with vectors, `memory` loads and stores.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pyhexagon.fetch import qemu

ROOT: Final = Path(__file__).resolve().parents[1]
TABLE: Final = ROOT / "docs/tables/neon.csv"
LOOPS: Final = re.findall(r"loops\((\w+), PHX_", (ROOT / "dsp/cpu/matmul/loops.h").read_text(encoding="utf-8"))
KINDS: Final = ("instructions", "vector", "memory")
COLUMNS: Final = ("loop", "m", *KINDS)
ROWS: Final = (1, 4)
GROUPS: Final = (8, 16)
MACS: Final = 512
# As CMakeLists.txt compiles dsp/cpu.
OPTIONS: Final = (
    "-target", "aarch64-linux-musl", "-mcpu=generic+v8_2a+dotprod", "-std=gnu11", "-O2", "-g0", "-fwrapv",
    "-fno-strict-aliasing", "-Wno-psabi", "-DPHX_HVX=1", "-DPHX_CPU=1", f"-I{ROOT / 'dsp'}",
    f"-I{ROOT / 'dsp/cpu/hvx'}",
)  # fmt: skip
INSTRUCTION: Final = re.compile(r"^0x([0-9a-f]{8}):  [0-9a-f]{8}  (\S+)(.*)$", re.MULTILINE)
EXECUTED: Final = re.compile(r"^Trace 0: \S+ \[[0-9a-f]+/[0-9a-f]{8}([0-9a-f]{8})/", re.MULTILINE)
VECTOR: Final = re.compile(r"\b[vqds]\d+\b")


def compiled(directory: Path) -> Path:
    """Return the program of neon_loops.c. subprocess.CalledProcessError: it does not compile."""
    program = directory / "neon_loops"
    sources = (ROOT / "benchmarks/neon_loops.c", ROOT / "dsp/cpu/matmul/loops.c")
    subprocess.run([sys.executable, "-m", "ziglang", "cc", *OPTIONS, *sources, "-o", program], check=True)
    return program


def counted(program: Path, loop: str, m: int) -> dict[str, float]:
    """Return the instructions of a loop over m rows per 512 MACs, by kind."""
    (less, before), (more, after) = (_run(program, loop, m, n_groups) for n_groups in GROUPS)
    return {kind: (after[kind] - before[kind]) * MACS / (more - less) for kind in KINDS}


def _run(program: Path, *arguments: str | int) -> tuple[int, Counter[str]]:
    """Return the MACs and the instructions of a run."""
    log = program.with_name("log")
    options = ("-one-insn-per-tb", "-d", "in_asm,exec,nochain", "-D", str(log))
    command = [str(qemu.find("aarch64")), *options, str(program), *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    text = log.read_text(encoding="utf-8")
    kinds = {at: _kind(name, operands) for at, name, operands in INSTRUCTION.findall(text)}
    addresses = EXECUTED.findall(text)
    return int(done.stdout), Counter(kinds[at] for at in addresses) + Counter(instructions=len(addresses))


def _kind(name: str, operands: str) -> str:
    if name.startswith(("ld", "st")):
        return "memory"
    return "vector" if VECTOR.search(operands) else "other"


def main() -> None:
    with TemporaryDirectory() as directory, TABLE.open("w", newline="", encoding="ascii") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        program = compiled(Path(directory))
        for loop in LOOPS:
            for m in ROWS:
                table.writerow([loop, m, *(f"{count:.1f}" for count in counted(program, loop, m).values())])


if __name__ == "__main__":
    main()
