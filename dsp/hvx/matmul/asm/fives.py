# SPDX-License-Identifier: MIT
"""Codes of 5 bits: Q5_0, Q5_1, sums of Q5_K. Loops of one row multiply the bit fields of a code where they lie.

A vector's low 5 bits are rows 0..31's codes (sum L), its high 3 bits part of rows 32..63's: those times 32 are in the
sum S of whole bytes, less L. Their low 2 bits lie four to a byte and are multiplied where they are, each place with a
sum of its own, F0 to F3, which count 1, 4, 16 and 64.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from builder import TYPES, VECTOR, Builder, rounded_blocks
from instructions import LOGIC, SCALAR, SHIFT
from read_types import WeightType

FIVES_BASE = 4  # loops of one row point to a block's fifth vector of 11 or 12, so that offsets reach all of them


def five_bit_sums(b: Builder, block: int, tile: int, rounded: bool, deferred: list[Callable[[], None]]) -> None:
    """Accumulate L and H, with their rounding terms; a deferred step follows every second j."""
    tag = f"{block}_{tile}"
    total, low_sum = f"S{tag}", f"L{tag}"
    fields = [f"F{m}{tag}" for m in range(4)]
    if rounded:
        b.copy(low_sum, "half")
        b.copy(total, "half_9")  # H gets an eighth of S - L
    for j in range(8):
        at = f"{tag}_{j}"
        if j % 4 == 0:
            rest = b.load_at(f"e{at}", f"w{tile}", 8 + j // 4 - FIVES_BASE)
        q, v = b.q(block, 0, j), b.load_at(f"v{at}", f"w{tile}", j - FIVES_BASE)
        low = b.both("vand", f"lo{at}", v, "mask")
        b.multiply_pair((total, v, q, j == 0 and not rounded))
        b.multiply_pair((low_sum, low, q, j == 0 and not rounded))
        b.both("vand", f"f{at}", rest, f"pair_{j % 4}")
        if j % 2:
            b.multiply_pair(*((fields[i % 4], f"f{tag}_{i}", b.q(block, 0, i), i < 4) for i in (j - 1, j)))
            if deferred:
                deferred.pop(0)()
    high = f"H{tag}"
    b.add(LOGIC, f"{{D{tag}}}.w = vsub({{{total}}}.w,{{{low_sum}}}.w)", f"D{tag}", total, low_sum)
    b.copy(high, fields[0])
    for part, amount in ((f"D{tag}", "three"), (fields[1], "two"), (fields[2], "four"), (fields[3], "six")):
        b.add_shifted(high, part, amount)


def rest_of_codes(b: Builder, block: int, j: int, offset: int) -> None:
    """Load the low bits of the j-th vector's high codes; one of the last two vectors holds them for four vectors."""
    at = f"{block}_{j}"
    if j % 4 == 0:
        b.names["rest"] = [b.load_at(f"e{at}", "w0", offset)]
    else:
        b.names["rest"] = [b.shift_bytes_right(f"g{at}", b.names["rest"][0], "two")]


def put_together(b: Builder, block: int, j: int, v: str) -> tuple[str, str]:
    """Codes of rows 0..31 and 32..63."""
    at, field = f"{block}_{j}", b.names["rest"][0]
    low, high = b.both("vand", f"lo{at}", v, "mask"), b.shift_bytes_right(f"t{at}", v, "five")
    if j % 4 < 3:
        field = b.both("vand", f"f{at}", field, "pair_0")
    b.add_shifted(field, high, "two", "h", left=True)
    return low, field


def sums_of_rows(b: Builder, block: int, rounded: bool, deferred: list[Callable[[], None]]) -> None:
    """Accumulate the pair S of each row, L and H, with their rounding terms; a deferred step follows every j."""
    for r in b.rows:
        b.pairs.add(f"S{block}_{r}")
    for j in range(8):
        v = b.load(f"v{block}_{j}", "w0", 1 if j < 7 else 3)  # the last one moves the pointer to the scales
        rest_of_codes(b, block, j, 8 + j // 4 - (j + 1))
        low, high = put_together(b, block, j, v)
        for r in b.rows:
            total = f"S{block}_{r}"
            first = j == 0 and not rounded
            if j == 0 and rounded and len(b.rows) == 2:
                b.pair(f"{{{total}}} = vcombine({{half}},{{half}})", total, "half")
            elif j == 0 and rounded:  # the pipes for pairs are taken
                b.copy(f"{total}.lo", "half")
                b.copy(f"{total}.hi", "half")
            q = b.q(block, r, j)
            b.multiply_pair((f"{total}.lo", low, q, first), (f"{total}.hi", high, q, first))
        if deferred:
            deferred.pop(0)()


def block_sums(b: Builder, block: int, rows: range) -> list[str]:
    """P16 of one row or two, before a bias is subtracted."""
    names = b.of_rows(f"N{block}_{rows[0]}", rows)
    for name, r in zip(names, rows, strict=True):
        total = f"S{block}_{r}"
        text = f"{{{name}}}.h = vasr({{{total}.hi}}.w,{{{total}.lo}}.w,{{shift}})"
        b.add(SHIFT, text, name, total, "shift")
    return names


def unbiased_block_sums(b: Builder, block: int, rows: range, half: str) -> list[str]:
    """P16 of one row or two, minus their 8*S, which lies in the given half of the bias."""
    block_sums(b, block, rows)
    words = [f"rd{block}_{r}.hi" for r in rows]
    tag = f"{block}_{rows[0]}"
    if len(rows) == 1:
        (bias,) = b.splat_words(words, tag, half)
    else:
        word = f"rb{tag}"
        b.add(SCALAR, f"{{{word}}} = combine({{{words[1]}}}.{half},{{{words[0]}}}.{half})", word, *words)
        both = b.splat(f"x{tag}", word)
        bias = b.pair(f"{{y{tag}}}.h = vshuffoe({{{both}}}.h,{{{both}}}.h)", f"y{tag}", both)
    return b.subtract_i16_of_rows(f"P{tag}", f"N{tag}", bias, rows)


def finish(b: Builder, block: int, result: int, *, row: int, p: str, scale: str, minimum: str) -> None:
    """Accumulate P16 into a result; `minimum` is empty for types without minimums."""
    pair = f"rd{block}_{row}"
    b.accumulate(result, p, scale, f"{pair}.lo", block == 0)
    if minimum:
        b.accumulate_minimum(result, minimum, pair)
    if block == 3:
        b.drain(result)


def five_bits_of_rows(b: Builder, row: WeightType) -> None:
    """Four blocks of a type; codes are put together once for all rows, and rows that make pairs share instructions.

    P16 does not fit 16 bits before 8*S is subtracted: its rounding shift is a half and one that wraps.
    """
    minimums, rounded = row.minimums == "PHX_MINIMUMS_OF_BLOCKS", rounded_blocks(row)
    deferred: list[Callable[[], None]] = []
    for block in range(4):
        sums_of_rows(b, block, block in rounded, deferred)
        scale = b.load(f"s{block}", "w0")
        minimum = b.load(f"m{block}", "w0") if minimums else ""
        b.bias_pairs(block)
        for rows in b.rows_by_two:
            ps = unbiased_block_sums(b, block, rows, "h" if minimums else "l")
            for r, p in zip(rows, ps, strict=True):
                deferred.append(partial(finish, b, block, r, row=r, p=p, scale=scale, minimum=minimum))
    for last in deferred:
        last()


def five_bits(b: Builder, name: str) -> None:
    """Four blocks of a type; P16 is (sum of code * q + half) >> shift, less 8*S."""
    row = TYPES[name]
    minimums, rounded = row.minimums == "PHX_MINIMUMS_OF_BLOCKS", rounded_blocks(row)
    last_vector = row.vectors_per_block - 1 - FIVES_BASE
    deferred: list[Callable[[], None]] = []
    if b.is_of_rows:
        five_bits_of_rows(b, row)
        return
    for block in range(4):
        for tile in b.tiles:
            tag = f"{block}_{tile}"
            five_bit_sums(b, block, tile, block in rounded, deferred)
            scale = b.load_at(f"s{tag}", f"w{tile}", last_vector - minimums)
            minimum = b.load_at(f"m{tag}", f"w{tile}", last_vector) if minimums else ""
            b.step(f"w{tile}", row.vectors_per_block * VECTOR)
            b.bias_pairs(block)
            if tile == 0:
                biases = b.splat_bias(block, str(block), "h" if minimums else "l")
            p = b.subtract_i16(f"P{tag}", b.narrow(tag, "shift"), biases[0])
            deferred.append(partial(finish, b, block, tile, row=0, p=p, scale=scale, minimum=minimum))
    for last in deferred:
        last()


def q5_0(b: Builder) -> None:
    """Four blocks of Q5_0."""
    five_bits(b, "Q5_0")


def q5_1(b: Builder) -> None:
    """Four blocks of Q5_1."""
    five_bits(b, "Q5_1")
