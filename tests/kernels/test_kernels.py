# SPDX-License-Identifier: MIT
"""dsp/hvx against dsp/ref, bit for bit, in one qemu-hexagon process below the runtime; and what the kernels cost.

Weights and activations end at an unmapped page or begin after one; they hold likely values, arbitrary bytes, extremes.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pyhexagon.kernels.cycles import packet, stalls

ROOT = Path(__file__).resolve().parents[2]
LOOPS = sorted((ROOT / "dsp/hvx/matmul/generated").glob("*.S"))
RANDOM_CASES = 200

ROWS = (1, 2, 3, 4, 5, 6, 7, 13, 32)

# MACs per packet of ops on a 1024 x 4096 matrix, one thread, without the packets that quantise activations: at least
# this for M = 1 and M = 32.
FLOORS: dict[str, dict[int, float]] = {
    "Q4_0": {1: 177, 32: 187},
    "Q8_0": {1: 113, 32: 182},
    "Q4_K": {1: 160, 32: 172},
    "Q6_K": {1: 95, 32: 145.1},
    "F16": {1: 61, 32: 61},
    "F32": {1: 61, 32: 61},
    "BF16": {1: 61, 32: 61},
    "Q4_1": {1: 167, 32: 162},
    "Q5_0": {1: 112, 32: 167},
    "Q5_1": {1: 108, 32: 155},
    "Q5_K": {1: 106, 32: 149},
    "Q2_K": {1: 98, 32: 131},
    "Q3_K": {1: 107, 32: 144},
    "IQ4_NL": {1: 119, 32: 167},
    "IQ4_XS": {1: 119, 32: 167},
    "MXFP4": {1: 119, 32: 167},
    "IQ3_XXS": {1: 110, 32: 149},
    "IQ2_S": {1: 110, 32: 149},
    "NVFP4": {1: 110, 32: 149},
}


@pytest.fixture(scope="module")
def harness(kernel_programs: Path) -> Path:
    """The program of main.c, for qemu-hexagon."""
    return kernel_programs / "matmul"


def run(qemu: str, harness: Path, *arguments: str) -> str:
    """Runs the program; its output."""
    done = subprocess.run(
        [qemu, "-cpu", "v68", harness, *arguments], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout


def test_committed_loops_are_those_of_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "dsp/hvx/matmul/asm"))
    kernels = importlib.import_module("kernels")
    assert {file.stem for file in LOOPS} == set(kernels.KERNELS)
    for file in LOOPS:
        assert kernels.loops(file.stem) == file.read_text(encoding="utf-8"), file


def test_an_order_that_no_longer_fits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "dsp/hvx/matmul/asm"))
    kernels, orders = importlib.import_module("kernels"), importlib.import_module("orders")
    interval, times = orders.read("q8_0")["tile"]
    scheduler = kernels.prepare("q8_0", "tile")[1]
    assert scheduler.loop(interval, times).interval == interval
    with pytest.raises(ValueError, match="must follow"):
        scheduler.loop(3 * len(times), range(3 * len(times), 0, -3))
    with pytest.raises(ValueError, match="is full"):
        scheduler.loop(1, range(0, 3 * len(times), 3))
    with pytest.raises(ValueError, match="instructions for"):
        scheduler.loop(interval, times[1:])


def test_what_an_iteration_reads_it_has_made_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "dsp/hvx/matmul/asm"))
    kernels = importlib.import_module("kernels")

    def narrows_early(b: Any) -> None:
        b.multiply_pair(("L0", "mask", "ds", True))
        b.multiply_i16(0, b.narrow("0", "ds"), "mask", True)
        b.multiply_pair(("H0", "mask", "ds", True))

    monkeypatch.setitem(kernels.KERNELS, "q4_0", replace(kernels.KERNELS["q4_0"], iteration=narrows_early))
    with pytest.raises(ValueError, match="H0 is read before it is made"):
        kernels.prepare("q4_0", "tile")


def test_no_committed_loop_waits() -> None:
    source = "".join(file.read_text(encoding="utf-8") for file in LOOPS)
    bodies = re.findall(r"^\.L(hvx_sum_\w+):\n(.*?):endloop0$", source, re.MULTILINE | re.DOTALL)
    assert len(bodies) == source.count(".globl")
    for name, body in bodies:
        lines = [line for line in body.splitlines() if line.startswith("{")]  # and a label where the first one begins
        packets = [packet([one.strip() for one in line.strip("{} ").split(";")]) for line in lines]
        assert len(packets) >= 8, name  # the shortest takes a super-block's minimums of two rows
        assert stalls([*packets, packets[0]]) == 0, name  # an iteration, and the way to the next one


@pytest.mark.long
def test_odd_sizes_match_the_reference_bit_for_bit(qemu: str, harness: Path) -> None:
    print(run(qemu, harness, "sizes"))


def test_every_number_of_rows_matches_the_reference_bit_for_bit(qemu: str, harness: Path) -> None:
    print(run(qemu, harness, "rows"))


def test_random_cases_match_the_reference_bit_for_bit(qemu: str, harness: Path) -> None:
    print(run(qemu, harness, "check", "0", str(RANDOM_CASES)))


@pytest.fixture(scope="module")
def costs(qemu: str, harness: Path) -> list[dict[str, Any]]:
    """The packets of products of every type and a few numbers of rows M with a 1024 x 4096 matrix, on one thread."""
    lines = run(qemu, harness, "packets", "1024", "4096", *map(str, ROWS)).splitlines()
    return [json.loads(line) for line in lines]


def test_packets_stay_within_bounds(costs: list[dict[str, Any]], figure: Callable[[str], None]) -> None:
    figure("1024 x 4096, one thread: type, M, packets, of them to quantise, MACs per packet of the others")
    for record in costs:
        quantise = record["packets_quantise"]
        rate = 1024 * 4096 * record["m"] / (record["packets"] - quantise)
        if record["m"] in (1, 4, 32):
            figure(f"{record['type']:>6} {record['m']:3} {record['packets']:9} {quantise:6} {rate:6.1f}")
        assert rate >= FLOORS[record["type"]].get(record["m"], 0), record
        assert quantise < 1000 * record["m"], record


def test_few_rows_cost_what_they_are(costs: list[dict[str, Any]]) -> None:
    """Two and three rows as many products of one; from four on at least 0.85 of the better of 1 and 32 rows' rates."""
    packets = {(record["type"], record["m"]): record["packets"] for record in costs}
    for dtype in FLOORS:
        one, least = packets[dtype, 1], min(packets[dtype, 1], packets[dtype, 32] / 32)
        for m in ROWS[1:-1]:
            if m < 4:
                assert packets[dtype, m] <= 1.02 * m * one, (dtype, m)
            else:
                assert 0.85 * packets[dtype, m] <= m * least, (dtype, m)


def test_fewer_than_four_tiles_cost_what_they_are(qemu: str, harness: Path) -> None:
    packets = {}
    for n in (64, 128, 192, 256):
        for record in map(json.loads, run(qemu, harness, "packets", str(n), "4096", "1").splitlines()):
            packets[record["type"], n] = record["packets"]
    for dtype in FLOORS:
        one, two, three, four = (packets[dtype, n] for n in (64, 128, 192, 256))
        assert one < 0.55 * four, dtype
        assert one < two < three < four, dtype
