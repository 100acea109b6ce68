# SPDX-License-Identifier: MIT
"""F32, F16 and BF16: int16 weights times int16 activations. A multiply takes both multipliers of a packet."""

from __future__ import annotations

from builder import VECTOR, Builder
from instructions import LOGIC, MULTIPLY_16, PERMUTE, SHIFT


def floats(b: Builder) -> None:
    """Four blocks of float weights.

    Two rows at a time, and the weights loaded again for the next two: a load goes beside each multiply, while sums of
    four rows leave too few registers to begin the next block with.
    """
    shifts: dict[tuple[int, int], str] = {}
    for block in range(4):
        for tile in b.tiles:
            mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
            power = b.power_shift(block, tile)
            for first in range(0, len(mine), 2):
                if first:
                    b.step(f"w{tile}", -32 * VECTOR)
                for j in range(16):
                    halves = {name: b.load(f"{name}w{block}_{tile}_{j}_{first}", f"w{tile}") for name in "LH"}
                    for i, row in mine[first : first + 2]:
                        for name, half in halves.items():
                            multiply(b, f"{name}{block}_{i}", half, b.q(block, row, j), j == 0)
                if (block, 0) not in shifts:
                    shifts |= shifts_of_rows(b, block)
                for i, row in mine[first : first + 2]:
                    add_shifted(b, i, f"{block}_{i}", power, shifts[block, row])


def shifts_of_rows(b: Builder, block: int) -> dict[tuple[int, int], str]:
    """Load the shifts of this block's rows; with one row also of the next block, because two blocks share a splat."""
    blocks = range(block, block + (1 if b.is_of_rows else 2))
    mine = [(of, row) for of in blocks for row in b.rows]
    for of in blocks:
        b.bias_pairs(of)
    words = [f"rd{of}_{row}.lo" for of, row in mine]
    return dict(zip(mine, b.splat_words(words, str(block), "l"), strict=True))


def multiply(b: Builder, total: str, weights: str, q: str, first: bool) -> None:
    """Accumulate even and odd k apart, in a pair."""
    b.pairs.add(total)
    sources = [weights, q] if first else [total, weights, q]
    b.add(MULTIPLY_16, f"{{{total}}}.w {'=' if first else '+='} vmpy({{{weights}}}.h,{{{q}}}.h)", total, *sources)


def add_shifted(b: Builder, result: int, name: str, power: str, shift: str) -> None:
    """Add a block's sums to T, shifted by both shifts. A shift by words reads the lower half of each word."""
    even = b.add(LOGIC, f"{{e{name}}}.h = vadd({{{power}}}.h,{{{shift}}}.h)", f"e{name}", power, shift)
    odd = b.add(PERMUTE, f"{{o{name}}}.h = vshuffo({{{even}}}.h,{{{even}}}.h)", f"o{name}", even)
    for half, amount, end in ("L", even, "lo"), ("H", odd, "hi"):
        pair, whole, shifted, total = f"{half}{name}", f"whole{half}{name}", f"x{half}{name}", f"T{result}{end}"
        b.add(LOGIC, f"{{{whole}}}.w = vadd({{{pair}.lo}}.w,{{{pair}.hi}}.w)", whole, pair)
        b.add(SHIFT, f"{{{shifted}}}.w = vasr({{{whole}}}.w,{{{amount}}}.w)", shifted, whole, amount)
        b.add(LOGIC, f"{{{total}}}.w = vadd({{{total}}}.w,{{{shifted}}}.w)", total, total, shifted)
