# SPDX-License-Identifier: MIT
"""Q3_K: four blocks of 32 k, eight scale blocks of 16.

Six bits for each scale: three vectors between the second block and the third hold all eight. Six scales lie at the top
or at the bottom of 16 bits, the other two are sums of what lies between, and what else is in those sums the repacker
has subtracted: docs/arithmetic.md, 4.
"""

from __future__ import annotations

from functools import partial

from builder import PAIR_OF_OTHERS, RESULTS, TYPES, VECTOR, Builder
from half_blocks import Deferred, Half, finish_half, multiply_rows
from instructions import LOAD, PREDICATE, SCALAR, SHIFT, Op

THREES = TYPES["Q3_K"]
CODES = THREES.vectors_per_block
SCALES = THREES.group_vectors
BEFORE_SCALES = 2  # blocks
AMOUNTS = {"six": 6, "ten": 10}
GROUP = 4 * CODES + SCALES
# Pointers stand at these vectors of four blocks and their scales, so that offsets reach all that two blocks need, and
# d16 of a super-block in front of the first ones.
THREES_BASE = 7
SECOND_BASE = 20


def base(block: int) -> int:
    return THREES_BASE if block < BEFORE_SCALES else SECOND_BASE


def place(half: Half, v: int) -> int:
    """Offset of a vector of codes from the pointer."""
    first = half.block * CODES + (SCALES if half.block >= BEFORE_SCALES else 0)
    return first + half.part * CODES // 2 + v - base(half.block)


def begin_group(b: Builder) -> None:
    """Load d16 where a super-block begins, which `count` tells.

    Other groups have none in front of them, so the pointer, which was advanced past one, steps back.
    """
    b.kept += [f"d{tile}" for tile in b.tiles]
    b.add(PREDICATE, "{P} = tstbit({count},#0)", "P", "count")
    b.add(SCALAR, "{count} = add({count},#1)", "count", "count")
    for tile in b.tiles:
        d, w = f"d{tile}", f"w{tile}"
        b.add(LOAD, f"if (!{{P}}) {{{d}}} = vmem({{{w}}}+#{-THREES_BASE - 1})", d, "P", w, stream=w)
        b.ops.append(Op([f"if ({{P}}) {{{w}}} = add({{{w}}},#{-VECTOR})"], [], ["P", w], SCALAR, w))


def load_scales(b: Builder, half: Half, i: int) -> str:
    """Vector i of three; with more than two rows it is read again for each scale, because they need the registers."""
    name = f"z{i}_{half.at}" if len(b.rows) > 2 else f"z{i}_{half.tile}"
    if name not in b.names:
        offset = BEFORE_SCALES * CODES + i - base(half.block)
        b.names[name] = [b.load_at(name, f"w{half.tile}", offset)]
    return name


def amount(b: Builder, half: Half, name: str) -> str:
    """A shift amount, in a register of its own only if registers suffice."""
    if len(b.rows) < RESULTS:
        return name
    return b.add(SCALAR, f"{{r{name}{half.at}}} = #{AMOUNTS[name]}", f"r{name}{half.at}")


def upper_six(b: Builder, half: Half, target: str, source: str) -> str:
    """The upper six of 16 bits; by shifts if no register is free for a mask."""
    if len(b.rows) < RESULTS:
        return b.both("vand", target, source, "scale")
    ten, down = amount(b, half, "ten"), f"down{target}"
    b.add(SHIFT, f"{{{down}}}.uh = vlsr({{{source}}}.uh,{{{ten}}})", down, source, ten)
    return b.add(SHIFT, f"{{{target}}}.h = vasl({{{down}}}.h,{{{ten}}})", target, down, ten)


def scale(b: Builder, half: Half) -> str:
    """The scale of a scale block, times 1024."""
    number, at = half.number, half.at
    sc = f"u{at}"
    if number in (1, 4, 7):  # the lowest bits
        vector = load_scales(b, half, number // 3)
        ten = amount(b, half, "ten")
        return b.add(SHIFT, f"{{{sc}}}.h = vasl({{{vector}}}.h,{{{ten}}})", sc, vector, ten)
    if number in (0, 3, 6):  # the highest
        return upper_six(b, half, sc, load_scales(b, half, number // 3))
    vector, other = load_scales(b, half, 0 if number == 2 else 2), load_scales(b, half, 1)
    six = amount(b, half, "six")
    b.add(SHIFT, f"{{{sc}}}.h = vasl({{{vector}}}.h,{{{six}}})", sc, vector, six)
    b.add_shifted(sc, other, "two" if number == 2 else "four", "h", left=True)
    return upper_six(b, half, f"sc{at}", sc)


def block_sums(b: Builder, half: Half) -> list[str]:
    """P16 of each row."""
    at, number = half.at, half.number
    if b.is_of_rows:
        return block_sums_of_two(b, half) if len(b.rows) == 2 else block_sums_of_rows(b, half)
    p = b.interleave(f"N{at}", f"L{at}_0", f"H{at}_0")
    b.bias_pairs(number)
    if half.tile == 0:
        b.names[f"y{number}"] = b.splat_bias(number, str(number), "l")
    return [b.subtract_i16(f"P{at}", p, b.names[f"y{number}"][0])]


def block_sums_of_rows(b: Builder, half: Half) -> list[str]:
    """P16 of one pair of rows after the other: registers do not suffice for all."""
    at, ps = half.at, []
    for rows in b.rows_by_two:
        words = [b.load_word(f"rs{half.number}_{row}", f"b{row}", "+#4") for row in rows]
        for row, bias in zip(rows, b.splat_words(words, f"{at}_{rows[0]}", "l"), strict=True):
            p = b.interleave(f"N{at}_{row}", f"L{at}_{row}", f"H{at}_{row}")
            ps.append(b.subtract_i16(f"P{at}_{row}", p, bias))
    return ps


def block_sums_of_two(b: Builder, half: Half) -> list[str]:
    """Both rows at once, on the pipes that do not multiply."""
    at, number = half.at, half.number
    b.bias_pairs(number)
    for row, name in enumerate(b.of_rows(f"N{at}", b.rows)):
        b.interleave(name, f"L{at}_{row}", f"H{at}_{row}")
    first, second = (f"rd{number}_{row}.hi" for row in b.rows)
    b.add(SCALAR, f"{{rb{at}}} = combine({{{second}}}.l,{{{first}}}.l)", f"rb{at}", first, second)
    both, bias, p = b.splat(f"x{at}", f"rb{at}"), f"y{at}", f"P{at}"
    b.add(PAIR_OF_OTHERS, f"{{{bias}}}.h = vshuffoe({{{both}}}.h,{{{both}}}.h)", bias, both)
    b.add(PAIR_OF_OTHERS, f"{{{p}}}.h = vsub({{N{at}}}.h,{{{bias}}}.h)", p, f"N{at}", bias)
    b.pairs.add(bias)
    return b.of_rows(p, b.rows)


def three_bit_sums_of_rows(b: Builder, half: Half, deferred: Deferred) -> None:
    """Unpack the codes to the low bits of bytes, once for all rows."""
    at, last = half.at, []
    for v in range(3):
        vector = b.load_at(f"v{at}_{v}", f"w{half.tile}", place(half, v))
        shifted = b.shift_bytes_right(f"s{at}_{v}", vector, "three")
        codes = (b.both("vand", f"lo{at}_{v}", vector, "three_0"), b.both("vand", f"hi{at}_{v}", shifted, "three_0"))
        if v < 2:
            last.append(b.shift_bytes_right(f"u{at}_{v}", shifted, "three"))
        else:
            tops = b.both("vand", f"t0{at}", vector, "bit_6"), b.shift_bytes_right(f"t1{at}", shifted, "four")
        multiply_rows(b, half, v, codes, deferred)
    b.add_shifted(last[0], tops[0], "four", "h")
    b.add_shifted(last[1], tops[1], "two", "h", left=True)
    multiply_rows(b, half, 3, (last[0], last[1]), deferred)


def three_bit_sums(b: Builder, half: Half, deferred: Deferred) -> None:
    """Accumulate L of rows 0..31; of rows 32..63 H, and E of the first three j, times 8. Unpack the fourth j."""
    if b.is_of_rows:
        three_bit_sums_of_rows(b, half, deferred)
        return
    at, w, first = half.at, f"w{half.tile}", 4 * half.part
    low, high, eights = f"L{at}_0", f"H{at}_0", f"E{at}"
    last = []
    for v in range(3):
        q, vector = b.q(half.block, 0, first + v), b.load_at(f"v{at}_{v}", w, place(half, v))
        codes = b.both("vand", f"lo{at}_{v}", vector, "three_0"), b.both("vand", f"hi{at}_{v}", vector, "three_1")
        if v < 2:
            last.append(b.shift_bytes_right(f"u{at}_{v}", vector, "six"))
        else:
            top = b.both("vand", f"t0{at}", vector, "bit_6"), b.shift_bytes_right(f"t1{at}", vector, "seven")
        b.multiply_pair((low, codes[0], q, v == 0), (eights, codes[1], q, v == 0))
        if v and deferred:
            deferred.pop(0)()
    b.add_shifted(last[0], top[0], "four", "h")
    b.add_shifted(last[1], top[1], "two", "h", left=True)
    q = b.q(half.block, 0, first + 3)
    b.multiply_pair((low, last[0], q, False), (high, last[1], q, True))
    b.add_shifted(high, eights, "three")


def q3_k(b: Builder) -> None:
    """Four blocks of Q3_K."""
    deferred: Deferred = []
    begin_group(b)
    for block in range(4):
        for tile in b.tiles:
            for part in range(2):
                half = Half(block, part, tile)
                three_bit_sums(b, half, deferred)
                ps, sc = block_sums(b, half), scale(b, half)
                deferred += [partial(finish_half, b, half, row, p=p, sc=sc) for row, p in enumerate(ps)]
            if block == 1:
                b.step(f"w{tile}", (SECOND_BASE - THREES_BASE) * VECTOR)
            if block == 3:
                b.step(f"w{tile}", (THREES_BASE - SECOND_BASE + GROUP + 1) * VECTOR)
    for last in deferred:
        last()
