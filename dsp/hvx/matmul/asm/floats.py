# SPDX-License-Identifier: MIT
"""F32, F16 and BF16: int16 weights times int16 activations. A multiply takes both multipliers of a packet."""

from __future__ import annotations

from builder import VECTOR, Builder
from instructions import LOGIC, MULTIPLY_16, SHIFT


def floats(b: Builder) -> None:
    """Four blocks of float weights.

    Two rows at a time, and the weights loaded again for the next two: a load goes beside each multiply, while sums of
    four rows leave too few registers to begin the next block with.
    """
    das: dict[tuple[int, int], str] = {}
    for block in range(4):
        for tile in b.tiles:
            mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
            shift = b.power_shift(block, tile)
            for first in range(0, len(mine), 2):
                if first:
                    b.step(f"w{tile}", -32 * VECTOR)
                for j in range(16):
                    halves = {name: b.load(f"{name}w{block}_{tile}_{j}_{first}", f"w{tile}") for name in "LH"}
                    for i, row in mine[first : first + 2]:
                        for name, half in halves.items():
                            multiply(b, f"{name}{block}_{i}", half, b.q(block, row, j), j == 0)
                if (block, 0) not in das:
                    das |= scales(b, block)
                for i, row in mine[first : first + 2]:
                    p, e = block_sum(b, f"{block}_{i}"), scaled(b, f"{block}_{i}", das[block, row], shift)
                    sources = [p, e] if block == 0 else [f"PA{i}", p, e]
                    operation = "=" if block == 0 else "+="
                    b.add(MULTIPLY_16, f"{{PA{i}}}.w {operation} vmpy({{{p}}}.h,{{{e}}}.h)", f"PA{i}", *sources)
                    if block == 3:
                        b.drain(i)


def scales(b: Builder, block: int) -> dict[tuple[int, int], str]:
    """Load da of this block's rows; with one row also of the next block, because two blocks share a splat."""
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


def scaled(b: Builder, name: str, da: str, shift: str) -> str:
    """mpyr(s, da) for a power of two s needs no multiply: shift da to the right and round."""
    shifted = b.add(SHIFT, f"{{d{name}}}.h = vasr({{{da}}}.h,{{{shift}}}.h)", f"d{name}", da, shift)
    return b.add(LOGIC, f"{{e{name}}}.h = vavg({{{shifted}}}.h,{{one}}.h)", f"e{name}", shifted, "one")


def block_sum(b: Builder, name: str) -> str:
    """P16; its sum is taken modulo 2^32."""
    sums = []
    for half in "LH":
        total, whole = f"{half}{name}", f"whole{half}{name}"
        sums.append(b.add(LOGIC, f"{{{whole}}}.w = vadd({{{total}.lo}}.w,{{{total}.hi}}.w)", whole, total))
    text = f"{{P{name}}}.h = vasr({{{sums[1]}}}.w,{{{sums[0]}}}.w,{{fifteen}}):rnd:sat"
    return b.add(SHIFT, text, f"P{name}", sums[1], sums[0], "fifteen")
