# SPDX-License-Identifier: MIT
"""All micro-kernels: for each type its steps, its constants and its forms. A new type gets a row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from builder import FORMS, TYPES, VECTOR, Builder
from fives import FIVES_BASE, q5_0, q5_1
from floats import floats
from half_blocks import SIXES_BASE, q2_k, q6_k
from steps import codebook, expanded_biased, expanded_halves, expanded_minimums, iq4, iq4_xs, mxfp4, q4_0, q4_1, q8_0
from super_blocks import SIX_BITS, q4_k, q5_k
from threes import THREES_BASE, q3_k


@dataclass(frozen=True)
class Kernel:
    """A type: one iteration, and the constants it names: scalars, and words to splat."""

    iteration: Callable[[Builder], None]
    scalars: dict[str, int]
    splats: dict[str, int]
    sums_in_memory: tuple[str, ...] = ()  # forms that keep T in memory, because registers do not suffice
    forms: tuple[str, ...] = ("tiles", "tile", "rows", "rows3", "rows2")
    base: int = 0  # the vector of a block at which pointers to weights stand
    base_of_rows: int | None = None  # base in loops of several rows, if it differs
    sums_base: int = 0  # base of pointers to T in memory: Builder.sums_base of the form
    table: bool = False


LEAD = {name: row.lead_vectors * VECTOR for name, row in TYPES.items()}
NIBBLE_MASK = 0x0F0F0F0F
PAIR_MASKS = {f"pair_{i}": 0x03030303 << 2 * i for i in range(4)}
FIVES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
FIVES_MASKS = {"mask": 0x1F1F1F1F} | PAIR_MASKS
KERNELS = {
    "q4_0": Kernel(
        q4_0,
        {"shift": 4},
        {"mask": NIBBLE_MASK},
    ),
    "q4_k": Kernel(
        q4_k,
        {"one": 1, "two": 2, "shift": 4, "four": 4, "six": 6, "eight": 8, "nine": 9},
        {"mask": NIBBLE_MASK, "six_bits": SIX_BITS, "zero": 0},
        forms=("tiles2", "tile", "rows2"),
    ),
    "q8_0": Kernel(q8_0, {"shift": 4}, {"half": 8}),
    "q6_k": Kernel(
        q6_k,
        {"one": 1, "two": 2, "four": 4, "six": 6, "eight": 8, "count": 0, "skip": LEAD["Q6_K"]},
        {"mask": 0x3F3F3F3F, "nibble_0": NIBBLE_MASK, "nibble_1": 0xF0F0F0F0, "scale": 0xFF00FF00, "zero": 0},
        sums_in_memory=("tiles", "tile", "rows"),
        base=SIXES_BASE - TYPES["Q6_K"].lead_vectors,
    ),
    "q4_1": Kernel(
        q4_1,
        {"shift": 4},
        {"mask": NIBBLE_MASK},
    ),
    "iq4": Kernel(
        iq4,
        {"shift": 4, "zero": 0},
        {"half": 8},
        sums_in_memory=("rows",),
        table=True,
    ),
    "iq4_xs": Kernel(
        iq4_xs,
        {"shift": 4, "zero": 0, "two": 2, "six": 6, "eight": 8, "ten": 10},
        {"half": 8},
        sums_in_memory=("rows",),
        forms=("tiles2", "tile", "rows", "rows3", "rows2"),
        base=-TYPES["IQ4_XS"].lead_vectors,
        table=True,
    ),
    "mxfp4": Kernel(
        mxfp4,
        {"shift": 4, "zero": 0, "four": 4},
        {"half": 8, "top": 0x40004000, "nibble": 0x000F000F},
        sums_in_memory=tuple(FORMS),
        table=True,
    ),
    "codebook": Kernel(
        codebook,
        {"shift": 3, "four": 4, "zero": 0},
        {"half": 4, "below": 3},
        sums_in_memory=("tiles", "rows", "rows3"),
        table=True,
    ),
    "q5_0": Kernel(
        q5_0,
        FIVES | {"shift": 1},
        FIVES_MASKS | {"half": 1, "half_9": 9},
        sums_in_memory=("tiles", "tile", "rows"),
        base=FIVES_BASE,
        base_of_rows=0,
    ),
    "q5_1": Kernel(
        q5_1,
        FIVES | {"shift": 1},
        FIVES_MASKS | {"half": 1, "half_9": 9},
        sums_in_memory=("tiles", "tile", "rows"),
        base=FIVES_BASE,
        base_of_rows=0,
    ),
    "q5_k": Kernel(
        q5_k,
        FIVES | {"eight": 8, "nine": 9},
        {"mask": 0x1F1F1F1F, "six_bits": SIX_BITS, "scale": 0x3F003F00} | PAIR_MASKS,
        sums_in_memory=("tiles2", "rows5", "rows", "rows3"),
        forms=("tiles2", "tile", "rows5", "rows", "rows3", "rows2"),
        base=FIVES_BASE,
    ),
    "q2_k": Kernel(
        q2_k,
        {"two": 2, "three": 3, "four": 4, "eleven": 11, "count": 0, "skip": LEAD["Q2_K"]},
        PAIR_MASKS | {"scale": 0x78007800},
        sums_in_memory=tuple(FORMS),
        base=-TYPES["Q2_K"].lead_vectors,
    ),
    "q3_k": Kernel(
        q3_k,
        {"two": 2, "three": 3, "four": 4, "six": 6, "seven": 7, "ten": 10, "count": 0},
        {"three_0": 0x07070707, "three_1": 0x38383838, "bit_6": 0x40404040, "scale": 0xFC00FC00},
        sums_in_memory=("rows", "rows3"),
        forms=("tiles2", "tile", "rows", "rows3", "rows2"),
        base=THREES_BASE,
    ),
    "float": Kernel(
        floats,
        {"four": 4, "twelve": 12},
        {},
    ),
    "expanded_minimums": Kernel(expanded_minimums, {"shift": 4}, {"half": 8}, forms=("rows",)),
    "expanded_halves": Kernel(expanded_halves, {}, {}, forms=("rows",)),
    "expanded_biased": Kernel(expanded_biased, {}, {}, forms=("rows",)),
}
