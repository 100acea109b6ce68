# SPDX-License-Identifier: MIT
"""Q2_K, Q3_K and Q6_K: two blocks of 32 k, four scale blocks of 16.

16-bit multiplies take a packet's multipliers and leave slots that unpacking needs: so a scale block's are written
between the steps of the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from builder import RESULTS, TYPES, VECTOR, Builder
from read_types import WeightType
from schedule import LOAD, LOGIC, MULTIPLY_16, PREDICATE, SCALAR, SHIFT, Op

SIXES = TYPES["Q6_K"]
SIXES_BASE = 8  # pointers stand at the ninth of a block's 13 vectors, so that offsets reach all of them

Ends = list[Callable[[], None]]


@dataclass(frozen=True)
class Half:
    """A scale block of a tile: half of one of the two blocks."""

    block: int
    part: int
    tile: int

    @property
    def number(self) -> int:
        return 2 * self.block + self.part

    @property
    def at(self) -> str:
        return f"{self.number}_{self.tile}"


def begin_super_block(b: Builder, row: WeightType, base: int = 0) -> None:
    """d16, loaded before every fourth iteration: pointers stand at it then, and `count` tells which these are."""
    b.kept += [f"d{tile}" for tile in b.tiles]
    b.add(PREDICATE, "{P} = bitsclr({count},#3)", "P", "count")
    b.add(SCALAR, "{count} = add({count},#1)", "count", "count")
    for tile in b.tiles:
        w = f"w{tile}"
        b.add(LOAD, f"if ({{P}}) {{d{tile}}} = vmem({{{w}}}+#{-base})", f"d{tile}", "P", w, stream=w)
        b.ops.append(Op([f"if ({{P}}) {{{w}}} = add({{{w}}},{{skip}})"], [], ["P", w, "skip"], SCALAR, w))


def with_super_blocks(b: Builder, row: WeightType, sums: Callable[[Builder, Half, Ends], None],
                      shifts: tuple[str, str], biased: bool) -> None:  # fmt: skip
    """Two blocks of Q2_K or Q3_K.

    `sums` makes the sums L and H of a half block of a tile, for each row; `shifts` move each half's bits of a scale to
    the top.
    """
    ends: Ends = []
    begin_super_block(b, row)
    for block in range(2):
        for tile in b.tiles:
            if not b.is_of_rows:  # which want the registers
                small = b.load_at(f"z{block}_{tile}", f"w{tile}", row.vectors_per_block - 1)
            for part in range(2):
                half = Half(block, part, tile)
                at = half.at
                sums(b, half, ends)
                ps = half_block_sums(b, half, biased)
                if b.is_of_rows:
                    small = b.load_at(f"z{at}", f"w{tile}", row.vectors_per_block - 1)
                sc, amount = f"x{at}", shifts[part]
                b.add(SHIFT, f"{{{sc}}}.h = vasl({{{small}}}.h,{{{amount}}})", sc, small, amount)
                if amount != shifts[0] or not biased:
                    sc = b.both("vand", f"sc{at}", sc, "scale")

                def end(half: Half = half, row: int = 0, p: str = "", sc: str = sc) -> None:
                    scale, d = f"s{half.at}", f"d{half.tile}"
                    if row == 0:
                        b.add(MULTIPLY_16, f"{{{scale}}}.h = vmpy({{{d}}}.h,{{{sc}}}.h):<<1:rnd:sat", scale, d, sc)
                    da = f"rd{half.number}_{row}.lo"
                    if b.is_of_rows:  # pairs for all rows would not fit the registers
                        da = b.load_word(f"re{half.number}_{row}", f"b{row}", "++#8")
                    b.accumulate(half.tile + row, p, scale, da, half.number == 0)
                    if half.number == 3:
                        b.drain(half.tile + row)

                ends += [partial(end, row=row, p=p) for row, p in enumerate(ps)]
            b.step(f"w{tile}", row.vectors_per_block * VECTOR)
    for last in ends:
        last()


def half_block_sums(b: Builder, half: Half, biased: bool) -> list[str]:
    """P16 of each row."""
    at, number = half.at, half.number
    if not b.is_of_rows:
        p = b.interleave(f"N{at}", f"L{at}_0", f"H{at}_0")
        b.bias_pairs(number)
        if biased and half.tile == 0:
            b.names[f"y{number}"] = b.splat_bias(number, str(number), "l")
        return [b.subtract_i16(f"P{at}", p, b.names[f"y{number}"][0]) if biased else p]
    if not biased:
        return [b.interleave(f"N{at}_{row}", f"L{at}_{row}", f"H{at}_{row}") for row in b.rows]
    words = [b.load_word(f"rs{number}_{row}", f"b{row}", "+#4") for row in b.rows]
    ps = []
    for row, bias in enumerate(b.splat_words(words, at, "l")):  # one after the other, for want of registers
        p = b.interleave(f"N{at}_{row}", f"L{at}_{row}", f"H{at}_{row}")
        ps.append(b.subtract_i16(f"P{at}_{row}", p, bias))
    return ps


def multiply_rows(b: Builder, half: Half, j: int, codes: tuple[str, str], ends: Ends) -> None:
    """Adds the products of the half block's four codes from 4*j on to L and H of each row."""
    for row in b.rows:
        q, name = b.q(half.block, row, 4 * half.part + j), f"{half.at}_{row}"
        b.multiply_pair((f"L{name}", codes[0], q, j == 0), (f"H{name}", codes[1], q, j == 0))
    if ends:
        ends.pop(0)()


def two_bit_sums_of_rows(b: Builder, half: Half, ends: Ends) -> None:
    """Codes are put at the bottom of bytes once for all rows."""
    at = half.at
    for v in range(2):
        vector = b.load_at(f"v{at}_{v}", f"w{half.tile}", 2 * half.part + v)
        codes = [b.both("vand", f"c{at}_{v}_0", vector, "pair_0")]
        for i in range(1, 4):
            vector = b.shift_bytes_right(f"u{at}_{v}_{i}", vector, "two")
            codes.append(b.both("vand", f"c{at}_{v}_{i}", vector, "pair_0") if i < 3 else vector)
        for odd in range(2):
            multiply_rows(b, half, 2 * v + odd, (codes[2 * odd], codes[2 * odd + 1]), ends)


def two_bit_sums(b: Builder, half: Half, ends: Ends) -> None:
    """Codes are multiplied where they are: times 1 and 4 for rows 0..31 and 32..63 of the even j, then 16 and 64."""
    if b.is_of_rows:
        two_bit_sums_of_rows(b, half, ends)
        return
    at = half.at
    sums = f"L{at}_0", f"A1{at}", f"A2{at}", f"A3{at}"
    for v in range(2):
        vector = b.load_at(f"v{at}_{v}", f"w{half.tile}", 2 * half.part + v)
        codes = [b.both("vand", f"c{at}_{v}_{i}", vector, f"pair_{i}") for i in range(4)]
        for odd in range(2):
            q = b.q(half.block, 0, 4 * half.part + 2 * v + odd)
            b.multiply_pair(*((sums[2 * odd + i], codes[2 * odd + i], q, v == 0) for i in range(2)))
        if ends:
            ends.pop(0)()
    b.add_shifted(sums[0], sums[2], "four")
    b.add_shifted(sums[1], sums[3], "four")
    b.add(SHIFT, f"{{H{at}_0}}.w = vasr({{{sums[1]}}}.w,{{two}})", f"H{at}_0", sums[1], "two")


def q2_k(b: Builder) -> None:
    """Two blocks of Q2_K."""
    with_super_blocks(b, TYPES["Q2_K"], two_bit_sums, ("eleven", "three"), biased=False)


def three_bit_sums_of_rows(b: Builder, half: Half, ends: Ends) -> None:
    """Codes are put at the bottom of bytes once for all rows."""
    at, last = half.at, []
    for v in range(3):
        vector = b.load_at(f"v{at}_{v}", f"w{half.tile}", 3 * half.part + v)
        shifted = b.shift_bytes_right(f"s{at}_{v}", vector, "three")
        codes = (b.both("vand", f"lo{at}_{v}", vector, "three_0"), b.both("vand", f"hi{at}_{v}", shifted, "three_0"))
        if v < 2:
            last.append(b.shift_bytes_right(f"u{at}_{v}", shifted, "three"))
        else:
            tops = b.both("vand", f"t0{at}", vector, "bit_6"), b.shift_bytes_right(f"t1{at}", vector, "seven")
        multiply_rows(b, half, v, codes, ends)
    b.add_shifted(last[0], tops[0], "four", "h")
    b.add_shifted(last[1], tops[1], "two", "h", left=True)
    multiply_rows(b, half, 3, (last[0], last[1]), ends)


def three_bit_sums(b: Builder, half: Half, ends: Ends) -> None:
    """L of rows 0..31; of rows 32..63 H, and E of the first three j, times 8. The fourth j's codes are put together."""
    if b.is_of_rows:
        three_bit_sums_of_rows(b, half, ends)
        return
    at, w, first = half.at, f"w{half.tile}", 4 * half.part
    low, high, eights = f"L{at}_0", f"H{at}_0", f"E{at}"
    last = []
    for v in range(3):
        q, vector = b.q(half.block, 0, first + v), b.load_at(f"v{at}_{v}", w, 3 * half.part + v)
        codes = b.both("vand", f"lo{at}_{v}", vector, "three_0"), b.both("vand", f"hi{at}_{v}", vector, "three_1")
        if v < 2:
            last.append(b.shift_bytes_right(f"u{at}_{v}", vector, "six"))
        else:
            top = b.both("vand", f"t0{at}", vector, "bit_6"), b.shift_bytes_right(f"t1{at}", vector, "seven")
        b.multiply_pair((low, codes[0], q, v == 0), (eights, codes[1], q, v == 0))
        if v and ends:
            ends.pop(0)()
    b.add_shifted(last[0], top[0], "four", "h")
    b.add_shifted(last[1], top[1], "two", "h", left=True)
    q = b.q(half.block, 0, first + 3)
    b.multiply_pair((low, last[0], q, False), (high, last[1], q, True))
    b.add_shifted(high, eights, "three")


def q3_k(b: Builder) -> None:
    """Two blocks of Q3_K."""
    with_super_blocks(b, TYPES["Q3_K"], three_bit_sums, ("ten", "two"), biased=True)


def q6_k(b: Builder) -> None:
    """Two blocks of Q6_K: P16 times sc of both halves, brought to 16 bits, then times d16 * da; the last only when both
    blocks are there, for what waits takes one register a sum.
    """
    ends: Ends = []
    b.pairs |= {f"PA{i}" for i, _, _ in b.results()}
    begin_super_block(b, SIXES, SIXES_BASE)
    for block in range(2):
        for tile in b.tiles:
            for part in range(2):
                half = Half(block, part, tile)
                (six_bit_sums_of_rows if b.is_of_rows else six_bit_sums_of_tiles)(b, half, ends)
                if part == 0 or len(b.rows) == RESULTS:  # which wants the registers
                    small = b.load_at(f"z{half.at}", f"w{tile}", SIXES.vectors_per_block - 1 - SIXES_BASE)
                sc = f"x{half.at}"
                if part == 0:
                    if len(b.rows) == 2:  # who have no shifts to spare
                        b.add(LOGIC, f"{{{sc}}}.b = vshuffe({{{small}}}.b,{{zero}}.b)", sc, small, "zero")
                    else:
                        b.add(SHIFT, f"{{{sc}}}.h = vasl({{{small}}}.h,{{eight}})", sc, small, "eight")
                else:
                    b.both("vand", sc, small, "scale")
                    b.step(f"w{tile}", SIXES.vectors_per_block * VECTOR)
                for i, of_tile, row in b.results():
                    if of_tile == tile:
                        name = f"{half.number}_{i}"
                        b.subtract_i16(f"P{name}", b.narrow(name, "one"), splat_of_halves(b, half.number, row))
                        if part == 1:
                            ends.append(partial(finish_sixes, b, block, i, tile=tile, row=row))
    for last in ends:
        last()


def splat_of_halves(b: Builder, number: int, row: int) -> str:
    """16*S, loaded with da where there are registers for that."""
    name = f"y{number}_{row}"
    if name not in b.names:
        if keeps_scales(b):
            b.bias_pairs(number)
            word = f"rd{number}_{row}.hi"
        else:
            word = b.load_word(f"rs{number}_{row}", f"b{row}", f"+#{4 + 8 * number}")
        b.names[name] = [b.splat(name, word)]
    return b.names[name][0]


def keeps_scales(b: Builder) -> bool:
    """Whether a row's da stay in registers until both blocks are there."""
    return len(b.rows) <= 2


def finish_sixes(b: Builder, block: int, result: int, *, tile: int, row: int) -> None:
    """Both halves of a block are put together; after the second block they go into a result's sums."""
    pair = f"Q{block}_{result}"
    b.pairs.add(pair)
    for part in range(2):
        p, sc = f"P{2 * block + part}_{result}", f"x{2 * block + part}_{tile}"
        text = f"{{{pair}}}.w {'+=' if part else '='} vmpy({{{p}}}.h,{{{sc}}}.h)"
        b.add(MULTIPLY_16, text, pair, *([pair] if part else []), p, sc)
    text = f"{{Q16{block}_{result}}}.h = vround({{{pair}.hi}}.w,{{{pair}.lo}}.w):sat"
    b.add(SHIFT, text, f"Q16{block}_{result}", pair)
    if block == 1:
        for i in range(2):
            da = f"rd{2 * i + 1}_{row}.lo" if keeps_scales(b) else b.load_word(f"re{i}_{row}", f"b{row}", "++#16")
            b.accumulate(result, f"Q16{i}_{result}", f"d{tile}", da, i == 0)
        b.drain(result)


def six_bit_sums_of_tiles(b: Builder, half: Half, ends: Ends) -> None:
    """The pieces of a code are multiplied where they are: as in fives.py, but there are 2 bits beside the others' 6."""
    at, w, block = half.at, f"w{half.tile}", half.block
    low_sum, total, high, other = (f"{name}{at}" for name in "LSHO")
    for pair in (2 * half.part, 2 * half.part + 1):
        first = pair % 2 == 0
        for j in (2 * pair, 2 * pair + 1):
            q, v = b.q(block, 0, j), b.load_at(f"v{at}_{j}", w, j - SIXES_BASE)
            low = b.both("vand", f"lo{at}_{j}", v, "mask")
            b.multiply_pair((total, v, q, j % 4 == 0))
            b.multiply_pair((low_sum, low, q, j % 4 == 0))
            if j % 2 == 0:
                rest = b.load_at(f"e{at}_{pair}", w, 8 + pair - SIXES_BASE)
                pieces = [b.both("vand", f"k{m}{at}_{pair}", rest, f"nibble_{m}") for m in range(2)]
            if ends:
                ends.pop(0)()
        b.multiply_pair((high, pieces[0], b.q(block, 0, 2 * pair), first), (other, pieces[1], q, first))
    b.add(LOGIC, f"{{D{at}}}.w = vsub({{{total}}}.w,{{{low_sum}}}.w)", f"D{at}", total, low_sum)
    b.add_shifted(high, f"D{at}", "two")
    b.add_shifted(high, other, "four")


def six_bit_sums_of_rows(b: Builder, half: Half, ends: Ends) -> None:
    """Codes are put together once for all rows."""
    at = half.at
    for pair in (2 * half.part, 2 * half.part + 1):
        rest = b.load_at(f"e{at}_{pair}", "w0", 8 + pair - SIXES_BASE)
        highs = b.both("vand", f"k0{at}_{pair}", rest, "nibble_0"), b.shift_bytes_right(f"k1{at}_{pair}", rest, "four")
        for j in (2 * pair, 2 * pair + 1):
            v = b.load_at(f"v{at}_{j}", "w0", j - SIXES_BASE)
            low = b.both("vand", f"lo{at}_{j}", v, "mask")
            top = b.shift_bytes_right(f"t{at}_{j}", v, "six")
            b.add_shifted(highs[j % 2], top, "four", "h", left=True)
            for row in b.rows:
                sums, q = (f"L{half.number}_{row}", f"H{half.number}_{row}"), b.q(half.block, row, j)
                b.multiply_pair((sums[0], low, q, j % 4 == 0), (sums[1], highs[j % 2], q, j % 4 == 0))
            if ends:
                ends.pop(0)()
