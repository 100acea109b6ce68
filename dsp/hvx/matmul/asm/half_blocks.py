# SPDX-License-Identifier: MIT
"""Q2_K, Q3_K and Q6_K: two blocks of 32 k, four scale blocks of 16.

16-bit multiplies take a packet's multipliers and leave slots that unpacking needs: so a scale block's are written
between the steps of the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from builder import MULTIPLY_PAIR, TYPES, VECTOR, Builder
from read_types import WeightType
from schedule import LOAD, LOGIC, MULTIPLY_16, PREDICATE, SCALAR, SHIFT, Cost, Op
from steps import narrow

EXTENDED = Cost(slots=2, pipes=0, high_slots=1)  # a scalar instruction with a constant of 32 bits
SIXES = TYPES["Q6_K"]
SIXES_BASE = 8  # pointers stand at the ninth of a block's 14 vectors, so that offsets reach all of them

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


@dataclass(frozen=True)
class SuperBlock:
    """Eight blocks whose scales are made of 16 bits for all of them, in front, and a few bits for each at its end."""

    row: WeightType

    @property
    def vectors(self) -> int:
        return self.row.vectors_per_block

    @property
    def small(self) -> int:
        """Which vector of a block has the few bits."""
        return self.vectors - 1

    @property
    def back(self) -> int:
        """Bytes from the first block to the lead; the scalar `lead` holds it for each two blocks in turn."""
        return -self.row.lead_vectors * VECTOR

    def begin(self, b: Builder) -> None:
        """Finds out whether these are the last two blocks."""
        b.add(EXTENDED, f"{{P}} = cmp.eq({{lead}},##{self.back - 6 * self.vectors * VECTOR})", "P", "lead")
        b.add(EXTENDED, f"{{rskip}} = mux({{P}},##{-self.back},#0)", "rskip", "P")

    def load_scale(self, b: Builder, block: int, tile: int) -> str:
        """d16, by the pointer to the tile's block."""
        d, at = f"d{block}_{tile}", f"rd{block}_{tile}_at"
        b.add(SCALAR, f"{{{at}}} = add({{w{tile}}},{{lead}})", at, f"w{tile}", "lead", stream=f"w{tile}")
        return b.add(LOAD, f"{{{d}}} = vmem({{{at}}}+#{-block * self.vectors})", d, at)

    def end(self, b: Builder) -> None:
        b.add(SCALAR, f"{{lead}} = add({{lead}},#{-2 * self.vectors * VECTOR})", "lead", "lead")
        b.add(EXTENDED, f"{{lead}} = mux({{P}},##{self.back},{{lead}})", "lead", "P", "lead")

    def step(self, b: Builder, block: int, tile: int) -> None:
        b.step(f"w{tile}", self.vectors * VECTOR)
        if block == 1:
            text = f"{{w{tile}}} = add({{w{tile}}},{{rskip}})"
            b.ops.append(Op([text], [], [f"w{tile}", "rskip"], SCALAR, f"w{tile}"))


def with_super_blocks(b: Builder, s: SuperBlock, sums: Callable[[Builder, Half, Ends], str],
                      shifts: tuple[str, str], biased: bool) -> None:  # fmt: skip
    """Two blocks of Q2_K or Q3_K for tiles.

    `sums` gives the sums of a half block of a tile as 16 bits; `shifts` move each half's bits of a scale to the top.
    """
    ends: Ends = []
    for block in range(2):
        for tile in b.tiles:
            if block == 1 and tile == 0:
                s.begin(b)
            d = s.load_scale(b, block, tile)
            if block == 1 and tile == b.tiles[-1]:
                s.end(b)
            small = b.load_at(f"z{block}_{tile}", f"w{tile}", s.small)
            for part in range(2):
                half = Half(block, part, tile)
                number, at = half.number, half.at
                p = sums(b, half, ends)
                b.bias_pairs(number)
                if biased:
                    if tile == 0:
                        b.names[f"y{number}"] = b.splat_bias(number, str(number), "l")
                    p = b.subtract_i16(f"P{at}", p, b.names[f"y{number}"][0])
                sc, amount = f"x{at}", shifts[part]
                b.add(SHIFT, f"{{{sc}}}.h = vasl({{{small}}}.h,{{{amount}}})", sc, small, amount)
                if amount != shifts[0] or not biased:
                    sc = b.both("vand", f"sc{at}", sc, "scale")

                def end(tile: int = tile, p: str = p, sc: str = sc, number: int = number, d: str = d) -> None:
                    scale = f"s{p}"
                    b.add(MULTIPLY_16, f"{{{scale}}}.h = vmpy({{{d}}}.h,{{{sc}}}.h):<<1:rnd:sat", scale, d, sc)
                    b.accumulate(tile, p, scale, f"rd{number}_0.lo", number == 0)
                    if number == 3:
                        b.drain(tile)

                ends.append(end)
            s.step(b, block, tile)
    for last in ends:
        last()


def two_bit_sums(b: Builder, half: Half, ends: Ends) -> str:
    """Codes are multiplied where they are: times 1 and 4 for rows 0..31 and 32..63 of the even j, then 16 and 64."""
    at = half.at
    for v in range(2):
        vector = b.load_at(f"v{at}_{v}", f"w{half.tile}", 2 * half.part + v)
        codes = [b.both("vand", f"c{at}_{v}_{i}", vector, f"pair_{i}") for i in range(4)]
        for odd in range(2):
            q = b.q(half.block, 0, 4 * half.part + 2 * v + odd)
            b.multiply_pair((f"A{2 * odd}{at}", codes[2 * odd], q, v == 0),
                            (f"A{2 * odd + 1}{at}", codes[2 * odd + 1], q, v == 0))  # fmt: skip
        if ends:
            ends.pop(0)()
    low, high = f"A0{at}", f"A1{at}"
    b.add_shifted(low, f"A2{at}", "four")
    b.add_shifted(high, f"A3{at}", "four")
    b.add(SHIFT, f"{{H{at}}}.w = vasr({{{high}}}.w,{{two}})", f"H{at}", high, "two")
    return b.interleave(f"N{at}", low, f"H{at}")


def q2_k(b: Builder) -> None:
    """Two blocks of Q2_K for tiles."""
    with_super_blocks(b, SuperBlock(TYPES["Q2_K"]), two_bit_sums, ("eleven", "three"), biased=False)


def three_bit_sums(b: Builder, half: Half, ends: Ends) -> str:
    """L of rows 0..31; of rows 32..63 H, and E of the first three j, times 8. The fourth j's codes are put together."""
    at, w, first = half.at, f"w{half.tile}", 4 * half.part
    low, high, eights = f"L{at}", f"H{at}", f"E{at}"
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
    return b.interleave(f"N{at}", low, high)


def q3_k(b: Builder) -> None:
    """Two blocks of Q3_K for tiles."""
    with_super_blocks(b, SuperBlock(TYPES["Q3_K"]), three_bit_sums, ("ten", "two"), biased=True)


def q6_k(b: Builder) -> None:
    """Two blocks of Q6_K; each scale block has its own da and bias."""
    ends: Ends = []
    for block in range(2):
        for tile in b.tiles:
            for part in range(2):
                half = Half(block, part, tile)
                number = half.number
                if tile == 0:
                    for row in b.rows:
                        b.load_word(f"rs{number}_{row}", f"b{row}", f"+#{4 + 8 * part}")
                sums = six_bit_sums_of_rows if b.form == "rows" else six_bit_sums_of_tiles
                sums(b, half, ends)
                scale = b.load_at(f"s{half.at}", f"w{tile}", SIXES.vectors_per_block - 2 + part - SIXES_BASE)
                if part == 1:
                    b.step(f"w{tile}", SIXES.vectors_per_block * VECTOR)
                for i, of_tile, row in b.results():
                    if of_tile != tile:
                        continue
                    p = narrow(b, f"{number}_{i}", "one")

                    def end(i: int = i, p: str = p, scale: str = scale, number: int = number, row: int = row) -> None:
                        da = f"re{number // 2}_{row}"
                        if da not in b.names:
                            b.names[da] = [b.load_word(da, f"b{row}", "++#16")]
                        b.accumulate(i, p, scale, da, number == 0)
                        if number == 3:
                            b.drain(i)

                    ends.append(end)
    for last in ends:
        last()


def six_bit_sums_of_tiles(b: Builder, half: Half, ends: Ends) -> None:
    """The pieces of a code are multiplied where they are: as in fives.py, but there are 2 bits beside the others' 6.

    L and S begin with the bias and with 5 times that: H gets a quarter of S - L.
    """
    at, w, number, block = half.at, f"w{half.tile}", half.number, half.block
    low_sum, total, high, other = (f"{name}{at}" for name in "LSHO")
    if f"x{number}" not in b.names:
        word, five = f"rs{number}_0", f"rs{number}_5"
        b.add(PREDICATE, f"{{{five}}} = addasl({{{word}}},{{{word}}},#2)", five, word)
        b.names[f"x{number}"] = [b.splat(f"x{number}", word), b.splat(f"y{number}", five)]
    for target, start in zip((low_sum, total), b.names[f"x{number}"], strict=True):
        b.copy(target, start)
    for pair in (2 * half.part, 2 * half.part + 1):
        for j in (2 * pair, 2 * pair + 1):
            q, v = b.q(block, 0, j), b.load_at(f"v{at}_{j}", w, j - SIXES_BASE)
            low = b.both("vand", f"lo{at}_{j}", v, "mask")
            b.multiply_pair((total, v, q, False))
            b.multiply_pair((low_sum, low, q, False))
            if j % 2 == 0:
                rest = b.load_at(f"e{at}_{pair}", w, 8 + pair - SIXES_BASE)
                pieces = [b.both("vand", f"k{m}{at}_{pair}", rest, f"nibble_{m}") for m in range(2)]
            if ends:
                ends.pop(0)()
        first = pair % 2 == 0
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
                sums = f"L{half.number}_{row}", f"H{half.number}_{row}"
                if j == 4 * half.part:
                    start_sums(b, row, half.number)
                q = b.q(half.block, row, j)
                b.multiply_pair((sums[0], low, q, False), (sums[1], highs[j % 2], q, False))
            if ends:
                ends.pop(0)()


def start_sums(b: Builder, row: int, number: int) -> None:
    """A row's sums begin with its bias: splats for two rows at once."""
    if row % 2 == 0:
        words, sums = [f"rs{number}_{row + i}" for i in range(2)], [f"L{number}_{row + i}" for i in range(2)]
        texts = [f"{{{target}}} = vsplat({{{word}}})" for target, word in zip(sums, words, strict=True)]
        b.ops.append(Op(texts, sums, words, MULTIPLY_PAIR))
    b.copy(f"H{number}_{row}", f"L{number}_{row}")
