# SPDX-License-Identifier: MIT
"""One iteration of each weight type over four scale blocks: docs/arithmetic.md, 2, as in dsp/ref/matmul/matmul.c.

The search for an instruction order starts from program order, so program order matters for speed: a temporary's
definition stands close to its use, and instructions that need both multipliers of a packet stand apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from builder import RESULTS, TYPES, VECTOR, Builder, rounded_blocks
from instructions import LOAD, LOGIC, MULTIPLY_16, PERMUTE, SCALAR, SHIFT

AMOUNTS = {"two": 2, "four": 4, "six": 6, "eight": 8, "ten": 10}


def nibble_sums(b: Builder, block: int, tile: int) -> None:
    """Accumulate code * q: L and H of each of the tile's results; with one row S, of whole bytes, instead of H."""
    if b.is_of_rows:
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
    # A packet multiplies the low nibbles of one vector and the whole bytes of the next vector.
    for j in range(8):
        name, tag = f"{block}_{tile}", f"{block}_{tile}_{j}"
        q = b.q(block, 0, j)
        low, whole = f"lo{tag}", f"v{tag}"
        b.load(whole, f"w{tile}")
        b.both("vand", low, whole, "mask")
        terms = [(f"S{name}", whole, q, j == 0)]
        if b.unpaired:
            terms.append(b.unpaired)
        b.multiply_pair(*terms)
        b.unpaired = (f"L{name}", low, q, j == 0)


def finish_nibbles(b: Builder, name: str) -> None:
    """H = (S - L) >> 4."""
    if not b.is_of_rows:
        b.add(LOGIC, f"{{D{name}}}.w = vsub({{S{name}}}.w,{{L{name}}}.w)", f"D{name}", f"S{name}", f"L{name}")
        b.add(SHIFT, f"{{H{name}}}.w = vasr({{D{name}}}.w,{{shift}})", f"H{name}", f"D{name}", "shift")


def nibble_blocks(b: Builder, sums_to_p: Callable[[Builder, int, list[int]], list[str]],
                  block_minimums: bool = False) -> None:  # fmt: skip
    """Four blocks. `sums_to_p` converts a block's sums L and H to P16 of the given results.

    With several tiles, a tile's last multiply shares a packet with the next tile's first, so its epilogue is deferred.
    """
    deferred: list[Callable[[], None]] = []
    for block in range(4):
        for tile in b.tiles:
            nibble_sums(b, block, tile)
            scale = b.load(f"s{block}_{tile}", f"w{tile}")
            minimum = b.load(f"m{block}_{tile}", f"w{tile}") if block_minimums else ""

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

            deferred.append(end)
            if b.is_of_rows or len(deferred) > 1:
                deferred.pop(0)()
    if b.unpaired:
        b.multiply_pair(b.unpaired)
    for last in deferred:
        last()


def q4_1(b: Builder) -> None:
    """Four blocks of Q4_1."""
    q4_0(b, block_minimums=True)


def q4_0(b: Builder, block_minimums: bool = False) -> None:
    """Four blocks of Q4_0."""

    def sums_to_p(b: Builder, block: int, results: list[int]) -> list[str]:
        if b.is_of_rows or f"y{block}_0" not in b.names:
            b.names[f"y{block}_0"] = b.splat_bias(block, str(block), "h" if block_minimums else "l")
        biases = b.names[f"y{block}_0"]
        ps = []
        for i in results:
            name = f"{block}_{i}"
            sums = b.interleave(f"N{name}", f"L{name}", f"H{name}")
            ps.append(b.subtract_i16(f"P{name}", sums, biases[i if b.is_of_rows else 0]))
        return ps

    nibble_blocks(b, sums_to_p, block_minimums)


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
            if b.is_of_rows or tile == 0:
                biases = b.splat_bias(block, str(block), "l")
            for i, row in mine:
                name = f"{block}_{i}"
                p = b.subtract_i16(f"P{name}", b.narrow(name, "shift"), biases[row])
                b.accumulate(i, p, scale, f"rd{block}_{row}.lo", block == 0)
                if block == 3:
                    b.drain(i)


Codes = Callable[[Builder, str, int, int], tuple[str, str]]


def bytes_of(b: Builder, tag: str, tile: int, j: int) -> tuple[str, str]:
    """Expanded blocks: rows 0..31 and rows 32..63 for 4*j..4*j+3."""
    return b.load(f"Lw{tag}_{j}", f"w{tile}"), b.load(f"Hw{tag}_{j}", f"w{tile}")


def looked_up(
    b: Builder, tag: str, tile: int, j: int, *, step: int = 1, nibble: str = "shift"
) -> tuple[str, str]:
    """Look nibbles up in the table, which ignores the bits above the lower nibble."""
    v = b.load(f"v{tag}_{j}", f"w{tile}", step)
    high = b.shift_bytes_right(f"h{tag}_{j}", v, nibble)
    return tuple(
        b.add(PERMUTE, f"{{{name}{tag}_{j}}}.b = vlut32({{{source}}}.b,{{table}}.b,{{zero}}):nomatch",
              f"{name}{tag}_{j}", source, "table", "zero")
        for name, source in (("Lw", v), ("Hw", high))
    )  # type: ignore[return-value]  # fmt: skip


def expanded(b: Builder, rounded: tuple[int, ...] = (0, 1, 2, 3), minimums: bool = False,
             codes: Codes = bytes_of, scales: Literal["stored", "powers", "small"] = "stored") -> None:  # fmt: skip
    """Four blocks, eight with small scales: P16 = ((sum of byte * q + half) >> shift) - 8*S.

    Only the blocks `rounded` of a group are rounded. With minimums, the bias word has t in its low half and 8*S above.
    """
    for block in range(8 if scales == "small" else 4):
        for tile in b.tiles:
            mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
            tag = f"{block}_{tile}"
            if scales == "small" and block == 0:
                load_d(b, tile)
            shift = b.power_shift(block, tile, "nibble") if scales == "powers" else ""
            for j in range(8):
                low, high = codes(b, tag, tile, j)
                for i, row in mine:
                    q = b.q(block, row, j)
                    first = j == 0 and block % 4 not in rounded
                    if j == 0 and block % 4 in rounded:
                        b.copy(f"L{block}_{i}", "half")
                        b.copy(f"H{block}_{i}", "half")
                    b.multiply_pair((f"L{block}_{i}", low, q, first), (f"H{block}_{i}", high, q, first))
            if scales == "powers":
                scale = b.add(SHIFT, f"{{s{tag}}}.h = vlsr({{top}}.h,{{{shift}}}.h)", f"s{tag}", "top", shift)
            elif scales == "small":
                scale = six_bit_scale(b, block, tile)
            else:
                scale = b.load(f"s{tag}", f"w{tile}")
            minimum = b.load(f"m{tag}", f"w{tile}") if minimums else ""
            b.bias_pairs(block)
            if tile == 0:
                biases = b.splat_bias(block, str(block), "h" if minimums else "l")
            for i, row in mine:
                name = f"{block}_{i}"
                p = b.subtract_i16(f"P{name}", b.narrow(name, "shift"), biases[row])
                b.accumulate(i, p, scale, f"rd{block}_{row}.lo", block % 4 == 0)
                if minimums:
                    b.accumulate_minimum(i, minimum, f"rd{block}_{row}")
                if block % 4 == 3:
                    b.drain(i, "again" if block > 4 else "")


def constant(b: Builder, name: str, where: str) -> str:
    """A shift amount; with four rows it has no register of its own and is loaded where it is used."""
    if len(b.rows) < RESULTS or name not in AMOUNTS:
        return name
    register = f"r{name}{where}"
    return b.add(SCALAR, f"{{{register}}} = #{AMOUNTS[name]}", register)


def load_d(b: Builder, tile: int) -> None:
    """Load d16, whose bits are spread over four vectors in front of eight blocks."""
    for i, amount in enumerate(("", "two", "shift", "six")):
        part = b.load(f"d{i}_{tile}", f"w{tile}")
        if i:
            b.add_shifted(f"d0_{tile}", part, constant(b, amount, f"d{i}_{tile}"), "h")


def six_bit_scale(b: Builder, block: int, tile: int) -> str:
    """A block's scale: six bits of a vector that is read again, times d16. The pointer is past the block's codes."""
    tag, pointer = f"{block}_{tile}", f"w{tile}"
    at, small, up, scale = f"rz{tag}", f"z{tag}", f"u{tag}", f"s{tag}"
    vectors = TYPES["IQ4_XS"].vectors_per_block * (block + 1) + TYPES["IQ4_XS"].lead_vectors - block // 2
    b.add(SCALAR, f"{{{at}}} = add({{{pointer}}},#{-vectors * VECTOR})", at, pointer, stream=pointer)
    b.add(LOAD, f"{{{small}}} = vmem({{{at}}}+#0)", small, at)
    if block % 2:
        eight = constant(b, "eight", tag)
        b.add(SHIFT, f"{{y{tag}}}.uh = vlsr({{{small}}}.uh,{{{eight}}})", f"y{tag}", small, eight)
        small = f"y{tag}"
    ten = constant(b, "ten", tag)
    b.add(SHIFT, f"{{{up}}}.h = vasl({{{small}}}.h,{{{ten}}})", up, small, ten)
    d = f"d0_{tile}"
    return b.add(MULTIPLY_16, f"{{{scale}}}.h = vmpy({{{d}}}.h,{{{up}}}.h):<<1:rnd:sat", scale, d, up)


def iq4(b: Builder) -> None:
    """Four blocks of IQ4_NL."""
    expanded(b, codes=looked_up)


def iq4_xs(b: Builder) -> None:
    """Eight blocks of IQ4_XS."""
    expanded(b, codes=looked_up, scales="small")


def mxfp4(b: Builder) -> None:
    """Four blocks of MXFP4."""
    expanded(b, rounded_blocks(TYPES["MXFP4"]), codes=looked_up, scales="powers")


def codebook(b: Builder) -> None:
    """Two blocks of nibbles that a table turns into values, each followed by the scales of its halves.

    Ties of a block's first half are rounded up, those of the second half down.
    """
    biases: dict[int, list[str]] = {}
    for block in range(2):
        for tile in b.tiles:
            mine = [(i, row) for i, of_tile, row in b.results() if of_tile == tile]
            for part, half in enumerate(("half", "below")):
                number = 2 * block + part
                tag = f"{number}_{tile}"
                four = constant(b, "four", tag)
                for j in range(4):
                    step = 2 if (part, j) == (1, 3) else 1  # past the first half's scales
                    low, high = looked_up(b, tag, tile, j, step=step, nibble=four)
                    for i, row in mine:
                        q = b.q(block, row, 4 * part + j)
                        if j == 0:
                            b.copy(f"L{number}_{i}", half)
                            b.copy(f"H{number}_{i}", half)
                        b.multiply_pair((f"L{number}_{i}", low, q, False), (f"H{number}_{i}", high, q, False))
                scale = b.load(f"s{tag}", f"w{tile}") if part else b.load_at(f"s{tag}", f"w{tile}", 4)
                b.bias_pairs(number)
                if tile == 0:
                    biases[number] = b.splat_bias(number, str(number), "l")
                for i, row in mine:
                    name = f"{number}_{i}"
                    p = b.subtract_i16(f"P{name}", b.narrow(name, "shift"), biases[number][row])
                    b.accumulate(i, p, scale, f"rd{number}_{row}.lo", number == 0)
                    if number == 3:
                        b.drain(i)


def expanded_minimums(b: Builder) -> None:
    """Four blocks for Q5_1."""
    expanded(b, rounded_blocks(TYPES["Q5_1"]), minimums=True)


def expanded_halves(b: Builder, biased: bool = False) -> None:
    """Four scale blocks of 16 k with codes in bytes; P16 is the sum minus a bias."""
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
