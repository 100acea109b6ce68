# SPDX-License-Identifier: MIT
"""What each weight type does in four scale blocks: docs/arithmetic.md, 2, and the C of ../matmul_<type>.c.

The order of the instructions is the order in which the scheduler places them, so it matters for speed: a temporary's
definition stands close to its use, and what needs a whole packet's multipliers stands apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from builder import MULTIPLY_PAIR, Builder
from schedule import LOGIC, SHIFT, Cost, Op

Q6_K_BASE = 8  # pointers stand at the ninth of a block's 14 vectors, so that offsets reach all of them
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


def nibble_blocks(b: Builder, minimums: bool, sums_to_p: Callable[[Builder, int, list[int]], list[str]]) -> None:
    """Four blocks. `sums_to_p` turns a block's sums L and H into P16 of the results given.

    With several tiles a tile's last multiply is in the next one's first packet, so its end is written after that.
    """
    ends: list[Callable[[], None]] = []
    for block in range(4):
        for tile in b.tiles:
            nibble_sums(b, block, tile)
            scale = b.load(f"s{block}_{tile}", f"w{tile}")
            if minimums and block == 3:
                texts = [f"if (p{tile}) {{w{tile}}} = add({{w{tile}}},{{skip}})", f"p{tile} = not(p{tile})"]
                b.ops.append(Op(texts, [], [f"w{tile}"], Cost(slots=2, high_slots=1, pipes=0), f"w{tile}"))

            def end(block: int = block, tile: int = tile, scale: str = scale) -> None:
                mine = [result for result in b.results() if result[1] == tile]
                b.bias_pairs(block)
                for i, _, _ in mine:
                    finish_nibbles(b, f"{block}_{i}")
                for (i, _, row), p in zip(mine, sums_to_p(b, block, [i for i, _, _ in mine]), strict=True):
                    b.accumulate(i, p, scale, f"rd{block}_{row}.lo", block == 0)
                    if block == 3:
                        b.drain(i)

            ends.append(end)
            if b.form == "rows" or len(ends) > 1:
                ends.pop(0)()
    if b.waiting:
        b.multiply_pair(b.waiting)
    for last in ends:
        last()


def q4_0(b: Builder) -> None:
    """Four blocks of Q4_0."""

    def sums_to_p(b: Builder, block: int, results: list[int]) -> list[str]:
        if b.form == "rows" or f"y{block}_0" not in b.names:
            b.names[f"y{block}_0"] = b.splat_bias(block, str(block), "l")
        biases = b.names[f"y{block}_0"]
        ps = []
        for i in results:
            name = f"{block}_{i}"
            sums = b.interleave(f"N{name}", f"L{name}", f"H{name}")
            ps.append(b.subtract_i16(f"P{name}", sums, biases[i if b.form == "rows" else 0]))
        return ps

    nibble_blocks(b, False, sums_to_p)


def q4_k(b: Builder) -> None:
    """Four blocks of Q4_K, and the step over the minimums after every second four."""

    def sums_to_p(b: Builder, block: int, results: list[int]) -> list[str]:
        return [narrow(b, f"{block}_{i}", "one", ":rnd:sat") for i in results]

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


@dataclass(frozen=True)
class Kernel:
    """A type: one iteration, and the constants it names: scalars, and words to splat."""

    iteration: Callable[[Builder], None]
    scalars: dict[str, int]
    splats: dict[str, int]
    sums_in_memory: bool = False  # T, for want of registers


NIBBLE_MASK = 0x0F0F0F0F
KERNELS = {
    "q4_0": Kernel(q4_0, {"shift": 4}, {"mask": NIBBLE_MASK}),
    "q4_k": Kernel(q4_k, {"one": 1, "shift": 4, "skip": SUPER_BLOCK_SKIP}, {"mask": NIBBLE_MASK}),
    "q8_0": Kernel(q8_0, {"shift": 4}, {"half": 8}),
    "q6_k": Kernel(
        q6_k,
        {"one": 1, "two": 2, "shift": 4},
        {"mask": NIBBLE_MASK, "mask_0": 0x03030303, "mask_1": 0x0C0C0C0C, "mask_2": 0x30303030},
        sums_in_memory=True,
    ),
}
