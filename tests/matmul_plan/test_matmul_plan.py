# SPDX-License-Identifier: MIT
"""The plan of a product, dsp/ops/matmul/plan.h, over thousands of shapes on this machine, without a DSP or data."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest
from gguf import GGML_QUANT_SIZES

from pyhexagon import quants

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    ROOT / "tests/matmul_plan/plan_library.c",
    *(ROOT / f"dsp/ops/matmul/{name}.c" for name in ("plan", "pieces", "split")),
    *sorted((ROOT / "dsp/ref/matmul").glob("*.c")),
    ROOT / "dsp/formats/tiles.c",
)
TILE_ROWS, MAX_FACTORS, MAX_THREADS = 64, 4, 8
WHOLE = 0xFF  # sums of a piece whose thread makes results itself
N_SHAPES = 3000
MAX_PIECES = 1 << 16
U32 = ctypes.c_uint32


class Problem(ctypes.Structure):
    _fields_ = [
        *((name, U32) for name in ("dtype", "k", "m", "n_factors")),
        ("n", U32 * MAX_FACTORS),
        *((name, U32) for name in ("n_threads", "vtcm_bytes", "rows_apart", "has_common_columns")),
        *((name, U32) for name in ("may_split", "may_share_rows")),
    ]


class Piece(ctypes.Structure):
    _fields_ = [
        (name, U32)
        for name in (
            "thread", "factor", "first_tile", "n_tiles", "first_block", "last_block", "n_bytes", "room", "sums",
            "first_row", "end_row",
        )
    ]  # fmt: skip


class Ending(ctypes.Structure):
    _fields_ = [
        *((name, U32) for name in ("thread", "factor", "first", "last", "n_sums")),
        ("sums", U32 * MAX_THREADS),
    ]


class Summary(ctypes.Structure):
    _fields_ = [
        (name, U32)
        for name in (
            "n_multiplying", "is_split", "is_row_split", "n_quantizing", "first_quantizing", "each", "more",
            "sums_bytes",
        )
    ]  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """A problem and its plan."""

    problem: Problem
    summary: Summary
    pieces: list[Piece]
    endings: list[Ending]

    def rows(self, piece: Piece) -> tuple[int, int]:
        """The rows that meet a piece: first, end."""
        return piece.first_row, min(piece.end_row, self.problem.m)

    def n_tiles(self, factor: int) -> int:
        return -(-int(self.problem.n[factor]) // TILE_ROWS)

    @property
    def n_blocks(self) -> int:
        return -(-int(self.problem.k) // 32)


Make = Callable[[Problem], Plan]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Plans a problem with the C code, built for this machine."""
    if "CI" not in os.environ:
        pytest.importorskip("ziglang", reason="no compiler: pip install ziglang")
    path = tmp_path_factory.mktemp("plan") / "plan.so"
    options = ["-std=gnu11", "-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    options += [f"-I{ROOT / 'dsp'}", *map(str, SOURCES)]
    command = [sys.executable, "-m", "ziglang", "cc", *options, "-o", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    library = ctypes.CDLL(str(path))
    library.plan_product.restype = U32
    pieces, endings = (Piece * MAX_PIECES)(), (Ending * (MAX_THREADS * MAX_THREADS))()

    def plan(problem: Problem) -> Plan:
        summary, n_endings = Summary(), U32()
        n = library.plan_product(*map(ctypes.byref, (problem, summary)), pieces, endings, ctypes.byref(n_endings))
        assert n <= MAX_PIECES
        return Plan(
            problem,
            summary,
            [Piece.from_buffer_copy(piece) for piece in pieces[:n]],
            [Ending.from_buffer_copy(ending) for ending in endings[: n_endings.value]],
        )

    return plan


def problem(rng: random.Random) -> Problem:
    """Sizes as models have them, and odd ones; fused factors have the same K."""
    dtype = rng.choice(quants.tile_types())
    k = GGML_QUANT_SIZES[dtype][0] * rng.choice((1, 2, 3, 8, 16, 17, 56, rng.randrange(1, 64)))
    n_factors = rng.choice((1, 1, 2, 3, 4))
    sizes = [rng.choice((1, 63, 64, 65, 256, 576, 1000, 4096, rng.randrange(1, 6000))) for _ in range(n_factors)]
    has_common_columns = rng.random() < 0.3
    if has_common_columns:
        sizes = sizes[:1] * n_factors
    return Problem(
        dtype=dtype,
        k=k,
        m=rng.choice((1, 2, 3, 4, 5, 8, 16, 32, 64, 65, 200)),
        n_factors=n_factors,
        n=(U32 * MAX_FACTORS)(*sizes),
        n_threads=rng.randrange(1, MAX_THREADS + 1),
        vtcm_bytes=rng.choice((0, 256 << 10, 4 << 20, 8 << 20)),
        rows_apart=rng.choice((1, 2, 3)),
        has_common_columns=has_common_columns,
        may_split=rng.random() < 0.8,
        may_share_rows=rng.random() < 0.8,
    )


@pytest.fixture(scope="module")
def plans(make: Make) -> list[Plan]:
    rng = random.Random(5)
    return [make(problem(rng)) for _ in range(N_SHAPES)]


def blocks_of(plan: Plan, piece: Piece) -> Iterator[tuple[int, int, int, int, int, int]]:
    for tile in range(piece.first_tile, piece.first_tile + piece.n_tiles):
        yield piece.factor, tile, *plan.rows(piece), piece.first_block, piece.last_block


def are_joined(parts: list[tuple[int, ...]], end: int) -> bool:
    """Whether ranges, sorted, follow each other from 0 to ``end``."""
    return [0, *(last for _, last in parts)] == [*(first for first, _ in parts), end]


def test_every_block_of_every_tile_meets_every_row_once(plans: list[Plan]) -> None:
    assert sum(plan.summary.is_row_split for plan in plans) > N_SHAPES // 20
    for plan in plans:
        found = sorted(part for piece in plan.pieces for part in blocks_of(plan, piece))
        rows: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for key, parts in groupby(found, key=lambda part: part[:4]):
            assert are_joined([part[4:] for part in parts], plan.n_blocks)
            rows.setdefault(key[:2], []).append(key[2:])
        assert set(rows) == {(i, t) for i in range(plan.problem.n_factors) for t in range(plan.n_tiles(i))}
        assert all(are_joined(ranges, plan.problem.m) for ranges in rows.values())


def test_every_piece_fits_its_buffer(plans: list[Plan]) -> None:
    for plan in plans:
        for piece in plan.pieces:
            assert piece.n_bytes <= piece.room
            assert piece.first_block % 8 == 0


def test_partial_sums_are_added_up_once_by_one_thread(plans: list[Plan]) -> None:
    assert sum(plan.summary.is_split for plan in plans) > N_SHAPES // 20
    for plan in plans:
        left: dict[tuple[int, int], set[int]] = {}
        for piece in plan.pieces:
            if piece.sums != WHOLE:
                for tile in range(piece.first_tile, piece.first_tile + piece.n_tiles):
                    left.setdefault((piece.factor, tile), set()).add(piece.sums)
        added: Counter[tuple[int, int]] = Counter()
        for ending in plan.endings:
            for tile in range(ending.first, ending.last):
                added[ending.factor, tile] += 1
                assert left[ending.factor, tile] == set(ending.sums[: ending.n_sums])
        assert added == Counter(left.keys())
        assert plan.summary.is_split or not left


def test_every_part_of_every_row_is_quantized_once(plans: list[Plan]) -> None:
    for plan in plans:
        summary = plan.summary
        n_parts = plan.problem.m * -(-plan.n_blocks // 32)
        assert summary.n_quantizing * summary.each + summary.more == n_parts
        assert summary.n_quantizing + summary.first_quantizing <= plan.problem.n_threads


def test_no_thread_has_much_more_than_its_share(plans: list[Plan]) -> None:
    for plan in plans:
        problem, costs = plan.problem, [0.0] * MAX_THREADS
        for piece in plan.pieces:
            first, end = plan.rows(piece)
            blocks = piece.n_tiles * (piece.last_block - piece.first_block)
            costs[piece.thread] += blocks * (end - first) / problem.m
        n_all = sum(-(-plan.n_tiles(i) // 4) * 4 for i in range(problem.n_factors)) * plan.n_blocks  # in whole units
        n_units = problem.n_factors if problem.has_common_columns else 1
        step = 8 if plan.summary.is_split else plan.n_blocks * n_units
        if plan.summary.is_row_split:
            tiles_by_four_rows = (problem.n_threads - 1) * plan.n_blocks * 4 / problem.m
            assert max(costs) <= sum(costs) / problem.n_threads + tiles_by_four_rows
        assert max(costs) <= n_all / problem.n_threads + 4 * (step + plan.n_blocks % 8 + 8)


def test_a_plan_depends_on_its_problem_alone(make: Make, plans: list[Plan]) -> None:
    for plan in plans[:300]:
        again = make(plan.problem)
        assert bytes(again.summary) == bytes(plan.summary)
        assert [bytes(piece) for piece in again.pieces] == [bytes(piece) for piece in plan.pieces]
        assert [bytes(ending) for ending in again.endings] == [bytes(ending) for ending in plan.endings]
