# SPDX-License-Identifier: MIT
"""Q2_K and Q6_K: two blocks of 32 k, four scale blocks of 16.

16-bit multiplies take a packet's multipliers and leave slots that unpacking needs: so a scale block's are written
between the steps of the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from builder import RESULTS, TYPES, VECTOR, Builder
from instructions import LOAD, LOGIC, MULTIPLY_16, PREDICATE, SCALAR, SHIFT, Op

TWOS = TYPES["Q2_K"]
SIXES = TYPES["Q6_K"]
SIXES_BASE = 8  # pointers stand at a block's ninth vector of 13, so that offsets reach all of them

Deferred = list[Callable[[], None]]


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


def begin_super_block(b: Builder, base: int = 0) -> None:
    """Load d16 in every fourth iteration, which `count` tells: pointers stand at it there."""
    b.kept += [f"d{tile}" for tile in b.tiles]
    b.add(PREDICATE, "{P} = bitsclr({count},#3)", "P", "count")
    b.add(SCALAR, "{count} = add({count},#1)", "count", "count")
    for tile in b.tiles:
        w = f"w{tile}"
        b.add(LOAD, f"if ({{P}}) {{d{tile}}} = vmem({{{w}}}+#{-base})", f"d{tile}", "P", w, stream=w)
        b.ops.append(Op([f"if ({{P}}) {{{w}}} = add({{{w}}},{{skip}})"], [], ["P", w, "skip"], SCALAR, w))


def q2_k(b: Builder) -> None:
    """Two blocks of Q2_K."""
    deferred: Deferred = []
    begin_super_block(b)
    for block in range(2):
        for tile in b.tiles:
            if not b.is_of_rows:  # they need the registers
                small = b.load_at(f"z{block}_{tile}", f"w{tile}", TWOS.vectors_per_block - 1)
            for part, amount in enumerate(("eleven", "three")):
                half = Half(block, part, tile)
                two_bit_sums(b, half, deferred)
                names = [f"{half.at}_{row}" for row in b.rows]
                ps = [b.interleave(f"N{name}", f"L{name}", f"H{name}") for name in names]
                if not b.is_of_rows:
                    b.bias_pairs(half.number)
                else:
                    small = b.load_at(f"z{half.at}", f"w{tile}", TWOS.vectors_per_block - 1)
                sc = f"x{half.at}"
                b.add(SHIFT, f"{{{sc}}}.h = vasl({{{small}}}.h,{{{amount}}})", sc, small, amount)
                sc = b.both("vand", f"sc{half.at}", sc, "scale")
                deferred += [partial(finish_half, b, half, row, p=p, sc=sc) for row, p in enumerate(ps)]
            b.step(f"w{tile}", TWOS.vectors_per_block * VECTOR)
    for last in deferred:
        last()


def finish_half(b: Builder, half: Half, row: int, *, p: str, sc: str) -> None:
    """Accumulate P16 * mpyr(d16, sc) * da into PA, and PA into T after four scale blocks."""
    scale, d, in_group = f"s{half.at}", f"d{half.tile}", half.number % 4
    if row == 0:
        b.add(MULTIPLY_16, f"{{{scale}}}.h = vmpy({{{d}}}.h,{{{sc}}}.h):<<1:rnd:sat", scale, d, sc)
    pair = f"rd{half.number}_{row}"  # pairs of all rows would not fit the registers
    da = f"{pair}.lo" if pair in b.pairs else b.load_word(f"re{half.number}_{row}", f"b{row}", "++#8")
    b.accumulate(half.tile + row, p, scale, da, in_group == 0)
    if in_group == 3:
        b.drain(half.tile + row, half.at if half.number > 3 else "")


def multiply_rows(b: Builder, half: Half, j: int, codes: tuple[str, str], deferred: Deferred) -> None:
    """Accumulate the half block's codes 4*j..4*j+3 into L and H of each row."""
    for row in b.rows:
        q, name = b.q(half.block, row, 4 * half.part + j), f"{half.at}_{row}"
        b.multiply_pair((f"L{name}", codes[0], q, j == 0), (f"H{name}", codes[1], q, j == 0))
    if deferred:
        deferred.pop(0)()


def two_bit_sums_of_rows(b: Builder, half: Half, deferred: Deferred) -> None:
    """Unpack the codes to the low bits of bytes, once for all rows."""
    at = half.at
    for v in range(2):
        vector = b.load_at(f"v{at}_{v}", f"w{half.tile}", 2 * half.part + v)
        codes = [b.both("vand", f"c{at}_{v}_0", vector, "pair_0")]
        for i in range(1, 4):
            vector = b.shift_bytes_right(f"u{at}_{v}_{i}", vector, "two")
            codes.append(b.both("vand", f"c{at}_{v}_{i}", vector, "pair_0") if i < 3 else vector)
        for odd in range(2):
            multiply_rows(b, half, 2 * v + odd, (codes[2 * odd], codes[2 * odd + 1]), deferred)


def two_bit_sums(b: Builder, half: Half, deferred: Deferred) -> None:
    """Multiply codes where they lie: they count 1 and 4 for rows 0..31 and 32..63 of even j, 16 and 64 of odd j."""
    if b.is_of_rows:
        two_bit_sums_of_rows(b, half, deferred)
        return
    at = half.at
    sums = f"L{at}_0", f"A1{at}", f"A2{at}", f"A3{at}"
    for v in range(2):
        vector = b.load_at(f"v{at}_{v}", f"w{half.tile}", 2 * half.part + v)
        codes = [b.both("vand", f"c{at}_{v}_{i}", vector, f"pair_{i}") for i in range(4)]
        for odd in range(2):
            q = b.q(half.block, 0, 4 * half.part + 2 * v + odd)
            b.multiply_pair(*((sums[2 * odd + i], codes[2 * odd + i], q, v == 0) for i in range(2)))
        if deferred:
            deferred.pop(0)()
    b.add_shifted(sums[0], sums[2], "four")
    b.add_shifted(sums[1], sums[3], "four")
    b.add(SHIFT, f"{{H{at}_0}}.w = vasr({{{sums[1]}}}.w,{{two}})", f"H{at}_0", sums[1], "two")


def q6_k(b: Builder) -> None:
    """Two blocks of Q6_K: P16 times sc of both halves, brought to 16 bits, then times d16 * da; the last only when both
    blocks are there, for what waits takes one register a sum.
    """
    deferred: Deferred = []
    b.pairs |= {f"PA{i}" for i, _, _ in b.results()}
    begin_super_block(b, SIXES_BASE)
    for block in range(2):
        for tile in b.tiles:
            for part in range(2):
                half = Half(block, part, tile)
                (six_bit_sums_of_rows if b.is_of_rows else six_bit_sums_of_tiles)(b, half, deferred)
                if part == 0 or len(b.rows) == RESULTS:  # it needs the registers
                    small = b.load_at(f"z{half.at}", f"w{tile}", SIXES.vectors_per_block - 1 - SIXES_BASE)
                sc = f"x{half.at}"
                if part == 0:
                    if len(b.rows) == 2:  # the shifter is the bottleneck there
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
                            deferred.append(partial(finish_sixes, b, block, i, tile=tile, row=row))
    for last in deferred:
        last()


def splat_of_halves(b: Builder, number: int, row: int) -> str:
    """16*S; it is loaded together with da if registers suffice."""
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
    """Whether a row's da stay in registers until both blocks are summed."""
    return len(b.rows) <= 2


def finish_sixes(b: Builder, block: int, result: int, *, tile: int, row: int) -> None:
    """Combine both halves of a block; after the second block accumulate them into a result."""
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


def six_bit_sums_of_tiles(b: Builder, half: Half, deferred: Deferred) -> None:
    """Multiply the bit fields of a code where they lie: as in fives.py, with fields of 6 and 2 bits."""
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
            if deferred:
                deferred.pop(0)()
        b.multiply_pair((high, pieces[0], b.q(block, 0, 2 * pair), first), (other, pieces[1], q, first))
    b.add(LOGIC, f"{{D{at}}}.w = vsub({{{total}}}.w,{{{low_sum}}}.w)", f"D{at}", total, low_sum)
    b.add_shifted(high, f"D{at}", "two")
    b.add_shifted(high, other, "four")


def six_bit_sums_of_rows(b: Builder, half: Half, deferred: Deferred) -> None:
    """Unpack the codes once for all rows."""
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
            if deferred:
                deferred.pop(0)()
