# SPDX-License-Identifier: MIT
"""Q4_K: a super-block of 256 k in one iteration, with its minimums: docs/arithmetic.md, 2.

Scales and minimums have 6 bits of their bytes; what they multiply lies in the other two, over four vectors each.
"""

from __future__ import annotations

from collections.abc import Callable

from builder import MULTIPLY_PAIR, Builder
from minimums import MINIMUM_VECTORS
from schedule import LOGIC, MULTIPLY_16, SHIFT, Cost, Op
from steps import finish_nibbles, nibble_sums

BLOCKS = 8
SPREAD = ("two", "four", "six")  # how far what lies in vectors 1 to 3 is shifted
TWO_PIPES = Cost(pipes=2)


def load_scales(b: Builder, group: int, tile: int) -> None:
    """Those of four blocks, with what they say of d16."""
    for pair in (2 * group, 2 * group + 1):
        small = b.load(f"z{pair}_{tile}", f"w{tile}")
        b.both("vand", f"y{pair}_{tile}", small, "six_bits")
        if pair:
            b.add_shifted(f"z0_{tile}", small, SPREAD[pair - 1], "h")


def scale(b: Builder, block: int, tile: int) -> str:
    """A block's, times 256. Two are made at once."""
    pair = f"sc{block // 2}_{tile}"
    if pair not in b.pairs:
        b.pairs.add(pair)
        codes = f"y{block // 2}_{tile}"
        b.add(TWO_PIPES, f"{{{pair}}}.b = vshuffoe({{{codes}}}.b,{{zero}}.b)", pair, codes, "zero")
    return f"{pair}.{'hi' if block % 2 else 'lo'}"


def minimum_word(b: Builder, row: int, i: int) -> str:
    """One of struct hvx_minimums, as HVX_FORM_SUPER_MINIMUMS has them: in the high words of the last four blocks."""
    if not b.is_of_rows:
        return f"rd{4 + i}_{row}.hi"
    word = f"rt{i}_{row}"  # pairs would not fit the registers
    if word not in b.names:
        b.names[word] = [b.load_word(word, f"b{row}", f"+#{8 * i - 28}")]
    return word


def minimums(b: Builder, tile: int) -> None:
    """Q = B16 * dm of each row."""
    mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
    for v in range(MINIMUM_VECTORS):
        raw, vector = f"u{v}_{tile}", f"m{v}_{tile}"
        b.load(raw, f"w{tile}")
        b.both("vand", vector, raw, "six_bits")
        if v:
            b.add_shifted(f"u0_{tile}", raw, SPREAD[v - 1], "h")
        for i, row in mine:
            total, first = f"{'H' if v > 1 else 'L'}m{i}", v % 2 == 0
            high, low = (minimum_word(b, row, v % 2 + part) for part in (0, 2))
            sign = "=" if first else "+="
            texts = [f"{{x{total}}}.w {sign} vrmpy({{{vector}}}.ub,{{{high}}}.b)",
                     f"{{{total}}}.uw {sign} vrmpy({{{vector}}}.ub,{{{low}}}.ub)"]  # fmt: skip
            sums = [f"x{total}", total]
            uses = [vector, high, low, *([] if first else sums)]
            b.ops.append(Op(texts, sums, uses, MULTIPLY_PAIR))
            if not first:
                b.add_shifted(total, f"x{total}", "eight", left=True)
    for i, _ in mine:
        b16 = b.narrow(f"m{i}", "nine", ":rnd:sat")
        b.pairs.add(f"Q{i}")
        b.add(MULTIPLY_16, f"{{Q{i}}}.w = vmpy({{{b16}}}.h,{{u0_{tile}}}.h)", f"Q{i}", b16, f"u0_{tile}")


def finish(b: Builder, result: int, tile: int) -> None:
    """T gets the super-block's sum, multiplied in 32 bits by d16 of odd lanes, and its minimums."""
    pa, d = f"PA{result}", f"z0_{tile}"
    if f"ze_{tile}" not in b.names:
        b.names[f"ze_{tile}"] = [b.interleave(f"ze_{tile}", d, d)]
    for half, scale in (("lo", f"ze_{tile}"), ("hi", d)):
        t, w, total = f"T{result}{half}", f"W{result}{half}", f"V{result}{half}"
        b.add(MULTIPLY_16, f"{{{w}}}.w = vmpyo({{{pa}.{half}}}.w,{{{scale}}}.h):<<1:rnd:sat", w, pa, scale)
        b.add(LOGIC, f"{{{total}}}.w = vadd({{{w}}}.w,{{Q{result}.{half}}}.w)", total, w, f"Q{result}")
        b.add(SHIFT, f"{{{t}}}.w += vasr({{{total}}}.w,{{ds}})", t, t, total, "ds")


def q4_k(b: Builder) -> None:
    """Eight blocks of Q4_K."""
    ends: list[Callable[[], None]] = []
    for block in range(BLOCKS):
        for tile in b.tiles:
            if block % 4 == 0:
                load_scales(b, block // 4, tile)
            nibble_sums(b, block, tile)

            def end(block: int = block, tile: int = tile) -> None:
                mine = [result for result in b.results() if result[1] == tile]
                if not b.is_of_rows:
                    b.bias_pairs(block)
                for i, _, _ in mine:
                    finish_nibbles(b, f"{block}_{i}")
                for i, _, row in mine:
                    p = b.narrow(f"{block}_{i}", "one", "" if block % 2 else ":rnd:sat")
                    da = f"rd{block}_{row}.lo"
                    if b.is_of_rows:
                        da = b.load_word(f"re{block}_{row}", f"b{row}", "++#8")
                    b.accumulate(i, p, scale(b, block, tile), da, block == 0)

            ends.append(end)
            if b.is_of_rows or len(ends) > 1:
                ends.pop(0)()
    if b.waiting:
        b.multiply_pair(b.waiting)
        b.waiting = None
    if not b.is_of_rows:
        b.bias_pairs(BLOCKS - 1)
    for tile in b.tiles:
        minimums(b, tile)
    for last in ends:
        last()
    for i, tile, _ in b.results():
        finish(b, i, tile)
