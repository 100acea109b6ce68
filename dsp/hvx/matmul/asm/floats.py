# SPDX-License-Identifier: MIT
"""F32, F16 and BF16: int16 weights times int16 activations. A multiply takes both multipliers of a packet."""

from __future__ import annotations

from builder import Builder
from schedule import LOGIC, MULTIPLY_16, SHIFT


def floats(b: Builder) -> None:
    """Four blocks of float weights."""
    for block in range(4):
        for tile in b.tiles:
            mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
            for j in range(16):
                halves = {name: b.load(f"{name}w{block}_{tile}_{j}", f"w{tile}") for name in "LH"}
                for i, row in mine:
                    for name, half in halves.items():
                        multiply(b, f"{name}{block}_{i}", half, b.q(block, row, j), j == 0)
            scale = b.load(f"s{block}_{tile}", f"w{tile}")
            b.bias_pairs(block)
            for i, row in mine:
                b.accumulate(i, block_sum(b, f"{block}_{i}"), scale, f"rd{block}_{row}.lo", block == 0)
                if block == 3:
                    b.drain(i)


def multiply(b: Builder, total: str, weights: str, q: str, first: bool) -> None:
    """Even and odd k have sums of their own, in a pair."""
    b.pairs.add(total)
    sources = [weights, q] if first else [total, weights, q]
    b.add(MULTIPLY_16, f"{{{total}}}.w {'=' if first else '+='} vmpy({{{weights}}}.h,{{{q}}}.h)", total, *sources)


def block_sum(b: Builder, name: str) -> str:
    """P16. The sum is made modulo 2^32, half of what is shifted out included."""
    sums = []
    for half in "LH":
        total, whole, biased = f"{half}{name}", f"whole{half}{name}", f"biased{half}{name}"
        b.add(LOGIC, f"{{{whole}}}.w = vadd({{{total}.lo}}.w,{{{total}.hi}}.w)", whole, total)
        sums.append(b.add(LOGIC, f"{{{biased}}}.w = vadd({{{whole}}}.w,{{half}}.w)", biased, whole, "half"))
    text = f"{{P{name}}}.h = vasr({{{sums[1]}}}.w,{{{sums[0]}}}.w,{{fifteen}}):sat"
    return b.add(SHIFT, text, f"P{name}", sums[1], sums[0], "fifteen")
