# SPDX-License-Identifier: MIT
"""Write docs/tables/cpu_ops.csv: every op but matmuls on the CPU, one thread, beside the reference kernels.

    .venv/bin/python -m benchmarks.cpu_ops_table                       # at the CPU's highest level, two minutes
    PYHEXAGON_CPU=avx2 .venv/bin/python -m benchmarks.cpu_ops_table    # at a lower level
    .venv/bin/python -m benchmarks.tables                              # renders the table in docs/benchmarks.md

Figures are microseconds of an op, the least of several runs in turns. Lines of other levels stay unchanged. Run it on
an idle machine.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from pyhexagon.process import locate

TABLE: Final = Path(__file__).resolve().parents[1] / "docs/tables/cpu_ops.csv"
COLUMNS: Final = ("op", "type", "shape", "level", "microseconds", "reference", "ratio")
OPS: Final = "^(?!mul_mat)"
ROUNDS: Final = 5

Times = dict[tuple[str, str, str], float]


def measure(level: str, times: Times) -> None:
    """Keep the least microseconds of each op at a level."""
    pyhexagon = str(Path(sys.executable).with_name("pyhexagon"))
    command = [pyhexagon, "ops", "--perf", "--device", "cpu", "--threads", "1", "--filter", OPS, "--json"]
    done = subprocess.run(command, env=os.environ | {"PYHEXAGON_CPU": level}, check=True, stdout=subprocess.PIPE)
    records: list[dict[str, Any]] = json.loads(done.stdout)
    for record in records:
        case = record["op"], record["type"], record["shape"]
        times[case] = min(times.get(case, record["us_dsp"]), record["us_dsp"])


def main() -> None:
    level = locate.cpu_level()
    ours, reference = Times(), Times()
    for _ in range(ROUNDS):
        measure(level, ours)
        measure("ref", reference)
    rows: list[dict[str, str]] = []
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            rows += [row for row in csv.DictReader(file) if row["level"] != level]
    for case, least in ours.items():
        cells = *case, level, f"{least:.1f}", f"{reference[case]:.1f}", f"{reference[case] / least:.1f}"
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
