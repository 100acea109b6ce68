# SPDX-License-Identifier: MIT
"""Render the tables of docs/benchmarks.md from docs/tables/*.csv; --measure counts ops' packets first.

    .venv/bin/python -m benchmarks.tables --measure    # writes docs/tables/ops.csv, two minutes
    .venv/bin/python -m benchmarks.product_table       # writes docs/tables/products.csv, ten minutes
    .venv/bin/python -m benchmarks.ladder_table        # writes docs/tables/ladder.csv, ten minutes
    .venv/bin/python -m benchmarks.cpu_table           # writes docs/tables/cpu.csv, ten minutes
    .venv/bin/python -m benchmarks.cpu_ops_table       # writes docs/tables/cpu_ops.csv, two minutes
    .venv/bin/python -m benchmarks.neon_table          # writes docs/tables/neon.csv, one minute
    .venv/bin/python -m benchmarks.tables              # renders all
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Final

from pyhexagon.ops_report import perf

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
PAGE: Final = DOCS / "benchmarks.md"
OPS: Final = DOCS / "tables/ops.csv"
OPS_COLUMNS: Final = ("op", "type", "shape", "packets", "packets_per_32")
BOARDS: Final = (6, 8, 12, 16)  # GB of memory
OPS_BESIDE: Final = 4  # ops in a line of the table
BLOCK: Final = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
TYPES: Final = (
    "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4", "F16",
)  # fmt: skip
SOME: Final = ("Q4_0", "Q8_0", "Q4_K", "Q6_K", "F16")  # of each way to unpack weights
NEON_MACS: Final = 512  # neon.csv counts instructions per so many
A78_VECTOR_UNITS: Final = 2
ROWS: Final = (1, 2, 3, 4, 5, 8, 16, 32, 128, 512)
SHAPES: Final = ((2048, 512), (4096, 4096), (14336, 4096), (128256, 2048))

Row = Mapping[str, str]


def measure() -> None:
    """Write ops.csv: the packets of every op, one thread, counted under QEMU."""
    records = perf.run("loopback:qemu", None, [1], "", lambda: None)
    with OPS.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, OPS_COLUMNS, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(records)


def render(page: str) -> str:
    """Return the page with its tables rendered from the CSV files."""
    return BLOCK.sub(lambda block: block[1] + TABLES[block[2]]() + block[4], page)


def _rows(name: str) -> list[Row]:
    with (DOCS / "tables" / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _product(*case: str | int) -> Row:
    """The row of products.csv of a type, N, K, M and number of threads."""
    return _PRODUCTS[tuple(map(str, case))]


def _macs_per_packet(*case: str | int) -> str:
    row = _product(*case)
    return f"{int(row['n']) * int(row['k']) * int(row['m']) / float(row['packets']):.0f}"


def _table(titles: list[str], rows: list[list[str]]) -> str:
    lines = [titles, ["---", *["--:"] * (len(titles) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _batches() -> str:
    def ratio(name: str) -> str:
        row = _product(name, 4096, 4096, 1, 1)
        return f"{int(row['weight_bytes']) / int(row['gguf_bytes']):.3f}"

    rows = [[name, *(_macs_per_packet(name, 4096, 4096, m, 1) for m in ROWS), ratio(name)] for name in TYPES]
    return _table(["type", *(f"M={m}" for m in ROWS), "bytes / GGUF's"], rows)


def _shapes() -> str:
    titles = ["type", *(f"{n} x {k}" for n, k in SHAPES)]
    return _table(titles, [
        [name, *(", ".join(_macs_per_packet(name, *shape, m, 1) for m in (1, 32, 512)) for shape in SHAPES)]
        for name in SOME
    ])  # fmt: skip


def _threads() -> str:
    def share(*case: str | int) -> str:
        return f"{float(_product(*case, 4)['packets_max_thread']) / float(_product(*case, 1)['packets']):.3f}"

    titles = ["type", *(f"{n} x {k}, M={m}" for n, k in SHAPES[:3] for m in (1, 32))]
    cases = [(*shape, m) for shape in SHAPES[:3] for m in (1, 32)]
    return _table(titles, [[name, *(share(name, *case) for case in cases)] for name in SOME])


def _ops() -> str:
    chosen: dict[str, list[str]] = {}
    for row in _rows("ops.csv"):
        if row["type"] == "F32" and not row["op"].startswith("mul_mat"):
            chosen.setdefault(row["op"], [row["op"], row["shape"], row["packets_per_32"]])
    cells, titles = [*chain(*chosen.values())], ["op", "shape", "per 32"] * OPS_BESIDE
    cells += [""] * (-len(cells) % len(titles))
    return _table(titles, [cells[at : at + len(titles)] for at in range(0, len(cells), len(titles))])


def _ladder() -> str:
    titles = ["model", "mix", "file, GB", "sessions", "weights, MB", *(f"KV cache at {n}, MB" for n in ("2K", "8K"))]
    titles += ["compute, MB", *(f"{size} GB" for size in BOARDS), "t/s: low", "expected", "high"]
    sizes = ("weight_bytes", "kv_bytes_2048", "kv_bytes_8192", "compute_bytes")
    return _table(titles, [
        [
            row["model"], row["mix"], f"{int(row['file_bytes']) / 1e9:.2f}", row["sessions"],
            *(f"{int(row[column]) / 1e6:,.0f}" for column in sizes),
            *(f"{n:,}" if (n := int(row[f"context_{size}_gib"])) else "-" for size in BOARDS),
            *(row[f"tokens_per_second_{case}"] for case in ("low", "expected", "high")),
        ]
        for row in _rows("ladder.csv")
    ])  # fmt: skip


def _cpu() -> str:
    rows = _rows("cpu.csv")
    cells = {(row["level"], row["type"], row["m"]): f"{row['gmac_per_second']}, {row['ratio']}" for row in rows}
    cases = list(dict.fromkeys((row["level"], row["m"]) for row in rows))
    types = dict.fromkeys(row["type"] for row in rows)
    return _table(["type", *(f"{level}, M={m}" for level, m in cases)], [
        [name, *(cells.get((level, name, m), "-") for level, m in cases)] for name in types
    ])  # fmt: skip


def _cpu_models() -> str:
    speeds = ("tokens_per_second", "ratio", "cpu_milliseconds", "cpu_ratio")
    titles = ["model", "test", "threads", "level", "t/s", "ratio", "CPU ms/token", "ratio of CPU time", "load"]
    columns = (*titles[:4], *speeds, "load")
    return _table(titles, [[row[column] for column in columns] for row in _rows("cpu_models.csv")])


def _cpu_ops() -> str:
    rows = _rows("cpu_ops.csv")
    levels = list(dict.fromkeys(row["level"] for row in rows))
    shapes: dict[tuple[str, str], str] = {}
    for row in rows:
        shapes.setdefault((row["op"], row["type"]), row["shape"])
    cells = {
        (row["op"], row["type"], row["level"]): f"{row['microseconds']}, {row['ratio']}"
        for row in rows
        if shapes[row["op"], row["type"]] == row["shape"]
    }
    return _table(["op", "type", "shape", *levels], [
        [op, dtype, shape, *(cells.get((op, dtype, level), "-") for level in levels)]
        for (op, dtype), shape in shapes.items()
        if op != "get_rows" or dtype in SOME
    ])  # fmt: skip


def _neon() -> str:
    loops: dict[str, list[str]] = {}
    for row in _rows("neon.csv"):
        cells = loops.setdefault(row["loop"], [row["loop"]])
        cells += [row["instructions"], row["vector"], f"{NEON_MACS * A78_VECTOR_UNITS / float(row['vector']):.1f}"]
    titles = [f"M={m}: {kind}" for m in (1, 4) for kind in ("instructions", "vector", "MAC/cycle")]
    return _table(["loop", *titles], list(loops.values()))


_PRODUCTS: Final = {
    tuple(row[column] for column in ("type", "n", "k", "m", "threads")): row for row in _rows("products.csv")
}
TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "batches": _batches, "shapes": _shapes, "threads": _threads, "ops": _ops, "ladder": _ladder, "cpu": _cpu,
    "cpu_models": _cpu_models, "cpu_ops": _cpu_ops, "neon": _neon,
}  # fmt: skip

if __name__ == "__main__":
    if "--measure" in sys.argv[1:]:
        measure()
    PAGE.write_text(render(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
