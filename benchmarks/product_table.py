# SPDX-License-Identifier: MIT
"""Write docs/tables/products.csv: the cost of matmuls of every weight type, by shape, activation rows and threads.

    .venv/bin/python -m benchmarks.product_table              # of all types
    .venv/bin/python -m benchmarks.product_table Q4_0 Q8_0    # of these types; other lines stay unchanged

Costs of large matmuls are calculated, and their lines say so: a cost is linear in the weight's rows, once every thread
has more than one work unit, and in the activation rows, from 32 on, so two smaller matmuls determine it by linear
interpolation. Modelled stalls are measured with one thread and assumed to be the same with four. The column
`kernel_packets_before` does not change: the packets of the kernels alone, with one thread, on 22 November 2026.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon import Device, quants
from pyhexagon.bench import accuracy, blocks, matmul
from pyhexagon.kernels.cycles import QemuLogs

TABLE: Final = Path(__file__).resolve().parents[1] / "docs/tables/products.csv"
SHAPES: Final = ((2048, 512), (4096, 4096), (14336, 4096), (128256, 2048))
ROWS: Final = (1, 2, 3, 4, 5, 8, 13, 16, 32, 128, 512)
MEASURED_ROWS: Final = (1, 2, 3, 4, 5, 8, 13, 16, 32, 64)
THREADS: Final = (1, 4)
FEW_ROWS: Final = 3
"""Up to this number of activation rows a thread computes four tiles at a time."""
WHOLE: Final = {1: 32, 4: 1}
"""By number of threads, the largest number of activation rows for which 4096 x 4096 is measured directly."""
FLOATS: Final = ("F32", "F16", "BF16")
COSTS: Final = ("packets", "packets_max_thread", "cycles_model")
PATIENCE: Final = 3600.0
"""Timeout of a matmul in seconds; emulated threads are slow on a busy machine."""
BEFORE: Final = "kernel_packets_before"
COLUMNS: Final = (
    "type", "n", "k", "m", "threads", BEFORE, *COSTS, "dma_bytes", "weight_bytes", "gguf_bytes", "source",
)  # fmt: skip

Case = tuple[str, int, int, int, int]  # type, n, k, m, threads
Costs = dict[str, float]


def sizes(name: str, m: int, threads: int) -> tuple[int, int]:
    """Return two numbers of weight rows whose costs determine the cost of any other number."""
    if threads > 1 and m <= FEW_ROWS:
        return 2048, 4096
    return (512, 1024) if name in FLOATS else (256, 512)


def measured(name: str, threads: int) -> Iterable[tuple[int, int, int]]:
    """Return n, k, m of the cases to run."""
    cases = {(2048, 512, m) for m in MEASURED_ROWS}
    cases |= {(4096, 4096, m) for m in MEASURED_ROWS if m <= WHOLE[threads]}
    cases |= {(n, k, m) for k in (2048, 4096) for m in MEASURED_ROWS for n in sizes(name, m, threads)}
    return cases


def measure(name: str, threads: int) -> dict[Case, Costs]:
    found: dict[Case, Costs] = {}
    dtype = GGMLQuantizationType[name]
    with QemuLogs() if threads == 1 else nullcontext() as logs, Device("loopback:qemu", threads=threads) as device:
        skel = Path(device.info().skel)
        for (n, k), cases in groupby(sorted(measured(name, threads)), key=itemgetter(0, 1)):
            with device.pack(dtype, blocks.random_blocks(dtype, n, k, matmul.SEED), (n, k)) as weight:
                for *_, m in cases:
                    x = accuracy.normal(m, k, matmul.SEED)
                    with device.program() as p:
                        p.output(p.matmul(p.input(x.shape), weight))
                    program = p.compile()
                    program.run(x, timeout=PATIENCE)  # the first run allocates the DSP's memory
                    if logs:
                        logs.costs(skel)
                    _, report = program.run_with_report(x, timeout=PATIENCE)
                    stalls = sum(cost.stalls for cost in logs.costs(skel).values()) if logs else 0
                    (op,) = report.ops
                    found[name, n, k, m, threads] = {
                        "packets": float(op.packets or 0),
                        "packets_max_thread": float(op.packets_max_thread or 0),
                        "cycles_model": float((op.packets or 0) + stalls),
                        "dma_bytes": float(op.dma_bytes or 0),
                        "weight_bytes": float(quants.tile_bytes(dtype, n, k)),
                    }
    return found


def on_a_line(at: int, first: tuple[int, Costs], second: tuple[int, Costs]) -> Costs:
    (a, low), (b, high) = first, second
    return {cost: low[cost] + (high[cost] - low[cost]) * (at - a) / (b - a) for cost in low}


def costs(found: Mapping[Case, Costs], case: Case) -> tuple[Costs, str]:
    """Return the costs of a case, and whether they are "measured" or "calculated"."""
    name, n, k, m, threads = case
    if case in found:
        return found[case], "measured"
    if m not in MEASURED_ROWS:
        few, many = MEASURED_ROWS[-2:]
        few_costs, many_costs = (costs(found, (name, n, k, rows, threads))[0] for rows in (few, many))
        return on_a_line(m, (few, few_costs), (many, many_costs)), "calculated"
    a, b = sizes(name, m, threads)
    return on_a_line(n, (a, found[name, a, k, m, threads]), (b, found[name, b, k, m, threads])), "calculated"


def lines(name: str) -> list[dict[str, object]]:
    dtype = GGMLQuantizationType[name]
    block, block_bytes = GGML_QUANT_SIZES[dtype]
    found = {threads: measure(name, threads) for threads in THREADS}
    made: list[dict[str, object]] = []
    for threads in THREADS:
        for n, k in SHAPES:
            weight_bytes = quants.tile_bytes(dtype, n, k)
            for m in ROWS:
                alone, _ = costs(found[1], (name, n, k, m, 1))
                cost, source = costs(found[threads], (name, n, k, m, threads))
                cost["cycles_model"] = cost["packets"] + alone["cycles_model"] - alone["packets"]
                made.append({
                    "type": name, "n": n, "k": k, "m": m, "threads": threads,
                    **{column: round(cost[column]) for column in COSTS},
                    "dma_bytes": round(cost["dma_bytes"] / cost["weight_bytes"] * weight_bytes),
                    "weight_bytes": weight_bytes, "gguf_bytes": n * k // block * block_bytes, "source": source,
                })  # fmt: skip
    return made


def key(row: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(str(row[column]) for column in ("type", "n", "k", "m", "threads"))


def main(names: list[str]) -> None:
    with TABLE.open(encoding="ascii", newline="") as file:
        table: list[dict[str, object]] = list(csv.DictReader(file))
    before = {key(row): row[BEFORE] for row in table}
    names = names or sorted(one.name for one in quants.tile_types())
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for name, made in zip(names, pool.map(lines, names), strict=True):
            table = [row for row in table if row["type"] != name]
            table += [row | {BEFORE: before.get(key(row), "")} for row in made]
            table.sort(key=lambda row: str(row["type"]))
            with TABLE.open("w", encoding="ascii", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
                writer.writeheader()
                writer.writerows(table)
            print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
