# SPDX-License-Identifier: MIT
"""Writes the inner loops of the HVX matmuls: one assembly file with a function for each weight type and form.

    python kernels.py OUT.S

`void hvx_sum_<type>_<form>(const struct hvx_groups *)`, declared in ../groups.h, adds up T of docs/arithmetic.md over
whole groups of four scale blocks. Form `tiles`: four tiles times one activation row; form `rows`: one tile times four
rows. ../matmul.h does the same in C for any counts and takes what is left over; look there for what the steps mean.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from schedule import (
    LOAD,
    LOAD_SCALAR,
    LOGIC,
    MULTIPLY_16,
    PERMUTE,
    SCALAR,
    SHIFT,
    STORE,
    Cost,
    Loop,
    Op,
    Scheduler,
    best,
)

RESULTS = 4
MAX_STAGES = 4  # hvx_groups needs at least as many groups; groups.h says so too
Q6_K_BASE = 8  # pointers stand at the ninth of a block's 14 vectors, so that offsets reach all of them
SUPER_BLOCK_SKIP = 5 * 128  # Q4_K's minimums, after every second group

# Offsets in struct hvx_groups.
W, Q, BLOCKS, COUNT, DS, T = 0, 16, 32, 48, 52, 56

MULTIPLY_8 = Cost(high_slots=1, multipliers=1)
MULTIPLY_PAIR = Cost(slots=2, high_slots=2, multipliers=2, pipes=2)
FULL_PACKET = Cost(slots=4, high_slots=2, multipliers=2, pipes=3, vector_loads=1, memory=1)


@dataclass
class Builder:
    """Collects one iteration's operations in program order.

    Attributes:
        form: "tiles" or "rows".
        name: a unique suffix for temporaries of the current block.
    """

    form: str
    ops: list[Op] = field(default_factory=list)
    sums_in_memory: bool = False
    pairs: set[str] = field(default_factory=set)
    full: frozenset[int] = frozenset()
    names: dict[str, list[str]] = field(default_factory=dict)
    waiting: tuple[str, str, str, bool] | None = None

    @property
    def tiles(self) -> range:
        return range(RESULTS if self.form == "tiles" else 1)

    @property
    def rows(self) -> range:
        return range(RESULTS if self.form == "rows" else 1)

    def add(self, cost: Cost, text: str, target: str, *sources: str, stream: str = "") -> str:
        """One instruction; `text` is what stands right of the target's dot or name."""
        self.ops.append(Op([text], [target], list(sources), cost, stream))
        return target

    def load(self, target: str, pointer: str) -> str:
        return self.add(LOAD, f"{{{target}}} = vmem({{{pointer}}}++#1)", target, pointer, stream=pointer)

    def load_pair(self, target: str, pointer: str) -> str:
        self.pairs.add(target)
        return self.add(LOAD_SCALAR, f"{{{target}}} = memd({{{pointer}}}++#8)", target, pointer, stream=pointer)

    def multiply_pair(self, *terms: tuple[str, str, str, bool], load: tuple[str, str] | None = None) -> None:
        """Two vrmpy of one packet: (sum, weights, q, whether it is the sum's first term) each.

        Single ones would leave halves of packets where a 16-bit multiply needs both multipliers. With `load`, (vector,
        pointer), the packet also loads that vector for itself alone and splits off its low nibbles: it is then full.
        """
        texts, defs, uses = [], [], []
        cost = MULTIPLY_PAIR if len(terms) == 2 else MULTIPLY_8
        if load:
            low, pointer = load
            texts = [f"{{tmp}}.tmp = vmem({{{pointer}}}++#1)", f"{{{low}}} = vand({{tmp}},{{mask}})"]
            defs, uses, cost = [low], [pointer, "mask"], FULL_PACKET
        for total, weights, q, first in terms:
            texts.append(f"{{{total}}}.w {'=' if first else '+='} vrmpy({{{weights}}}.ub,{{{q}}}.b)")
            defs.append(total)
            uses += [weights, q] if first else [total, weights, q]
        self.ops.append(Op(texts, defs, [name for name in uses if name != "tmp"], cost, load[1] if load else ""))

    def load_at(self, target: str, pointer: str, offset: int) -> str:
        return self.add(LOAD, f"{{{target}}} = vmem({{{pointer}}}+#{offset})", target, pointer, stream=pointer)

    def step(self, pointer: str, n_bytes: int) -> None:
        self.ops.append(Op([f"{{{pointer}}} = add({{{pointer}}},#{n_bytes})"], [], [pointer], SCALAR, pointer))

    def interleave(self, target: str, even: str, odd: str) -> str:
        """Low halves of words: even lanes from one vector, odd ones from the other."""
        return self.add(PERMUTE, f"{{{target}}}.h = vshuffe({{{odd}}}.h,{{{even}}}.h)", target, odd, even)

    def copy(self, target: str, source: str) -> None:
        self.add(LOGIC, f"{{{target}}} = {{{source}}}", target, source)

    def both(self, operation: str, target: str, a: str, b: str) -> str:
        return self.add(LOGIC, f"{{{target}}} = {operation}({{{a}}},{{{b}}})", target, a, b)

    def shift_bytes_right(self, target: str, source: str, amount: str) -> str:
        return self.add(SHIFT, f"{{{target}}}.ub = vlsr({{{source}}}.ub,{{{amount}}})", target, source, amount)

    def q(self, block: int, row: int, j: int) -> str:
        """The scalar with activations 4*j..4*j+3, loaded with its neighbour when first asked for."""
        pair = f"rq{block}_{row}_{j // 2}"
        if pair not in self.pairs:
            self.load_pair(pair, f"q{row}")
        return pair + (".hi" if j % 2 else ".lo")

    def bias_pairs(self, block: int) -> None:
        """da and bias of each row's block, when first asked for; see struct hvx_block."""
        for row in self.rows:
            if f"rd{block}_{row}" not in self.pairs:
                self.load_pair(f"rd{block}_{row}", f"b{row}")

    def load_word(self, target: str, pointer: str, after: str) -> str:
        """One scalar; `after` is the address and how it moves."""
        return self.add(LOAD_SCALAR, f"{{{target}}} = memw({{{pointer}}}{after})", target, pointer, stream=pointer)

    def splat(self, target: str, source: str) -> str:
        return self.add(MULTIPLY_8, f"{{{target}}} = vsplat({{{source}}})", target, source)

    def splat_bias(self, block: int, tag: str, half: str) -> list[str]:
        """Vectors of int16 with each row's bias, from the low ("l") or the high ("h") half of its word.

        A splat takes a multiplier, a shuffle does not: two rows share a splat of a word made of both.
        """
        if self.form == "tiles":
            return [self.splat(f"y{tag}_0", f"rd{block}_0.hi")]
        biases = []
        for row in range(0, RESULTS, 2):
            word, x = f"rb{tag}_{row}", f"x{tag}_{row}"
            self.add(SCALAR, f"{{{word}}} = combine({{rd{block}_{row + 1}.hi}}.{half},{{rd{block}_{row}.hi}}.{half})",
                     word, f"rd{block}_{row}", f"rd{block}_{row + 1}")  # fmt: skip
            self.splat(x, word)
            for odd in range(2):
                biases.append(self.half_bias(f"y{tag}_{row + odd}", x, odd == 1))
        return biases

    def half_bias(self, target: str, source: str, odd: bool) -> str:
        return self.add(PERMUTE, f"{{{target}}}.h = vshuff{'o' if odd else 'e'}({{{source}}}.h,{{{source}}}.h)",
                        target, source)  # fmt: skip

    def subtract_i16(self, target: str, a: str, b: str) -> str:
        return self.add(LOGIC, f"{{{target}}}.h = vsub({{{a}}}.h,{{{b}}}.h)", target, a, b)

    def accumulate(self, result: int, p: str, scale: str, da: str, first: bool) -> None:
        """PA += P16 * mpyr(s, da); the group's first one sets PA."""
        e = f"e{p}"
        self.add(MULTIPLY_16, f"{{{e}}}.h = vmpy({{{scale}}}.h,{{{da}}}.h):<<1:rnd:sat", e, scale, da)
        pa = f"PA{result}"
        sources = [p, e] if first else [pa, p, e]
        self.add(MULTIPLY_16, f"{{{pa}}}.w {'=' if first else '+='} vmpy({{{p}}}.h,{{{e}}}.h)", pa, *sources)

    def drain(self, result: int) -> None:
        for odd, half in enumerate(("lo", "hi")):
            t = f"T{result}{half}"
            if self.sums_in_memory:
                t = f"t{result}{half}"
                self.add(LOAD, f"{{{t}}} = vmem({{t}}+#{2 * result + odd})", t, "t", stream=t)
            self.add(SHIFT, f"{{{t}}}.w += vasr({{PA{result}.{half}}}.w,{{ds}})", t, t, f"PA{result}", "ds")
            if self.sums_in_memory:
                self.ops.append(Op([f"vmem({{t}}+#{2 * result + odd}) = {{{t}}}"], [], ["t", t], STORE, t))

    def results(self) -> list[tuple[int, int, int]]:
        """(result, tile, row) of each."""
        return [(i, i if self.form == "tiles" else 0, i if self.form == "rows" else 0) for i in range(RESULTS)]


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
        load = (low, f"w{tile}") if j in b.full else None
        if load is None:
            b.load(whole, f"w{tile}")
            b.both("vand", low, whole, "mask")
        else:
            whole = "tmp"
        terms = [(f"S{name}", whole, q, j == 0)]
        if b.waiting:
            terms.append(b.waiting)
        b.multiply_pair(*terms, load=load)
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
                for i, _, row in mine:
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
    for end in ends:
        end()


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
                                start_sums(b, low, high, f"x{tag}", i, number)
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
    for end in ends:
        end()


def start_sums(b: Builder, low: str, high: str, shared: str, i: int, block: int) -> None:
    """Sums that begin with the bias: splats for two rows at once, or a splat that the tiles copy."""
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
    tmp: bool = False
    sums_in_memory: bool = False  # T, for want of registers


NIBBLE_MASK = 0x0F0F0F0F
KERNELS = {
    "q4_0": Kernel(q4_0, {"shift": 4}, {"mask": NIBBLE_MASK}, True),
    "q4_k": Kernel(q4_k, {"one": 1, "shift": 4, "skip": SUPER_BLOCK_SKIP}, {"mask": NIBBLE_MASK}, True),
    "q8_0": Kernel(q8_0, {"shift": 4}, {"half": 8}),
    "q6_k": Kernel(
        q6_k,
        {"one": 1, "two": 2, "shift": 4},
        {"mask": NIBBLE_MASK, "mask_0": 0x03030303, "mask_1": 0x0C0C0C0C, "mask_2": 0x30303030},
        sums_in_memory=True,
    ),
}


def function(type_name: str, form: str) -> tuple[str, str]:
    """The assembly of one kernel, and a line about it."""
    kernel = KERNELS[type_name]
    builder = Builder(form, sums_in_memory=kernel.sums_in_memory)
    kernel.iteration(builder)

    fixed = {}
    for i in range(RESULTS):
        fixed |= {f"PA{i}": f"v{2 * i + 1}:{2 * i}", f"PA{i}.lo": f"v{2 * i}", f"PA{i}.hi": f"v{2 * i + 1}"}
        if kernel.sums_in_memory:
            continue
        fixed |= {f"T{i}lo": f"v{8 + 2 * i}", f"T{i}hi": f"v{8 + 2 * i + 1}"}
    next_vector = 8 if kernel.sums_in_memory else 16
    vector_names = list(kernel.splats) + (["tmp"] if kernel.tmp and form == "tiles" else [])
    for name in vector_names:
        fixed[name] = f"v{next_vector}"
        next_vector += 1
    # Shift amounts of narrowing shifts must be in r0..r7, so constants come first.
    pointers = [f"w{i}" for i in builder.tiles] + [f"q{i}" for i in builder.rows] + [f"b{i}" for i in builder.rows]
    pointers += ["t"] if kernel.sums_in_memory else []
    scalar_names = [*kernel.scalars, "ds", *pointers]
    for number, name in enumerate(scalar_names):
        fixed[name] = f"r{number}"

    scheduler = Scheduler(builder.ops, fixed, range(next_vector, 32), range(len(scalar_names), 29),
                          frozenset(builder.pairs))  # fmt: skip
    loop = best(scheduler, WINDOWS, 60)
    assert loop.stages <= MAX_STAGES
    summary = f"{loop.interval} packets ({scheduler.bound()} at least) for four groups, {loop.stages} stages"
    return assembly(f"hvx_sum_{type_name}_{form}", kernel, fixed, loop, summary), f"{type_name} {form}: {summary}"


WINDOWS = (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24)


def assembly(symbol: str, kernel: Kernel, fixed: dict[str, str], loop: Loop, summary: str) -> str:
    """The function around a loop. r28 holds the argument until its fields are loaded."""
    saved = [f"r{17 + 2 * i}:{16 + 2 * i}" for i in range(6)]
    fields = [f"{fixed[f'{name}{i}']} = memw(r28+#{base + 4 * i})"
              for name, base in (("w", W), ("q", Q), ("b", BLOCKS)) for i in range(RESULTS)
              if f"{name}{i}" in fixed]  # fmt: skip
    fields += [f"{fixed['ds']} = memw(r28+#{DS})"]
    fields += [f"{fixed['t']} = memw(r28+#{T})"] if kernel.sums_in_memory else []
    sums = range(8, 8 + 2 * RESULTS)

    head = [["allocframe(#56)"]]
    head += together(2, [f"memd(r29+#{8 * i}) = {pair}" for i, pair in enumerate(saved)])
    head += [["memw(r29+#48) = r0", "r28 = r0"]]
    head += together(2, fields) + [[f"r28 = memw(r28+#{COUNT})"], [f"r28 = add(r28,#{1 - loop.stages})"]]
    head += [[f"loop0(.L{symbol},r28)"]]
    for name, word in kernel.splats.items():
        head += [[f"r28 = ##{word}"], [f"{fixed[name]} = vsplat(r28)"]]
    head += together(2, [f"{fixed[name]} = ##{value}" for name, value in kernel.scalars.items()])
    if kernel.iteration is q4_k:
        head += together(2, [f"p{i} = cmp.gt(r28,r28)" for i in range(RESULTS)])
    if kernel.iteration is q6_k:
        head += [[f"{fixed[f'w{i}']} = add({fixed[f'w{i}']},#{Q6_K_BASE * 128})"] for i in range(RESULTS)
                 if f"w{i}" in fixed]  # fmt: skip
    if kernel.sums_in_memory:
        head += [["v0 = vxor(v0,v0)"]]
        head += [[f"vmem({fixed['t']}+#{i}) = v0"] for i in range(2 * RESULTS)]
    else:
        head += together(4, [f"v{i} = vxor(v0,v0)" for i in sums])

    tail = []
    if not kernel.sums_in_memory:
        tail = [["r28 = memw(r29+#48)"], [f"r28 = memw(r28+#{T})"]]
        tail += [[f"vmem(r28+#{i - sums[0]}) = v{i}"] for i in sums]
    tail += together(2, [f"{pair} = memd(r29+#{8 * i})" for i, pair in enumerate(saved)]) + [["dealloc_return"]]

    lines = [f"// {summary}", ".p2align 6", f".globl {symbol}", f".hidden {symbol}", f".type {symbol},@function",
             f"{symbol}:"]  # fmt: skip
    lines += [packet(row) for row in head + loop.before]
    lines += [f".L{symbol}:"] + [packet(row) for row in loop.body]
    lines[-1] += ":endloop0"
    lines += [packet(row) for row in loop.after + tail]
    lines += [f".size {symbol}, .-{symbol}", ""]
    return "\n".join(lines)


def together(count: int, instructions: list[str]) -> list[list[str]]:
    """Packets of `count` instructions that do not depend on each other."""
    return [instructions[i : i + count] for i in range(0, len(instructions), count)]


def packet(instructions: list[str]) -> str:
    return "{ " + "; ".join(instructions or ["nop"]) + " }"


def main(argv: list[str]) -> int:
    """Writes all kernels to the one file named."""
    parts = ["// SPDX-License-Identifier: MIT\n// Made by dsp/hvx/asm/kernels.py.\n.text\n"]
    for type_name in KERNELS:
        for form in ("tiles", "rows"):
            text, summary = function(type_name, form)
            parts.append(text)
            print(summary)
    Path(argv[1]).write_text("\n".join(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
