# SPDX-License-Identifier: MIT
"""Minimums of super-blocks with 8 bits each, those of Q4_K and Q5_K: docs/arithmetic.md, 2."""

from __future__ import annotations

from builder import MULTIPLY_PAIR, Builder
from schedule import SCALAR, Op

MINIMUM_VECTORS = 4  # of rows 0..31 and of rows 32..63 two each; behind them dm
WORDS_BYTES = 32  # of struct hvx_minimums


def minimums(b: Builder) -> None:
    """A super-block: B = 256 * (sum of minimum * high) + sum of minimum * low, where t = 256 * high + low.

    The pointers are those of the minimums, and of a row's words; `step` is from one super-block to the next.
    """
    for tile in b.tiles:
        w = f"w{tile}"
        vectors = [b.load_at(f"v{tile}_{i}", w, i) for i in range(MINIMUM_VECTORS)]
        scale = b.load_at(f"s{tile}", w, MINIMUM_VECTORS)
        b.ops.append(Op([f"{{{w}}} = add({{{w}}},{{step}})"], [], [w, "step"], SCALAR, w))
        for i, _, row in (result for result in b.results() if result[1] == tile):
            high, low = f"rh{row}", f"rl{row}"
            if high not in b.pairs:
                b.load_pair(high, f"q{row}")
                b.load_pair(low, f"q{row}", WORDS_BYTES - 8)
            for half, total in enumerate((f"L{i}", f"H{i}")):
                for part, word in enumerate(("lo", "hi")):
                    vector, sign = vectors[2 * half + part], "+=" if part else "="
                    texts = [f"{{x{total}}}.w {sign} vrmpy({{{vector}}}.ub,{{{high}.{word}}}.b)",
                             f"{{{total}}}.uw {sign} vrmpy({{{vector}}}.ub,{{{low}.{word}}}.ub)"]  # fmt: skip
                    sums = [f"x{total}", total]
                    uses = [vector, f"{high}.{word}", f"{low}.{word}", *(sums if part else [])]
                    b.ops.append(Op(texts, sums, uses, MULTIPLY_PAIR))
                b.add_shifted(total, f"x{total}", "eight", left=True)
            b.multiply_i16(i, b.narrow(str(i), "nine", ":rnd:sat"), scale)
            b.drain(i)
