# SPDX-License-Identifier: MIT
"""The documentation shows docs/tables/*.csv, and the counts of neon.csv are not stale."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from benchmarks import neon_table, tables

STALE = 0.01  # of the instructions


def test_the_page_shows_the_tables() -> None:
    page = tables.PAGE.read_text()
    assert sorted(block[1] for block in tables.BLOCK.findall(page)) == sorted(tables.TABLES)
    assert page.count("\n| Q4_K |") == 4  # of the tables batches, shapes, threads and cpu
    assert tables.render(page) == page, "run python -m benchmarks.tables"


def test_neon_s_instructions_are_not_stale(tmp_path: Path) -> None:
    with neon_table.TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["loop"] for row in rows if row["m"] == "1"] == neon_table.LOOPS
    program = neon_table.compiled(tmp_path)
    for row in random.Random(7).sample(rows, 3):
        found = neon_table.counted(program, row["loop"], int(row["m"]))
        assert found == pytest.approx({kind: float(row[kind]) for kind in neon_table.KINDS}, rel=STALE), row
