# SPDX-License-Identifier: MIT
"""Collects the instructions of one iteration of a micro-kernel: the vocabulary of steps.py."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from instructions import LOAD, LOAD_SCALAR, LOGIC, MULTIPLY_8, MULTIPLY_16, PERMUTE, SCALAR, SHIFT, STORE, Cost, Op

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "idl"))
from read_types import WeightType, weight_types

TYPES: Final = weight_types()
VECTOR = 128  # bytes
RESULTS = 4
ROWS = 5  # at most
# Tiles and activation rows of a micro-kernel, by form.
FORMS: Final = {"tiles": (RESULTS, 1), "tiles2": (2, 1), "tile": (1, 1), "rows5": (1, ROWS), "rows": (1, RESULTS),
                "rows3": (1, 3), "rows2": (1, 2)}  # fmt: skip

MULTIPLY_PAIR = Cost(slots=2, high_slots=2, multipliers=2, pipes=2)
# Logic and additions of pairs take both multiplying pipes or both other pipes.
PAIR_OF_MULTIPLIERS = Cost(multipliers=2, pipes=2)
PAIR_OF_OTHERS = Cost(shifts=1, permutes=1, pipes=2)


def rounded_blocks(row: WeightType) -> tuple[int, ...]:
    """Which of four blocks' sums are rounded; the others are rounded down."""
    return tuple(block for block in range(4) if not row.is_unbiased or (block + 1) % (1 << row.sum_shift))


@dataclass
class Builder:
    """Collects one iteration's operations in program order.

    Attributes:
        form: one of FORMS.
        sums_in_memory: T is kept in memory, because registers do not suffice.
        pairs: names that take two registers, as Scheduler wants to know; a PA among them lives in one iteration only.
        kept: vectors that keep their register from one iteration to the next.
        names: values that several steps use, by a key that the steps choose.
        unpaired: a multiply that shares a packet with the next multiply.
    """

    form: str
    ops: list[Op] = field(default_factory=list)
    sums_in_memory: bool = False
    pairs: set[str] = field(default_factory=set)
    kept: list[str] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)
    unpaired: tuple[str, str, str, bool] | None = None

    @property
    def tiles(self) -> range:
        return range(FORMS[self.form][0])

    @property
    def rows(self) -> range:
        return range(FORMS[self.form][1])

    @property
    def is_of_rows(self) -> bool:
        """Whether several rows share unpacked codes (GEMM)."""
        return len(self.rows) > 1

    @property
    def n_results(self) -> int:
        return len(self.tiles) * len(self.rows)

    @property
    def sums_base(self) -> int:
        """The vector of T at which its pointer stands, so that offsets up to 7 reach all of T."""
        return 2 * max(self.n_results - RESULTS, 0)

    def add(self, cost: Cost, text: str, target: str, *sources: str, stream: str = "") -> str:
        """One instruction; `text` is what stands right of the target's dot or name."""
        self.ops.append(Op([text], [target], list(sources), cost, stream))
        return target

    def load(self, target: str, pointer: str, step: int = 1) -> str:
        """Load a vector and advance the pointer by `step` vectors, at most 3."""
        return self.add(LOAD, f"{{{target}}} = vmem({{{pointer}}}++#{step})", target, pointer, stream=pointer)

    def power_shift(self, block: int, tile: int, mask: str = "") -> str:
        """How far 2^14 is shifted for a block's scale. The vector in front of four blocks has a nibble for each.

        Without a vector as mask the nibble is shifted to the top and back: that takes the shifter, but no register.
        """
        powers, mine = f"p{block}_{tile}", f"n{block}_{tile}"
        if block == 0:
            self.load(powers, f"w{tile}")
        else:
            before = f"p{block - 1}_{tile}"
            self.add(SHIFT, f"{{{powers}}}.uh = vlsr({{{before}}}.uh,{{four}})", powers, before, "four")
        if block == 3:
            return powers
        if mask:
            return self.both("vand", mine, powers, mask)
        self.add(SHIFT, f"{{{mine}}}.h = vasl({{{powers}}}.h,{{twelve}})", mine, powers, "twelve")
        return self.add(SHIFT, f"{{m{mine}}}.uh = vlsr({{{mine}}}.uh,{{twelve}})", f"m{mine}", mine, "twelve")

    def load_pair(self, target: str, pointer: str, step: int = 8) -> str:
        self.pairs.add(target)
        return self.add(LOAD_SCALAR, f"{{{target}}} = memd({{{pointer}}}++#{step})", target, pointer, stream=pointer)

    def multiply_pair(self, *terms: tuple[str, str, str, bool]) -> None:
        """One or two vrmpy of one packet: (sum, weights, q, whether it is the sum's first term) each.

        Single ones would leave halves of packets where a 16-bit multiply needs both multipliers.
        """
        texts, uses = [], []
        for total, weights, q, first in terms:
            texts.append(f"{{{total}}}.w {'=' if first else '+='} vrmpy({{{weights}}}.ub,{{{q}}}.b)")
            uses += [weights, q] if first else [total, weights, q]
        cost = MULTIPLY_PAIR if len(terms) == 2 else MULTIPLY_8
        self.ops.append(Op(texts, [term[0] for term in terms], uses, cost))

    def load_at(self, target: str, pointer: str, offset: int) -> str:
        return self.add(LOAD, f"{{{target}}} = vmem({{{pointer}}}+#{offset})", target, pointer, stream=pointer)

    def step(self, pointer: str, n_bytes: int) -> None:
        self.ops.append(Op([f"{{{pointer}}} = add({{{pointer}}},#{n_bytes})"], [], [pointer], SCALAR, pointer))

    def interleave(self, target: str, even: str, odd: str) -> str:
        """Low halves of words: even lanes from one vector, odd ones from the other."""
        return self.add(PERMUTE, f"{{{target}}}.h = vshuffe({{{odd}}}.h,{{{even}}}.h)", target, odd, even)

    def copy(self, target: str, source: str) -> None:
        self.add(LOGIC, f"{{{target}}} = {{{source}}}", target, source)

    def pair(self, text: str, target: str, *sources: str) -> str:
        """One instruction that makes two vectors, on the less busy pipes; `text` as in add()."""
        self.pairs.add(target)
        return self.add(PAIR_OF_MULTIPLIERS if len(self.rows) == 2 else PAIR_OF_OTHERS, text, target, *sources)

    def both(self, operation: str, target: str, a: str, b: str) -> str:
        return self.add(LOGIC, f"{{{target}}} = {operation}({{{a}}},{{{b}}})", target, a, b)

    def of_rows(self, name: str, rows: Sequence[int]) -> list[str]:
        """A vector for one row; or for each of two, as halves of a pair."""
        if len(rows) == 1:
            return [name]
        self.pairs.add(name)
        return [f"{name}.lo", f"{name}.hi"]

    def subtract_i16_of_rows(self, target: str, a: str, b: str, rows: Sequence[int]) -> list[str]:
        """Subtract a bias from the sums of one row or two."""
        if len(rows) == 1:
            return [self.subtract_i16(target, a, b)]
        self.pair(f"{{{target}}}.h = vsub({{{a}}}.h,{{{b}}}.h)", target, a, b)
        return self.of_rows(target, rows)

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
        """Vectors of int16 with each row's bias, from the low ("l") or the high ("h") half of its word."""
        return list(self.splat_words([f"rd{block}_{row}.hi" for row in self.rows], tag, half))

    def splat_words(self, words: Sequence[str], tag: str, half: str) -> Iterator[str]:
        """Vectors of int16 from the given halves of words.

        A splat takes a multiplier, a shuffle does not: two rows share a splat of a word made of both.
        """
        for first in range(0, len(words), 2):
            one = words[first]
            if first + 1 == len(words):
                if half == "h":  # the low half holds something else
                    one = self.add(SCALAR, f"{{rb{tag}}} = combine({{{one}}}.h,{{{one}}}.h)", f"rb{tag}", one)
                yield self.splat(f"y{tag}_{first}", one)
                return
            word, x, other = f"rb{tag}_{first}", f"x{tag}_{first}", words[first + 1]
            text = f"{{{word}}} = combine({{{other}}}.{half},{{{one}}}.{half})"
            self.splat(x, self.add(SCALAR, text, word, one, other))
            for odd in range(2):
                yield self.half_bias(f"y{tag}_{first + odd}", x, odd == 1)

    def half_bias(self, target: str, source: str, odd: bool) -> str:
        return self.add(PERMUTE, f"{{{target}}}.h = vshuff{'o' if odd else 'e'}({{{source}}}.h,{{{source}}}.h)",
                        target, source)  # fmt: skip

    def add_shifted(self, total: str, source: str, amount: str, lanes: str = "w", left: bool = False) -> None:
        """Adds a vector shifted to the right, or left."""
        text = f"{{{total}}}.{lanes} += {'vasl' if left else 'vasr'}({{{source}}}.{lanes},{{{amount}}})"
        self.add(SHIFT, text, total, total, source, amount)

    def subtract_i16(self, target: str, a: str, b: str) -> str:
        return self.add(LOGIC, f"{{{target}}}.h = vsub({{{a}}}.h,{{{b}}}.h)", target, a, b)

    def narrow(self, name: str, amount: str, suffix: str = "") -> str:
        """16 bits of L and H, shifted, lanes as in a scale vector."""
        text = f"{{N{name}}}.h = vasr({{H{name}}}.w,{{L{name}}}.w,{{{amount}}}){suffix}"
        return self.add(SHIFT, text, f"N{name}", f"H{name}", f"L{name}", amount)

    def multiply_i16(self, result: int, p: str, scale: str, first: bool = True) -> None:
        """PA = p * scale, or more of it."""
        pa = f"PA{result}"
        sources = [p, scale] if first else [pa, p, scale]
        self.add(MULTIPLY_16, f"{{{pa}}}.w {'=' if first else '+='} vmpy({{{p}}}.h,{{{scale}}}.h)", pa, *sources)

    def accumulate(self, result: int, p: str, scale: str, da: str, first: bool) -> None:
        """PA += P16 * mpyr(s, da); the group's first one sets PA."""
        e = f"e{p}".replace(".", "_")  # a vector of its own if P16 is half of a pair
        self.add(MULTIPLY_16, f"{{{e}}}.h = vmpy({{{scale}}}.h,{{{da}}}.h):<<1:rnd:sat", e, scale, da)
        self.multiply_i16(result, p, e, first)

    def accumulate_minimum(self, result: int, minimum: str, pair: str) -> None:
        """PA += m16 * t; t is the low half of the pair's high word."""
        pa, t = f"PA{result}", f"rt{pair}"
        if t not in self.names:
            self.names[t] = [self.add(SCALAR, f"{{{t}}} = combine({{{pair}.hi}}.l,{{{pair}.hi}}.l)", t, pair)]
        self.add(MULTIPLY_16, f"{{{pa}}}.w += vmpy({{{minimum}}}.h,{{{t}}}.h)", pa, pa, minimum, t)

    def drain(self, result: int, tag: str = "") -> None:
        for odd, half in enumerate(("lo", "hi")):
            self.add_to_total(result, odd, f"PA{result}.{half}", tag)

    def add_to_total(self, result: int, odd: int, source: str, tag: str = "") -> None:
        """Adds a vector, shifted by DS, to T of weight rows 0..31 or, if odd, 32..63.

        A tag tells one time in an iteration from others.
        """
        t = f"T{result}{'hi' if odd else 'lo'}"
        if self.sums_in_memory:
            t, place = f"t{result}{'hi' if odd else 'lo'}{tag}", f"vmem({{t}}+#{2 * result + odd - self.sums_base})"
            self.add(LOAD, f"{{{t}}} = {place}", t, "t", stream=t)
        self.add_shifted(t, source, "ds")
        if self.sums_in_memory:
            self.ops.append(Op([f"{place} = {{{t}}}"], [], ["t", t], STORE, t))

    @property
    def rows_by_two(self) -> list[range]:
        """Rows that share instructions."""
        return [self.rows[first : first + 2] for first in range(0, len(self.rows), 2)]

    def results(self) -> list[tuple[int, int, int]]:
        """(result, tile, row) of each."""
        return [(tile + row, tile, row) for tile in self.tiles for row in self.rows]
