# SPDX-License-Identifier: MIT
"""Write docs/tables/cpu.csv: matmuls of every weight type on the CPU beside llama.cpp's, one thread, in turns.

    npm install @node-llama-cpp/linux-x64                               # llama.cpp with one build per kind of CPU
    .venv/bin/python -m benchmarks.cpu_table                            # all types at the CPU's highest level
    PYHEXAGON_CPU=avx2 .venv/bin/python -m benchmarks.cpu_table Q4_0    # this type at a lower level
    .venv/bin/python -m benchmarks.tables                               # renders the table in docs/benchmarks.md

Figures are billions of MACs per second, the best of all runs, quantization of the activations included. The ratio
compares with the better of llama.cpp's kernels (ggml_matmul.py). Lines of other types and levels stay unchanged. Run it
on an idle machine; the column `load` has the load average, which the script itself raises to 1. The time of a run is
that of the clock or, where other work interrupts it, the CPU time of its process.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, cast

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from benchmarks import ggml_matmul
from pyhexagon import Device, Tensor, quants
from pyhexagon.bench import accuracy, blocks, matmul
from pyhexagon.process import locate
from pyhexagon.program.program import Program

TABLE: Final = Path(__file__).resolve().parents[1] / "docs/tables/cpu.csv"
N: Final = 4096
K: Final = 4096
ROWS: Final = (1, 8, 32, 512)
ROUNDS: Final = 3
COPIES_BYTES: Final = 50e6  # of all copies of a weight
SAME: Final = 1e-3  # normalised squared difference of the engines' products, at most
COLUMNS: Final = (
    "type", "m", "level", "gmac_per_second", "llama_cpp", "llama_cpp_kernels", "llama_cpp_levels", "llama_cpp_build",
    "ratio", "load",
)  # fmt: skip

Row = dict[str, object]


def measure(programs: list[Program], x: accuracy.F32) -> tuple[float, accuracy.F32]:
    """Return the least seconds of a matmul in a turn, and the product's first row."""
    least, end, at = float("inf"), time.perf_counter() + ggml_matmul.SECONDS, 0
    while at < 2 or time.perf_counter() < end:
        busy = time.process_time()
        (y,), report = programs[at % len(programs)].run_with_report(x)
        least = min(least, report.ops[0].nanoseconds / 1e9, time.process_time() - busy)
        at += 1
    return least, np.array(y)[0]


@contextmanager
def llama_cpp(name: str, n_copies: int) -> Iterator[tuple[dict[str, Any], Callable[[int], Any]]]:
    """Start llama.cpp's process; yield its build and vector extensions, and a function that measures M rows once."""
    command = [sys.executable, ggml_matmul.__file__, name, *map(str, (N, K, n_copies))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        requests, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)

        def turn(m: int) -> Any:
            requests.write(f"{m}\n".encode())
            requests.flush()
            return json.loads(answers.readline())

        try:
            line = answers.readline()
            if not line:
                raise RuntimeError("llama.cpp's process ended: its message is above")
            yield json.loads(line), turn
        finally:
            process.kill()


def compiled(device: Device, weights: list[Tensor], m: int) -> list[Program]:
    programs = []
    for weight in weights:
        with device.program() as p:
            p.output(p.matmul(p.input((m, K)), weight))
        programs.append(p.compile())
    return programs


def lines(dtype: GGMLQuantizationType, level: str) -> Iterator[Row]:
    """Yield the line of each number of rows. RuntimeError: the engines' products differ."""
    block, block_bytes = GGML_QUANT_SIZES[dtype]
    n_copies = max(2, round(COPIES_BYTES / (N * K // block * block_bytes)))
    raw = blocks.random_blocks(dtype, N, K, matmul.SEED)
    with Device("cpu", threads=1) as device, llama_cpp(dtype.name, n_copies) as (other, turn):
        weights = [device.pack(dtype, raw, (N, K)) for _ in range(n_copies)]
        for m in ROWS:
            x, programs = accuracy.normal(m, K, matmul.SEED), compiled(device, weights, m)
            ours, theirs = float("inf"), dict[str, float]()
            for _ in range(ROUNDS):
                seconds, row = measure(programs, x)
                ours, found = min(ours, seconds), turn(m)
                for kind, least in found["seconds"].items():
                    theirs[kind] = min(theirs.get(kind, least), least)
                    difference = accuracy.nmse(row, np.array(found["rows"][kind]))
                    if not difference < SAME:
                        raise RuntimeError(f"{dtype.name} M={m}: {kind} differs by {difference:.2e}")
            kind = min(theirs, key=lambda one: theirs[one])
            macs, levels = N * K * m / 1e9, "+".join(other["levels"])
            yield dict(zip(COLUMNS, (
                dtype.name, m, level, f"{macs / ours:.1f}", f"{macs / theirs[kind]:.1f}", kind, levels,
                other["build"], f"{theirs[kind] / ours:.2f}", f"{os.getloadavg()[0]:.1f}",
            ), strict=True))  # fmt: skip


def main(names: list[str]) -> None:
    level = locate.cpu_level()
    for dtype in [GGMLQuantizationType[name] for name in names] or quants.supported():
        table: list[Row] = []
        if TABLE.exists():
            with TABLE.open(encoding="ascii", newline="") as file:
                table += csv.DictReader(file)
        table = [row for row in table if (row["type"], row["level"]) != (dtype.name, level)]
        table += lines(dtype, level)
        table.sort(key=lambda row: (row["level"], int(GGMLQuantizationType[str(row["type"])]), int(str(row["m"]))))
        with TABLE.open("w", encoding="ascii", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
        print(dtype.name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
