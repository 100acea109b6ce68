# SPDX-License-Identifier: MIT
"""What each weight type does in four scale blocks: docs/arithmetic.md, 2, and the C of ../matmul_<type>.c.

The order of the instructions is the order in which the scheduler places them, so it matters for speed: a temporary's
definition stands close to its use, and what needs a whole packet's multipliers stands apart.
"""

from __future__ import annotations

from collections.abc import Callable

from builder import MULTIPLY_PAIR, RESULTS, Builder
from schedule import LOAD, LOGIC, MULTIPLY_16, PERMUTE, SCALAR, SHIFT, Cost, Op

Q6_K_BASE = 8  # pointers stand at the ninth of a block's 14 vectors, so that offsets reach all of them
Q2_K_VECTORS = 5
Q2_K_LEAD = -2 * 128  # from a super-block's first block to its first vector, d16
EXTENDED = Cost(slots=2, pipes=0, high_slots=1)  # a scalar instruction with a constant of 32 bits
FIVE_BITS_BASE = 4  # likewise, of 11 or 12
SUPER_BLOCK_SKIP = 5 * 128  # Q4_K's minimums, after every second group


def nibble_sums(b: Builder, block: int, tile: int) -> None:
    """Sums of code * q: L and H of each of the tile's results; S, for form `tiles`, instead of H."""
    if b.form == "rows":
        for j in range(8):
            tag = f"{block}_{j}"
            qs = [b.q(block, row, j) for row in b.rows]
            b.load(f"v{tag}", "w0")
            b.both("vand", f"lo{tag}", f"v{tag}", "mask")
            b.shift_bytes_right(f"hi{tag}", f"v{tag}", "shift")
            for row in b.rows:
                b.multiply_pair((f"L{block}_{row}", f"lo{tag}", qs[row], j == 0),
                                (f"H{block}_{row}", f"hi{tag}", qs[row], j == 0))  # fmt: skip
        return
    # The low nibbles of one vector are multiplied along with the whole of the next.
    for j in range(8):
        name, tag = f"{block}_{tile}", f"{block}_{tile}_{j}"
        q = b.q(block, 0, j)
        low, whole = f"lo{tag}", f"v{tag}"
        b.load(whole, f"w{tile}")
        b.both("vand", low, whole, "mask")
        terms = [(f"S{name}", whole, q, j == 0)]
        if b.waiting:
            terms.append(b.waiting)
        b.multiply_pair(*terms)
        b.waiting = (f"L{name}", low, q, j == 0)


def finish_nibbles(b: Builder, name: str) -> None:
    """H = (S - L) >> 4."""
    if b.form == "tiles":
        b.add(LOGIC, f"{{D{name}}}.w = vsub({{S{name}}}.w,{{L{name}}}.w)", f"D{name}", f"S{name}", f"L{name}")
        b.add(SHIFT, f"{{H{name}}}.w = vasr({{D{name}}}.w,{{shift}})", f"H{name}", f"D{name}", "shift")


def narrow(b: Builder, name: str, amount: str, suffix: str = "") -> str:
    """16 bits of L and H, shifted, lanes as in a scale vector."""
    text = f"{{N{name}}}.h = vasr({{H{name}}}.w,{{L{name}}}.w,{{{amount}}}){suffix}"
    return b.add(SHIFT, text, f"N{name}", f"H{name}", f"L{name}", amount)


def skip_minimums(b: Builder, tile: int) -> None:
    texts = [f"if (p{tile}) {{w{tile}}} = add({{w{tile}}},{{skip}})", f"p{tile} = not(p{tile})"]
    b.ops.append(Op(texts, [], [f"w{tile}"], Cost(slots=2, high_slots=1, pipes=0), f"w{tile}"))


def nibble_blocks(b: Builder, minimums: bool, sums_to_p: Callable[[Builder, int, list[int]], list[str]],
                  block_minimums: bool = False) -> None:  # fmt: skip
    """Four blocks. `sums_to_p` turns a block's sums L and H into P16 of the results given.

    With several tiles a tile's last multiply is in the next one's first packet, so its end is written after that.
    """
    ends: list[Callable[[], None]] = []
    for block in range(4):
        for tile in b.tiles:
            nibble_sums(b, block, tile)
            scale = b.load(f"s{block}_{tile}", f"w{tile}")
            minimum = b.load(f"m{block}_{tile}", f"w{tile}") if block_minimums else ""
            if minimums and block == 3:
                skip_minimums(b, tile)

            def end(block: int = block, tile: int = tile, scale: str = scale, minimum: str = minimum) -> None:
                mine = [result for result in b.results() if result[1] == tile]
                b.bias_pairs(block)
                for i, _, _ in mine:
                    finish_nibbles(b, f"{block}_{i}")
                for (i, _, row), p in zip(mine, sums_to_p(b, block, [i for i, _, _ in mine]), strict=True):
                    b.accumulate(i, p, scale, f"rd{block}_{row}.lo", block == 0)
                    if block_minimums:
                        b.accumulate_minimum(i, minimum, f"rd{block}_{row}")
                    if block == 3:
                        b.drain(i)

            ends.append(end)
            if b.form == "rows" or len(ends) > 1:
                ends.pop(0)()
    if b.waiting:
        b.multiply_pair(b.waiting)
    for last in ends:
        last()


def q4_1(b: Builder) -> None:
    """Four blocks of Q4_1."""
    q4_0(b, block_minimums=True)


def q4_0(b: Builder, block_minimums: bool = False) -> None:
    """Four blocks of Q4_0."""

    def sums_to_p(b: Builder, block: int, results: list[int]) -> list[str]:
        if b.form == "rows" or f"y{block}_0" not in b.names:
            b.names[f"y{block}_0"] = b.splat_bias(block, str(block), "h" if block_minimums else "l")
        biases = b.names[f"y{block}_0"]
        ps = []
        for i in results:
            name = f"{block}_{i}"
            sums = b.interleave(f"N{name}", f"L{name}", f"H{name}")
            ps.append(b.subtract_i16(f"P{name}", sums, biases[i if b.form == "rows" else 0]))
        return ps

    nibble_blocks(b, False, sums_to_p, block_minimums)


def q4_k(b: Builder) -> None:
    """Four blocks of Q4_K, and the step over the minimums after every second four."""

    def sums_to_p(b: Builder, block: int, results: list[int]) -> list[str]:
        return [narrow(b, f"{block}_{i}", "one", "" if block % 2 else ":rnd:sat") for i in results]

    nibble_blocks(b, True, sums_to_p)


def q8_0(b: Builder) -> None:
    """Four blocks of Q8_0."""
    for block in range(4):
        for tile in b.tiles:
            mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
            for j in range(8):
                low = b.load(f"Lw{block}_{tile}_{j}", f"w{tile}")
                high = b.load(f"Hw{block}_{tile}_{j}", f"w{tile}")
                for i, row in mine:
                    q = b.q(block, row, j)
                    if j == 0:
                        b.copy(f"L{block}_{i}", "half")
                        b.copy(f"H{block}_{i}", "half")
                    b.multiply_pair((f"L{block}_{i}", low, q, False), (f"H{block}_{i}", high, q, False))
            scale = b.load(f"s{block}_{tile}", f"w{tile}")
            b.bias_pairs(block)
            if b.form == "rows" or tile == 0:
                biases = b.splat_bias(block, str(block), "l")
            for i, row in mine:
                name = f"{block}_{i}"
                p = b.subtract_i16(f"P{name}", narrow(b, name, "shift"), biases[row])
                b.accumulate(i, p, scale, f"rd{block}_{row}.lo", block == 0)
                if block == 3:
                    b.drain(i)


Codes = Callable[[Builder, str, int, int], tuple[str, str]]


def bytes_of(b: Builder, tag: str, tile: int, j: int) -> tuple[str, str]:
    """Expanded blocks: rows 0..31 and rows 32..63 for 4*j..4*j+3."""
    return b.load(f"Lw{tag}_{j}", f"w{tile}"), b.load(f"Hw{tag}_{j}", f"w{tile}")


def looked_up(b: Builder, tag: str, tile: int, j: int) -> tuple[str, str]:
    """Nibbles through the table. The bits above the lower one do not matter."""
    v = b.load(f"v{tag}_{j}", f"w{tile}")
    high = b.shift_bytes_right(f"h{tag}_{j}", v, "shift")
    return tuple(
        b.add(PERMUTE, f"{{{name}{tag}_{j}}}.b = vlut32({{{source}}}.b,{{table}}.b,{{zero}}):nomatch",
              f"{name}{tag}_{j}", source, "table", "zero")
        for name, source in (("Lw", v), ("Hw", high))
    )  # type: ignore[return-value]  # fmt: skip


def five_bits(b: Builder, tag: str, tile: int, j: int) -> tuple[str, str]:
    """Nibbles and the bit above: bit 2 * (j % 4) of the j / 4th vector of bits for rows 0..31, the next for the others.

    Bits that go up are cut out and added with a shift; those that go down are shifted first.
    """
    at = f"{tag}_{j}"
    if j % 4 == 0:
        b.load_at(f"bits{tag}_{j // 4}", f"w{tile}", 8 + j // 4 - FIVE_BITS_BASE)
    bits = f"bits{tag}_{j // 4}"
    v = b.load_at(f"v{at}", f"w{tile}", j - FIVE_BITS_BASE)
    codes = b.both("vand", f"Lw{at}", v, "mask"), b.shift_bytes_right(f"Hw{at}", v, "shift_4")
    for half, code in enumerate(codes):
        up = 4 - (2 * (j % 4) + half)
        if up > 0:
            cut = b.both("vand", f"k{code}", bits, f"bit_{4 - up}")
            b.add(SHIFT, f"{{{code}}}.h += vasl({{{cut}}}.h,{{shift_{up}}})", code, code, cut, f"shift_{up}")
            continue
        moved = bits if up == 0 else b.shift_bytes_right(f"j{code}", bits, f"shift_{-up}")
        b.both("vor", code, code, b.both("vand", f"k{code}", moved, "bit_4"))
    return codes


def expanded(b: Builder, rounded: tuple[int, ...] = (0, 1, 2, 3), minimums: bool = False, codes: Codes = bytes_of,
             biased: bool = True) -> None:  # fmt: skip
    """Four blocks whose P16 is (sum of byte * q + half) >> shift, less 8*S if biased.

    Only some blocks of a group are rounded. Those with a minimum have t in the low half of the bias and 8*S above.
    """
    for block in range(4):
        for tile in b.tiles:
            mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
            tag = f"{block}_{tile}"
            for j in range(8):
                low, high = codes(b, tag, tile, j)
                for i, row in mine:
                    q = b.q(block, row, j)
                    first = j == 0 and block not in rounded
                    if j == 0 and block in rounded:
                        b.copy(f"L{block}_{i}", "half")
                        b.copy(f"H{block}_{i}", "half")
                    b.multiply_pair((f"L{block}_{i}", low, q, first), (f"H{block}_{i}", high, q, first))
            if codes is five_bits:
                scale = b.load_at(f"s{tag}", f"w{tile}", 10 - FIVE_BITS_BASE)
                minimum = b.load_at(f"m{tag}", f"w{tile}", 11 - FIVE_BITS_BASE) if minimums else ""
                b.step(f"w{tile}", (12 if minimums else 11) * 128)
            else:
                scale = b.load(f"s{tag}", f"w{tile}")
                minimum = b.load(f"m{tag}", f"w{tile}") if minimums else ""
            b.bias_pairs(block)
            if biased and tile == 0:
                biases = b.splat_bias(block, str(block), "h" if minimums else "l")
            for i, row in mine:
                name = f"{block}_{i}"
                p = narrow(b, name, "shift")
                if biased:
                    p = b.subtract_i16(f"P{name}", p, biases[row])
                b.accumulate(i, p, scale, f"rd{block}_{row}.lo", block == 0)
                if minimums:
                    b.accumulate_minimum(i, minimum, f"rd{block}_{row}")
                if block == 3:
                    b.drain(i)
            if not biased and block == 3:
                skip_minimums(b, tile)


def iq4(b: Builder) -> None:
    """Four blocks of IQ4_NL or IQ4_XS."""
    expanded(b, codes=looked_up)


def mxfp4(b: Builder) -> None:
    """Four blocks of MXFP4."""
    expanded(b, rounded=(0, 2), codes=looked_up)


def q5_0(b: Builder) -> None:
    """Four blocks of Q5_0."""
    expanded(b, codes=five_bits)


def q5_1(b: Builder) -> None:
    """Four blocks of Q5_1."""
    expanded(b, rounded=(0, 2), minimums=True, codes=five_bits)


def q5_k(b: Builder) -> None:
    """Four blocks of Q5_K, and the step over the minimums after every second four."""
    expanded(b, rounded=(0, 1, 2), codes=five_bits, biased=False)


def two_bits(b: Builder, at: str, v: int, vector: str) -> list[str]:
    """Codes of two j where they are: times 1 and 4 for rows 0..31 and 32..63 of the even one, then 16 and 64."""
    return [b.both("vand", f"c{at}_{v}_{i}", vector, f"pair_{i}") for i in range(4)]


def q2_k(b: Builder) -> None:
    """Two blocks of Q2_K for tiles: four scale blocks of 16 k, whose scales are made of the super-block's d16."""
    ends: list[Callable[[], None]] = []
    for block in range(2):
        for tile in b.tiles:
            if block == 1 and tile == 0:
                b.add(EXTENDED, f"{{P}} = cmp.eq({{lead}},##{Q2_K_LEAD - 6 * Q2_K_VECTORS * 128})", "P", "lead")
                b.add(EXTENDED, f"{{rskip}} = mux({{P}},##{-Q2_K_LEAD},#0)", "rskip", "P")
            d, d_at = f"d{block}_{tile}", f"rd{block}_{tile}_at"
            b.add(SCALAR, f"{{{d_at}}} = add({{w{tile}}},{{lead}})", d_at, f"w{tile}", "lead", stream=f"w{tile}")
            b.add(LOAD, f"{{{d}}} = vmem({{{d_at}}}+#{-block * Q2_K_VECTORS})", d, d_at)
            if block == 1 and tile == RESULTS - 1:
                b.add(SCALAR, f"{{lead}} = add({{lead}},#{-2 * Q2_K_VECTORS * 128})", "lead", "lead")
                b.add(EXTENDED, f"{{lead}} = mux({{P}},##{Q2_K_LEAD},{{lead}})", "lead", "P", "lead")
            small = b.load_at(f"z{block}_{tile}", f"w{tile}", 4)
            for part in range(2):
                number, at = 2 * block + part, f"{block}{part}_{tile}"
                for v in range(2):
                    vector = b.load_at(f"v{at}_{v}", f"w{tile}", 2 * part + v)
                    codes = two_bits(b, at, v, vector)
                    for odd in range(2):
                        q = b.q(block, 0, 4 * part + 2 * v + odd)
                        b.multiply_pair((f"A{2 * odd}{at}", codes[2 * odd], q, v == 0),
                                        (f"A{2 * odd + 1}{at}", codes[2 * odd + 1], q, v == 0))  # fmt: skip
                    if ends:
                        ends.pop(0)()
                low, high = f"A0{at}", f"A1{at}"
                for total, rest in ((low, f"A2{at}"), (high, f"A3{at}")):
                    b.add(SHIFT, f"{{{total}}}.w += vasr({{{rest}}}.w,{{four}})", total, total, rest, "four")
                b.add(SHIFT, f"{{H{at}}}.w = vasr({{{high}}}.w,{{two}})", f"H{at}", high, "two")
                p = b.interleave(f"N{at}", low, f"H{at}")
                b.bias_pairs(number)
                amount = "three" if part else "eleven"
                b.add(SHIFT, f"{{x{at}}}.h = vasl({{{small}}}.h,{{{amount}}})", f"x{at}", small, amount)
                sc = b.both("vand", f"sc{at}", f"x{at}", "scale")

                def end(tile: int = tile, p: str = p, sc: str = sc, number: int = number, d: str = d) -> None:
                    s = f"s{p}"
                    b.add(MULTIPLY_16, f"{{{s}}}.h = vmpy({{{d}}}.h,{{{sc}}}.h):<<1:rnd:sat", s, d, sc)
                    b.accumulate(tile, p, s, f"rd{number}_0.lo", number == 0)
                    if number == 3:
                        b.drain(tile)

                ends.append(end)
            b.step(f"w{tile}", Q2_K_VECTORS * 128)
            if block == 1:
                text = f"{{w{tile}}} = add({{w{tile}}},{{rskip}})"
                b.ops.append(Op([text], [], [f"w{tile}", "rskip"], SCALAR, f"w{tile}"))
    for last in ends:
        last()


def expanded_odd(b: Builder) -> None:
    """Four blocks for MXFP4: odd ones are not rounded."""
    expanded(b, rounded=(0, 2))


def expanded_fourth(b: Builder) -> None:
    """Four blocks for Q5_K: fourth ones are not rounded."""
    expanded(b, rounded=(0, 1, 2))


def expanded_minimums(b: Builder) -> None:
    """Four blocks for Q4_1, where rounding does not matter, and Q5_1."""
    expanded(b, rounded=(0, 2), minimums=True)


def expanded_halves(b: Builder, biased: bool = False) -> None:
    """Four scale blocks of 16 k, of bytes; P16 is the sum, less a bias."""
    for block in range(4):
        for j in range(4):
            low, high = b.load(f"Lw{block}_{j}", "w0"), b.load(f"Hw{block}_{j}", "w0")
            for row in b.rows:
                q = b.q(block // 2, row, block % 2 * 4 + j)
                b.multiply_pair((f"L{block}_{row}", low, q, j == 0), (f"H{block}_{row}", high, q, j == 0))
        scale = b.load(f"s{block}", "w0")
        b.bias_pairs(block)
        biases = b.splat_bias(block, str(block), "l") if biased else []
        for row in b.rows:
            name = f"{block}_{row}"
            p = b.interleave(f"N{name}", f"L{name}", f"H{name}")
            if biased:
                p = b.subtract_i16(f"P{name}", p, biases[row])
            b.accumulate(row, p, scale, f"rd{block}_{row}.lo", block == 0)
            if block == 3:
                b.drain(row)


def expanded_biased(b: Builder) -> None:
    expanded_halves(b, biased=True)


def q6_k_codes(b: Builder, tag: str, tile: int, pair: int) -> list[str]:
    """Codes of rows 0..31 and 32..63 for j = 2 * pair, then for 2 * pair + 1.

    The high bits are cut out where they are and added to the low ones with a shift, except where they are in place
    already, and where a signed shift would smear the top bit.
    """
    at = f"{tag}_{pair}"
    u, v, bits = (
        b.load_at(f"{name}{at}", f"w{tile}", offset - Q6_K_BASE)
        for name, offset in (("u", 2 * pair), ("v", 2 * pair + 1), ("h", 8 + pair))
    )
    codes = [b.both("vand", f"c0{at}", u, "mask"), b.shift_bytes_right(f"c1{at}", u, "shift")]
    for code, mask, amount in ((codes[0], "mask_0", "shift"), (codes[1], "mask_1", "two")):
        high = b.both("vand", f"k{code}", bits, mask)
        b.add(SHIFT, f"{{{code}}}.h += vasl({{{high}}}.h,{{{amount}}})", code, code, high, amount)
    for i, low in ((2, b.both("vand", f"d2{at}", v, "mask")), (3, b.shift_bytes_right(f"d3{at}", v, "shift"))):
        high = bits if i == 2 else b.shift_bytes_right(f"j3{at}", bits, "two")
        codes.append(b.both("vor", f"c{i}{at}", low, b.both("vand", f"k{i}{at}", high, "mask_2")))
    return codes


def q6_k(b: Builder) -> None:
    """Two blocks of Q6_K, each of two scale blocks; each scale block has its own da and bias.

    Unpacking takes the slots that byte multiplies leave free and more, while 16-bit multiplies leave three: so a scale
    block's 16-bit multiplies are written between the next one's steps.
    """
    ends: list[Callable[[], None]] = []
    for block in range(2):
        for tile in b.tiles:
            mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
            for part in range(2):
                tag = f"{block}{part}"
                number = 2 * block + part
                if tile == 0:
                    for row in b.rows:
                        b.load_word(f"rs{number}_{row}", f"b{row}", f"+#{4 + 8 * part}")
                for pair in (2 * part, 2 * part + 1):
                    codes = q6_k_codes(b, f"{tag}_{tile}", tile, pair)
                    for step in range(2):
                        for i, row in mine:
                            low, high = f"L{tag}_{i}", f"H{tag}_{i}"
                            if pair % 2 == 0 and step == 0:
                                start_sums(b, (low, high), f"x{tag}", i, number)
                            q = b.q(block, row, 2 * pair + step)
                            b.multiply_pair((low, codes[2 * step], q, False), (high, codes[2 * step + 1], q, False))
                        if ends:
                            ends.pop(0)()
                scale = b.load_at(f"s{tag}_{tile}", f"w{tile}", 12 + part - Q6_K_BASE)
                if part == 1:
                    b.step(f"w{tile}", 14 * 128)
                for i, row in mine:
                    p = narrow(b, f"{tag}_{i}", "one")

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


def start_sums(b: Builder, sums: tuple[str, str], shared: str, i: int, block: int) -> None:
    """Sums that begin with the bias: splats for two rows at once, or a splat that the tiles copy."""
    low, high = sums
    if b.form == "tiles":
        if shared not in b.names:
            b.names[shared] = [b.splat(shared, f"rs{block}_0")]
        b.copy(low, shared)
        b.copy(high, shared)
        return
    if i % 2 == 0:
        other = f"{low[:-1]}{i + 1}"
        texts = [f"{{{low}}} = vsplat({{rs{block}_{i}}})", f"{{{other}}} = vsplat({{rs{block}_{i + 1}}})"]
        b.ops.append(Op(texts, [low, other], [f"rs{block}_{i}", f"rs{block}_{i + 1}"], MULTIPLY_PAIR))
    b.copy(high, low)
