# SPDX-License-Identifier: MIT
"""The assembly loops that there are: for each its steps, its constants and its forms. A new type gets a row here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from builder import FORMS, TYPES, VECTOR, Builder
from fives import FIVES_BASE, q5_0, q5_1
from floats import floats
from half_blocks import SIXES_BASE, q2_k, q6_k
from schedule import Plan
from steps import expanded_biased, expanded_halves, expanded_minimums, iq4, iq4_xs, mxfp4, q4_0, q4_1, q8_0
from super_blocks import SIX_BITS, q4_k, q5_k
from threes import THREES_BASE, q3_k


@dataclass(frozen=True)
class Kernel:
    """A type: one iteration, and the constants it names: scalars, and words to splat."""

    iteration: Callable[[Builder], None]
    scalars: dict[str, int]
    splats: dict[str, int]
    sums_in_memory: tuple[str, ...] = ()  # forms that keep T there, for want of registers
    forms: tuple[str, ...] = ("tiles", "tile", "rows", "rows3", "rows2")
    base: int = 0  # the vector at which pointers to weights begin
    base_of_rows: int | None = None  # the same in loops of several rows, where that differs
    sums_base: int = 0  # the same of T in memory: Builder.sums_base of the form
    table: bool = False
    seeds: Mapping[str, int | tuple[int, ...]] = field(default_factory=dict)
    """For each form what search.py found, if it helps: a seed, and changes to it."""

    def plans(self, form: str) -> list[Plan]:
        """Those of the form's seeds."""
        if form not in self.seeds:
            return []
        seeds = self.seeds[form]
        return [Plan.of(*(seeds if isinstance(seeds, tuple) else (seeds,)))]


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
        seeds={"tiles": 36662, "tile": 57797, "rows": 354, "rows3": 103862, "rows2": 86038},
    ),
    "q4_k": Kernel(
        q4_k,
        {"one": 1, "two": 2, "shift": 4, "four": 4, "six": 6, "eight": 8, "nine": 9},
        {"mask": NIBBLE_MASK, "six_bits": SIX_BITS, "zero": 0},
        forms=("tiles2", "tile", "rows2"),
        seeds={"tiles2": 363, "rows2": 6752, "tile": 13507},
    ),
    "q8_0": Kernel(q8_0, {"shift": 4}, {"half": 8}, seeds={"tiles": 1, "tile": 1, "rows": 61135, "rows3": 1215}),
    "q6_k": Kernel(
        q6_k,
        {"one": 1, "two": 2, "four": 4, "six": 6, "eight": 8, "count": 0, "skip": LEAD["Q6_K"]},
        {"mask": 0x3F3F3F3F, "nibble_0": NIBBLE_MASK, "nibble_1": 0xF0F0F0F0, "scale": 0xFF00FF00, "zero": 0},
        sums_in_memory=("tiles", "tile", "rows"),
        base=SIXES_BASE - TYPES["Q6_K"].lead_vectors,
        seeds={
            "tiles": 4567,
            "tile": 540,
            "rows": 59399,
            "rows3": 1296134,
            "rows2": (1897, 109, 399, 515, 6487, 46550, 47077, 49324, 49491, 49778, 49985, 50512),
        },
    ),
    "q4_1": Kernel(
        q4_1,
        {"shift": 4},
        {"mask": NIBBLE_MASK},
        seeds={"tiles": 12024, "tile": 1263, "rows": 51642, "rows3": 3556, "rows2": 43189},
    ),
    "iq4": Kernel(
        iq4,
        {"shift": 4, "zero": 0},
        {"half": 8},
        sums_in_memory=("rows",),
        table=True,
        seeds={"tiles": 2140, "tile": 726, "rows": 313, "rows3": 3471, "rows2": 5386},
    ),
    "iq4_xs": Kernel(
        iq4_xs,
        {"shift": 4, "zero": 0, "two": 2, "six": 6, "eight": 8, "ten": 10},
        {"half": 8},
        sums_in_memory=("rows",),
        forms=("tiles2", "tile", "rows", "rows3", "rows2"),
        base=-TYPES["IQ4_XS"].lead_vectors,
        table=True,
        seeds={
            "tiles2": (3442, 23540),
            "tile": (258, 797),
            "rows": (12, 5053),
            "rows3": (36, 445, 731, 766, 2453, 2531),
            "rows2": (6, 134),
        },
    ),
    "mxfp4": Kernel(
        mxfp4,
        {"shift": 4, "zero": 0, "four": 4},
        {"half": 8, "top": 0x40004000, "nibble": 0x000F000F},
        sums_in_memory=tuple(FORMS),
        table=True,
        seeds={"tiles": 1466, "rows": 1432, "rows3": 1075, "rows2": 3103},
    ),
    "q5_0": Kernel(
        q5_0,
        FIVES | {"shift": 1},
        FIVES_MASKS | {"half": 1, "half_9": 9},
        sums_in_memory=("tiles", "tile", "rows"),
        base=FIVES_BASE,
        base_of_rows=0,
        seeds={
            "tiles": 1888,
            "tile": 14188,
            "rows": (6370, 1744, 3033, 3412, 4263, 4474, 5045, 5176, 18467, 30131),
            "rows3": (1056674, 390, 605, 1083, 1688, 2783, 28700, 28708, 33029, 57043, 60996),
            "rows2": 4295096025,
        },
    ),
    "q5_1": Kernel(
        q5_1,
        FIVES | {"shift": 1},
        FIVES_MASKS | {"half": 1, "half_9": 9},
        sums_in_memory=("tiles", "tile", "rows"),
        base=FIVES_BASE,
        base_of_rows=0,
        seeds={
            "tiles": 926,
            "tile": 214,
            "rows": (21223, 51, 144, 278, 831, 1032, 1267, 10859, 13632, 14098, 19370, 19562),
            "rows3": (25126, 213, 303, 640, 744, 1059, 1093, 1184, 6328, 15891, 19054, 21402, 38273, 53938),
            "rows2": 4295082006,
        },
    ),
    "q5_k": Kernel(
        q5_k,
        FIVES | {"eight": 8, "nine": 9},
        {"mask": 0x1F1F1F1F, "six_bits": SIX_BITS, "scale": 0x3F003F00} | PAIR_MASKS,
        sums_in_memory=("tiles2", "rows5", "rows", "rows3"),
        forms=("tiles2", "tile", "rows5", "rows", "rows3", "rows2"),
        base=FIVES_BASE,
        seeds={"tiles2": 43473, "tile": 4418, "rows5": 11021, "rows": 213809, "rows3": 8834, "rows2": 8842},
    ),
    "q2_k": Kernel(
        q2_k,
        {"two": 2, "three": 3, "four": 4, "eleven": 11, "count": 0, "skip": LEAD["Q2_K"]},
        PAIR_MASKS | {"scale": 0x78007800},
        sums_in_memory=tuple(FORMS),
        base=-TYPES["Q2_K"].lead_vectors,
        seeds={"tiles": 1949, "tile": 2374, "rows": 2529, "rows3": 3159, "rows2": 49},
    ),
    "q3_k": Kernel(
        q3_k,
        {"two": 2, "three": 3, "four": 4, "six": 6, "seven": 7, "ten": 10, "count": 0},
        {"three_0": 0x07070707, "three_1": 0x38383838, "bit_6": 0x40404040, "scale": 0xFC00FC00},
        sums_in_memory=("rows", "rows3"),
        forms=("tiles2", "tile", "rows", "rows3", "rows2"),
        base=THREES_BASE,
        seeds={
            "tiles2": (4294967301, 16, 17, 1001, 1012, 1223),
            "tile": 4294968343,
            "rows": (1004, 3112, 3116, 3841, 3911),
            "rows3": (40, 136, 145),
            "rows2": (4294967321, 2042),
        },
    ),
    "float": Kernel(
        floats,
        {"fifteen": 15, "four": 4, "twelve": 12},
        {"one": 0x00010001},
        sums_in_memory=tuple(FORMS),
        seeds={"tiles": 2541, "tile": 832, "rows": 19, "rows2": 1235},
    ),
    "expanded_minimums": Kernel(expanded_minimums, {"shift": 4}, {"half": 8}, forms=("rows",), seeds={"rows": 35856}),
    "expanded_halves": Kernel(expanded_halves, {}, {}, forms=("rows",), seeds={"rows": 2}),
    "expanded_biased": Kernel(expanded_biased, {}, {}, forms=("rows",), seeds={"rows": 27628}),
}
