# SPDX-License-Identifier: MIT
"""The rows of idl/types.h agree with the types in docs/arithmetic.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi._types import WEIGHT_TYPES
from pyhexagon._ffi.contract import DTYPES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "arithmetic.md").read_text(encoding="utf-8")
MINIMUMS = {
    "": "",
    "of blocks": "PHX_MINIMUMS_OF_BLOCKS",
    "in the sums": "PHX_MINIMUMS_IN_SUMS",
    "of super-blocks": "PHX_MINIMUMS_OF_SUPER_BLOCKS",
}


def table(heading: str) -> dict[str, list[str]]:
    """Return the cells by type of the table whose first line begins so; a line may describe several types."""
    lines = PAGE[PAGE.index(heading) :].split("\n\n")[0].splitlines()[2:]
    rows: dict[str, list[str]] = {}
    for line in lines:
        first, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows |= {name: cells for name in first.split(", ")}
    return rows


SUMS = table("| type | block sum")
TILES = table("| type | vectors per 32 k")


def test_rows_are_weight_types_of_the_contract_with_ggufs_numbers_and_blocks() -> None:
    assert set(WEIGHT_TYPES) == set(SUMS) == set(TILES)
    for name, row in WEIGHT_TYPES.items():
        assert DTYPES[name] == Q[name].value
        assert row.k_step == GGML_QUANT_SIZES[Q[name]][0]


@pytest.mark.parametrize("name", WEIGHT_TYPES)
def test_sums_are_those_of_the_page(name: str) -> None:
    row, (formula, shift, _, exponent, minimums) = WEIGHT_TYPES[name], SUMS[name]
    centre = re.search(r"code - (\d+)", formula)
    assert row.centre == (128 if name == "Q8_0" else int(centre[1]) if centre else 0)
    rounding = ", ties" if row.scales_per_block == 2 else ", unbiased"
    assert shift == f"{row.sum_shift}" + rounding * row.is_unbiased + ", down" * bool(row.product_shift)
    assert row.exponent == int(exponent)
    assert row.minimums == MINIMUMS[minimums]


@pytest.mark.parametrize("name", WEIGHT_TYPES)
def test_vectors_are_those_of_the_page(name: str) -> None:
    row, (vectors, what, more, _) = WEIGHT_TYPES[name], TILES[name]
    assert row.vectors_per_block == int(vectors)
    around = re.match(r"(before|after) them (\d+)", more)
    assert row.lead_vectors == (int(around[2]) if around and around[1] == "before" else 0)
    assert row.group_vectors == ("powers" in what) + 2 * ("sixths" in what) + 3 * ("eighths" in what)
    assert row.trail_vectors == (int(around[2]) if around and around[1] == "after" else 0)
    assert row.scales_per_block == (2 if any(part in what for part in ("small", "eighths", "both scales")) else 1)
