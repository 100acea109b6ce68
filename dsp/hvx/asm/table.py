# SPDX-License-Identifier: MIT
"""The assembly loops that there are: for each its steps, its constants and its forms. A new type gets a row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from builder import Builder
from steps import (
    FIVE_BITS_BASE,
    Q2_K_LEAD,
    Q6_K_BASE,
    SUPER_BLOCK_SKIP,
    expanded_biased,
    expanded_fourth,
    expanded_halves,
    expanded_minimums,
    expanded_odd,
    iq4,
    mxfp4,
    q2_k,
    q4_0,
    q4_1,
    q4_k,
    q5_0,
    q5_1,
    q5_k,
    q6_k,
    q8_0,
)


@dataclass(frozen=True)
class Kernel:
    """A type: one iteration, and the constants it names: scalars, and words to splat."""

    iteration: Callable[[Builder], None]
    scalars: dict[str, int]
    splats: dict[str, int]
    sums_in_memory: bool = False  # T, for want of registers
    forms: tuple[str, ...] = ("tiles", "rows")
    base: int = 0  # the vector at which pointers to weights begin
    table: bool = False
    skips: bool = False  # minimums of super-blocks


NIBBLE_MASK = 0x0F0F0F0F
FIVE_BITS_SHIFTS = {f"shift_{n}": n for n in range(1, 5)}
FIVE_BITS_SPLATS = {"mask": NIBBLE_MASK} | {f"bit_{n}": 0x01010101 << n for n in range(5)}
KERNELS = {
    "q4_0": Kernel(q4_0, {"shift": 4}, {"mask": NIBBLE_MASK}),
    "q4_k": Kernel(q4_k, {"one": 1, "shift": 4, "skip": SUPER_BLOCK_SKIP}, {"mask": NIBBLE_MASK}, skips=True),
    "q8_0": Kernel(q8_0, {"shift": 4}, {"half": 8}),
    "q6_k": Kernel(
        q6_k,
        {"one": 1, "two": 2, "shift": 4},
        {"mask": NIBBLE_MASK, "mask_0": 0x03030303, "mask_1": 0x0C0C0C0C, "mask_2": 0x30303030},
        sums_in_memory=True,
        base=Q6_K_BASE,
    ),
    "q4_1": Kernel(q4_1, {"shift": 4}, {"mask": NIBBLE_MASK}),
    "iq4": Kernel(iq4, {"shift": 4, "zero": 0}, {"half": 8}, forms=("tiles",), table=True),
    "mxfp4": Kernel(mxfp4, {"shift": 4, "zero": 0}, {"half": 8}, forms=("tiles",), table=True),
    "q5_0": Kernel(
        q5_0,
        FIVE_BITS_SHIFTS | {"shift": 1},
        FIVE_BITS_SPLATS | {"half": 1},
        sums_in_memory=True,
        forms=("tiles",),
        base=FIVE_BITS_BASE,
    ),
    "q5_1": Kernel(
        q5_1,
        FIVE_BITS_SHIFTS | {"shift": 1},
        FIVE_BITS_SPLATS | {"half": 1},
        sums_in_memory=True,
        forms=("tiles",),
        base=FIVE_BITS_BASE,
    ),
    "q5_k": Kernel(
        q5_k,
        FIVE_BITS_SHIFTS | {"shift": 2, "skip": SUPER_BLOCK_SKIP},
        FIVE_BITS_SPLATS | {"half": 2},
        sums_in_memory=True,
        forms=("tiles",),
        base=FIVE_BITS_BASE,
        skips=True,
    ),
    "q2_k": Kernel(
        q2_k,
        {"two": 2, "three": 3, "four": 4, "eleven": 11} | {"lead": Q2_K_LEAD},
        {f"pair_{i}": 0x03030303 << 2 * i for i in range(4)} | {"scale": 0x78007800},
        sums_in_memory=True,
        forms=("tiles",),
    ),
    "expanded_odd": Kernel(expanded_odd, {"shift": 4}, {"half": 8}, forms=("rows",)),
    "expanded_fourth": Kernel(expanded_fourth, {"shift": 4}, {"half": 8}, forms=("rows",)),
    "expanded_minimums": Kernel(expanded_minimums, {"shift": 4}, {"half": 8}, forms=("rows",)),
    "expanded_halves": Kernel(expanded_halves, {}, {}, forms=("rows",)),
    "expanded_biased": Kernel(expanded_biased, {}, {}, forms=("rows",)),
}
