# SPDX-License-Identifier: MIT
"""Writes docs/tables/products.csv: what products of every weight type cost, by shape, rows of activations and threads.

    .venv/bin/python scripts/product_table.py              # of all types: QEMU works for half an hour of an idle core
    .venv/bin/python scripts/product_table.py Q4_0 Q8_0    # of these; the others' lines stay as they are

Large products are calculated, and their lines say so. What one costs is linear in the rows of its weight, once every
thread has more than one piece of them: so it follows from two smaller ones. For more rows of activations as many
packets are added as the kernels alone take, which the table has already (`kernel_packets`, one thread: `kernels
packets` of tests/kernels; `kernel_packets_before`: those of the morning of 22 November 2026). Waiting by the model is
measured with one thread, and taken for the same with four.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon import Device, quants
from pyhexagon.bench import accuracy, blocks, matmul
from pyhexagon.bench.cycles import QemuLogs

TABLE: Final = Path(__file__).resolve().parents[1] / "docs/tables/products.csv"
SHAPES: Final = ((2048, 512), (4096, 4096), (14336, 4096), (128256, 2048))
ROWS: Final = (1, 2, 3, 4, 8, 16, 32, 128, 512)
MEASURED_ROWS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 8: 8, 16: 8, 32: 32, 128: 32, 512: 32}
"""Of how many rows the product is that one is measured or calculated from."""
THREADS: Final = (1, 4)
FEW_ROWS: Final = 3
"""Of so many a thread takes four tiles at a time."""
WHOLE: Final = {1: 4, 4: 1}
"""Up to so many rows 4096 x 4096 is measured as it is, by threads."""
FLOATS: Final = ("F32", "F16", "BF16")
COSTS: Final = ("packets", "packets_max_thread", "cycles_model")
KERNELS: Final = ("kernel_packets_before", "kernel_packets")
COLUMNS: Final = (
    "type", "n", "k", "m", "threads", *KERNELS, *COSTS, "dma_bytes", "weight_bytes", "gguf_bytes", "source",
)  # fmt: skip

Case = tuple[str, int, int, int, int]  # type, n, k, m, threads
Costs = dict[str, float]


def sizes(name: str, k: int, m: int, threads: int) -> tuple[int, int]:
    """Numbers of weight rows from whose products the cost of any other follows."""
    if threads > 1 and m <= FEW_ROWS:
        return 2048, 4096
    return (512, 1024) if name in FLOATS else (256, 512)


def measured(name: str, threads: int) -> Iterable[tuple[int, int, int]]:
    """n, k, m of what is run."""
    rows = sorted(set(MEASURED_ROWS.values()))
    cases = {(2048, 512, m) for m in rows}
    cases |= {(4096, 4096, m) for m in rows if m <= WHOLE[threads]}
    cases |= {(n, k, m) for k in (2048, 4096) for m in rows for n in sizes(name, k, m, threads)}
    return cases


def measure(name: str, threads: int) -> dict[Case, Costs]:
    found: dict[Case, Costs] = {}
    dtype = GGMLQuantizationType[name]
    with QemuLogs() if threads == 1 else nullcontext() as logs, Device("loopback:qemu", threads=threads) as device:
        skel = Path(device.info().skel)
        for n, k, m in sorted(measured(name, threads)):
            x = accuracy.normal(m, k, matmul.SEED)
            with device.pack(dtype, blocks.random_blocks(dtype, n, k, matmul.SEED), (n, k)) as weight:
                with device.program() as p:
                    p.output(p.matmul(p.input(x.shape), weight))
                program = p.compile()
                program.run(x)  # what the DSP keeps is made in the first run
                if logs:
                    logs.costs(skel)
                _, report = program.run_with_report(x)
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


def costs(found: Mapping[Case, Costs], case: Case, kernels: Mapping[Case, tuple[str, int]]) -> tuple[Costs, str]:
    """Of a case, and whether they were measured."""
    name, n, k, m, threads = case
    if case in found:
        return found[case], "measured"
    rows = MEASURED_ROWS[m]
    if rows != m:
        cost = dict(costs(found, (name, n, k, rows, threads), kernels)[0])
        more = kernels[name, n, k, m, 1][1] - kernels[name, n, k, rows, 1][1]
        cost["cycles_model"] *= 1 + more / cost["packets"]
        cost["packets"] += more
        cost["packets_max_thread"] += more / threads
        return cost, "calculated"
    a, b = sizes(name, k, m, threads)
    return on_a_line(n, (a, found[name, a, k, m, threads]), (b, found[name, b, k, m, threads])), "calculated"


def lines(name: str, kernels: Mapping[Case, tuple[str, int]]) -> Iterable[dict[str, object]]:
    dtype = GGMLQuantizationType[name]
    block, block_bytes = GGML_QUANT_SIZES[dtype]
    alone = measure(name, 1)
    for threads in THREADS:
        found = alone if threads == 1 else measure(name, threads)
        for n, k in SHAPES:
            weight_bytes = quants.tile_bytes(dtype, n, k)
            for m in ROWS:
                cost, source = costs(found, (name, n, k, m, threads), kernels)
                if threads > 1:
                    of_one = costs(alone, (name, n, k, m, 1), kernels)[0]
                    cost = cost | {"cycles_model": cost["packets"] + of_one["cycles_model"] - of_one["packets"]}
                before, now = kernels[name, n, k, m, 1]
                yield {
                    "type": name, "n": n, "k": k, "m": m, "threads": threads,
                    **(dict(zip(KERNELS, (before, now), strict=True)) if threads == 1 else {}),
                    **{column: round(cost[column]) for column in COSTS},
                    "dma_bytes": round(cost["dma_bytes"] / cost["weight_bytes"] * weight_bytes),
                    "weight_bytes": weight_bytes, "gguf_bytes": n * k // block * block_bytes, "source": source,
                }  # fmt: skip


def main(names: list[str]) -> None:
    with TABLE.open(encoding="ascii", newline="") as file:
        table: list[dict[str, object]] = list(csv.DictReader(file))
    kernels = {
        (str(row["type"]), int(str(row["n"])), int(str(row["k"])), int(str(row["m"])), 1): (
            str(row[KERNELS[0]]),
            int(str(row[KERNELS[1]])),
        )
        for row in table
        if row["threads"] == "1"
    }
    for name in names or sorted(one.name for one in quants.supported()):
        kept = [row for row in table if row["type"] != name or int(str(row["m"])) not in ROWS]
        table = sorted([*kept, *lines(name, kernels)], key=lambda row: str(row["type"]))
        with TABLE.open("w", encoding="ascii", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
        print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
