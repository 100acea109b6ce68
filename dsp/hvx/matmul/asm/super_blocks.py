# SPDX-License-Identifier: MIT
"""Q4_K and Q5_K: a super-block of 256 k in one iteration, with its minimums: docs/arithmetic.md, 2.

Scales and minimums have 6 bits of their bytes; what they multiply lies in the other two, over four vectors each.

The strings are names of registers, which schedule.py allocates (instructions.py). Here z0 accumulates d16, u0 dm; y is
the vector with a block's scales, two blocks to a vector: y<pair>_<tile>, or y<block> where each block loads it again.
"one" to "nine" are scalar registers that table.py sets to these numbers before the loop, as shift amounts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from builder import MULTIPLY_PAIR, RESULTS, TYPES, VECTOR, Builder, rounded_blocks
from fives import FIVES_BASE, five_bit_sums, put_together, rest_of_codes
from instructions import EXTENDED, LOAD, LOGIC, MULTIPLY_16, SCALAR, SHIFT, Cost, Op
from steps import finish_nibbles, nibble_sums

FIVES = TYPES["Q5_K"]
BLOCKS = 8
SIX_BITS = 0x3F3F3F3F
SCALE_VECTORS = 2  # of four blocks
MINIMUM_VECTORS = 4  # of rows 0..31 and of rows 32..63 two each
AMOUNTS = {"two": 2, "four": 4, "six": 6, "eight": 8}
SPREAD = ("two", "four", "six")  # right shifts of the fields in vectors 1 to 3
TWO_PIPES = Cost(pipes=2)

# Loads a vector: its name, the tile, its number in its group of vectors.
Load = Callable[[Builder, str, int, int], str]


def load_next(b: Builder, name: str, tile: int, _: int) -> str:
    """Load a vector and advance the pointer."""
    return b.load(name, f"w{tile}")


def load_scales(b: Builder, group: int, tile: int, load: Load = load_next) -> None:
    """Load the scales of four blocks, and accumulate their bits of d16."""
    for i in range(SCALE_VECTORS):
        pair = SCALE_VECTORS * group + i
        small = load(b, f"z{pair}_{tile}", tile, i)
        b.both("vand", f"y{pair}_{tile}", small, "six_bits")
        if pair:
            b.add_shifted(f"z0_{tile}", small, SPREAD[pair - 1], "h")


def scale(b: Builder, block: int, tile: int) -> str:
    """A block's scale times 256; two scales are unpacked at once."""
    pair = f"sc{block // 2}_{tile}"
    if pair not in b.pairs:
        b.pairs.add(pair)
        codes = f"y{block // 2}_{tile}"
        b.add(TWO_PIPES, f"{{{pair}}}.b = vshuffoe({{{codes}}}.b,{{zero}}.b)", pair, codes, "zero")
    return f"{pair}.{'hi' if block % 2 else 'lo'}"


def minimum_word(b: Builder, row: int, i: int) -> str:
    """A word of t: HVX_FORM_SUPER_MINIMUMS keeps t in the high words of the last four blocks."""
    if not b.is_of_rows:
        return f"rd{4 + i}_{row}.hi"
    word = f"rt{i}_{row}"  # pairs would not fit the registers
    if word not in b.names:
        b.names[word] = [b.load_word(word, f"b{row}", f"+#{8 * i - 28}")]
    return word


def amount(b: Builder, name: str, where: str) -> str:
    """A shift amount, in a register of its own only if registers suffice."""
    if len(b.rows) < RESULTS or name == "two":
        return name
    return b.add(SCALAR, f"{{r{name}{where}}} = #{AMOUNTS[name]}", f"r{name}{where}")


def minimum_vector(b: Builder, tile: int, v: int, load: Load, mask: str = "six_bits") -> str:
    """Load one of the four vectors of minimums, and accumulate its bits of dm."""
    raw, vector = load(b, f"u{v}_{tile}", tile, v), f"m{v}_{tile}"
    b.both("vand", vector, raw, mask)
    if v:
        b.add_shifted(f"u0_{tile}", raw, amount(b, SPREAD[v - 1], f"m{v}"), "h")
    return vector


def minimum_sums(b: Builder, i: int, row: int, v: int, vector: str) -> None:
    """Accumulate a vector's minimums into a result's B."""
    total, first = f"{'H' if v > 1 else 'L'}m{i}", v % 2 == 0
    high, low = (minimum_word(b, row, v % 2 + part) for part in (0, 2))
    sign = "=" if first else "+="
    texts = [f"{{x{total}}}.w {sign} vrmpy({{{vector}}}.ub,{{{high}}}.b)",
             f"{{{total}}}.uw {sign} vrmpy({{{vector}}}.ub,{{{low}}}.ub)"]  # fmt: skip
    sums = [f"x{total}", total]
    b.ops.append(Op(texts, sums, [vector, high, low, *([] if first else sums)], MULTIPLY_PAIR))
    if not first:
        b.add_shifted(total, f"x{total}", amount(b, "eight", total), left=True)


def finish_minimums(b: Builder, i: int, tile: int) -> None:
    """Q = B16 * dm."""
    b16 = b.narrow(f"m{i}", "nine", ":rnd:sat")
    b.pairs.add(f"Q{i}")
    b.add(MULTIPLY_16, f"{{Q{i}}}.w = vmpy({{{b16}}}.h,{{u0_{tile}}}.h)", f"Q{i}", b16, f"u0_{tile}")


def minimums(b: Builder, tile: int, load: Load = load_next) -> None:
    """Q of each row."""
    mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
    for v in range(MINIMUM_VECTORS):
        vector = minimum_vector(b, tile, v, load)
        for i, row in mine:
            minimum_sums(b, i, row, v, vector)
    for i, _ in mine:
        finish_minimums(b, i, tile)


def finish(b: Builder, result: int, tile: int) -> None:
    """Add the super-block's sum, multiplied in 32 bits by d16 of odd lanes, and its minimums to T."""
    pa, d = f"PA{result}", f"z0_{tile}"
    if f"ze_{tile}" not in b.names:
        b.names[f"ze_{tile}"] = [b.interleave(f"ze_{tile}", d, d)]
    for odd, scale in enumerate((f"ze_{tile}", d)):
        half = "hi" if odd else "lo"
        w, total = f"W{result}{half}", f"V{result}{half}"
        b.add(MULTIPLY_16, f"{{{w}}}.w = vmpyo({{{pa}.{half}}}.w,{{{scale}}}.h):<<1:rnd:sat", w, pa, scale)
        b.add(LOGIC, f"{{{total}}}.w = vadd({{{w}}}.w,{{Q{result}.{half}}}.w)", total, w, f"Q{result}")
        b.add_to_total(result, odd, total)


def q4_k(b: Builder) -> None:
    """Eight blocks of Q4_K."""
    deferred: list[Callable[[], None]] = []
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

            deferred.append(end)
            if b.is_of_rows or len(deferred) > 1:
                deferred.pop(0)()
    if b.unpaired:
        b.multiply_pair(b.unpaired)
        b.unpaired = None
    if not b.is_of_rows:
        b.bias_pairs(BLOCKS - 1)
    for tile in b.tiles:
        minimums(b, tile)
    for last in deferred:
        last()
    for i, tile, _ in b.results():
        finish(b, i, tile)


def load_beside(b: Builder, name: str, tile: int, i: int) -> str:
    """Load a vector; the pointer stands behind the first four of these vectors."""
    return b.load_at(name, f"w{tile}", i - FIVES_BASE)


def load_before(b: Builder, name: str, vectors: int) -> str:
    """Load, of one tile, the vector that lies `vectors` before the pointer's block."""
    at = f"r{name}"
    b.add(SCALAR, f"{{{at}}} = add({{w0}},#{-(vectors + FIVES_BASE) * VECTOR})", at, "w0", stream="w0")
    return b.add(LOAD, f"{{{name}}} = vmem({{{at}}}+#0)", name, at)


def q5_k(b: Builder) -> None:
    """Eight blocks of Q5_K.

    With several rows, codes are unpacked once for all rows, and vectors that several blocks share are read again,
    because registers do not suffice. P16 is the block sum shifted right by two; it waits in `deferred` for the
    multiplication by its scale, so that multiplications of the next block's codes stand between.
    """
    deferred: list[Callable[[], None]] = []
    if len(b.rows) > RESULTS:
        b.pairs |= {f"PA{row}" for row in b.rows}
    for block in range(BLOCKS):
        for tile in b.tiles:
            in_group = block % 4
            if in_group == 0:
                if not b.is_of_rows:
                    keep_scales(b, block // 2, tile)
                b.step(f"w{tile}", SCALE_VECTORS * VECTOR)
            if b.is_of_rows:
                five_bit_sums_of_rows(b, block, deferred)
                behind_scales = SCALE_VECTORS + in_group * FIVES.vectors_per_block
                small = load_before(b, f"y{block}", behind_scales - in_group // 2)
            else:
                five_bit_sums(b, block, tile, False, deferred)
                small = f"y{block // 2}_{tile}"
            b.step(f"w{tile}", FIVES.vectors_per_block * VECTOR)
            rounds = ":rnd:sat" if in_group in rounded_blocks(FIVES) else ""
            for row in b.rows:
                p = b.narrow(f"{block}_{tile + row}", "two", rounds)
                deferred.append(partial(finish_block, b, block, tile, row, p=p, small=small))
    if b.is_of_rows:
        for last in deferred:
            last()
        finish_rows(b)
        return
    b.bias_pairs(BLOCKS - 1)
    for tile in b.tiles:
        minimums(b, tile, load_beside)
        b.step(f"w{tile}", MINIMUM_VECTORS * VECTOR)
    for last in deferred:
        last()
    for i, tile, _ in b.results():
        finish(b, i, tile)


def keep_scales(b: Builder, pair: int, tile: int) -> None:
    """Load the scales of four blocks, and accumulate their bits of d16."""
    if pair == 0:
        load_beside(b, f"z0_{tile}", tile, 0)
    for i in range(SCALE_VECTORS):
        small = load_beside(b, f"y{pair + i}_{tile}", tile, i)
        if pair + i:
            b.add_shifted(f"z0_{tile}", small, SPREAD[pair + i - 1], "h")


def five_bit_sums_of_rows(b: Builder, block: int, deferred: list[Callable[[], None]]) -> None:
    """Accumulate L and H of each row; a deferred step follows every j."""
    for j in range(8):
        rest_of_codes(b, block, j, 8 + j // 4 - FIVES_BASE)
        low, high = put_together(b, block, j, b.load_at(f"v{block}_{j}", "w0", j - FIVES_BASE))
        for row in b.rows:
            if len(b.rows) > RESULTS and deferred:  # frees registers
                deferred.pop(0)()
            q, name = b.q(block, row, j), f"{block}_{row}"
            b.multiply_pair((f"L{name}", low, q, j == 0), (f"H{name}", high, q, j == 0))
        if deferred:
            deferred.pop(0)()


def finish_block(b: Builder, block: int, tile: int, row: int, *, p: str, small: str) -> None:
    """Accumulate P16 into PA; `small` holds the block's scale."""
    name = f"sc{block}_{tile}"
    if name not in b.names:
        if block % 2 == 0:
            eight = amount(b, "eight", name)
            small = b.add(SHIFT, f"{{x{name}}}.h = vasl({{{small}}}.h,{{{eight}}})", f"x{name}", small, eight)
        b.names[name] = [b.both("vand", name, small, "scale")]
    if b.is_of_rows:
        da = b.load_word(f"re{block}_{row}", f"b{row}", "++#8")
    else:
        b.bias_pairs(block)
        da = f"rd{block}_{row}.lo"
    b.accumulate(tile + row, p, name, da, block == 0)


def finish_rows(b: Builder) -> None:
    """Finish one row after the other: registers do not suffice for several."""
    group = SCALE_VECTORS + 4 * FIVES.vectors_per_block
    for i in range(2 * SCALE_VECTORS):
        small = load_before(b, f"z{i}_0", (2 - i // SCALE_VECTORS) * group - i % SCALE_VECTORS)
        if i:
            b.add_shifted("z0_0", small, amount(b, SPREAD[i - 1], f"d{i}"), "h")
    mask = b.splat("low_six", b.add(EXTENDED, f"{{rsix}} = ##{SIX_BITS}", "rsix"))
    vectors = [minimum_vector(b, 0, v, load_beside, mask) for v in range(MINIMUM_VECTORS)]
    b.step("w0", MINIMUM_VECTORS * VECTOR)
    for row in b.rows:
        for v, vector in enumerate(vectors):
            minimum_sums(b, row, row, v, vector)
        finish_minimums(b, row, 0)
        finish(b, row, 0)
