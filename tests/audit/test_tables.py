# SPDX-License-Identifier: MIT
"""Counts in docs/tables/*.csv are not stale: QEMU counts samples again."""

from __future__ import annotations

import csv
import random

import needs
import pytest
from gguf import GGMLQuantizationType

from pyhexagon import Device
from pyhexagon.bench import accuracy, blocks, matmul
from pyhexagon.ops_report import perf

SAMPLES = 12
OPS = "^(add|rms_norm|rope|swiglu|soft_max|argmax)\\("
STALE = 0.01  # of the packets


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


def test_ops_are_not_stale(qemu: str) -> None:
    with (needs.ROOT / "docs/tables/ops.csv").open(newline="") as file:
        known = {(row["op"], row["type"], row["shape"]): int(row["packets"]) for row in csv.DictReader(file)}
    counted = list(perf.run("loopback:qemu", None, [1], OPS, lambda: None))
    assert len(counted) > len(OPS.split("|"))
    for record in counted:
        expected = known[record["op"], record["type"], record["shape"]]
        assert record["packets"] == pytest.approx(expected, rel=STALE), record
