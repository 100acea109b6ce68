# SPDX-License-Identifier: MIT
"""The documentation shows docs/tables/*.csv, and counts in these are not stale: QEMU counts samples again."""

from __future__ import annotations

import csv
import importlib.util
import random
from pathlib import Path
from typing import Any

import needs
import pytest
from gguf import GGMLQuantizationType

from pyhexagon import Device
from pyhexagon.bench import accuracy, blocks, matmul
from pyhexagon.ops_report import perf

SAMPLES = 12
OPS = "^(add|rms_norm|rope|swiglu|soft_max|argmax)\\("
STALE = 0.01  # of the packets


def script(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, needs.ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tables() -> Any:
    return script("benchmark_tables")


def test_the_page_shows_the_tables(tables: Any) -> None:
    page = tables.PAGE.read_text()
    assert page.count("| Q4_K |") == 3
    for page in (one.read_text() for one in tables.PAGES):
        assert tables.render(page) == page, "run scripts/benchmark_tables.py"


def test_products_are_not_stale(qemu: str) -> None:
    with (needs.ROOT / "docs/tables/products.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["n"], row["threads"]) == ("2048", "1")]
    rows = [row for row in rows if int(row["m"]) < 9]
    with Device("loopback:qemu", threads=1) as device:
        for row in random.Random(7).sample(rows, SAMPLES):
            dtype, n, k, m = GGMLQuantizationType[row["type"]], int(row["n"]), int(row["k"]), int(row["m"])
            with device.pack(dtype, blocks.random_blocks(dtype, n, k, matmul.SEED), (n, k)) as weight:
                x = accuracy.normal(m, k, matmul.SEED)
                with device.program() as p:
                    p.output(p.matmul(p.input(x.shape), weight))
                program = p.compile()
                program.run(x)  # what the DSP keeps is allocated in the first run
                _, report = program.run_with_report(x)
            assert report.ops[0].packets == pytest.approx(float(row["packets"]), rel=STALE), row


def test_ops_are_not_stale(tables: Any, qemu: str) -> None:
    with tables.OPS.open(newline="") as file:
        known = {(row["op"], row["type"], row["shape"]): int(row["packets"]) for row in csv.DictReader(file)}
    counted = list(perf.run("loopback:qemu", None, [1], OPS, lambda: None))
    assert len(counted) > len(OPS.split("|"))
    for record in counted:
        expected = known[record["op"], record["type"], record["shape"]]
        assert record["packets"] == pytest.approx(expected, rel=STALE), record


def test_neon_s_instructions_are_not_stale(tmp_path: Path) -> None:
    neon = script("neon_table")
    with neon.TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["loop"] for row in rows if row["m"] == "1"] == neon.LOOPS
    program = neon.compiled(tmp_path)
    for row in random.Random(7).sample(rows, 3):
        found = neon.counted(program, row["loop"], int(row["m"]))
        assert found == pytest.approx({kind: float(row[kind]) for kind in neon.KINDS}, rel=STALE), row
