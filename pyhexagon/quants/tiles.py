# SPDX-License-Identifier: MIT
"""How types lie in a tile: docs/arithmetic.md, section 4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

TILE_ROWS: Final = 64
GROUP_UNITS: Final = 4
_TABLE_WORDS: Final = 64
_VECTOR_WORDS: Final = 32


@dataclass(frozen=True)
class BlockMinimums:
    """A 16-bit number for each block that is added to all its weights; their codes are -centre..centre-1."""

    vector: int  # which one of a unit
    centre: int


@dataclass(frozen=True)
class SuperMinimums:
    """Small minimums, and a dm for each super-block."""

    vector: int  # which one of a unit is dm
    exponent: int  # of the unit of TM, less Em and DM


@dataclass(frozen=True)
class SpreadMinimums:
    """Small minimums of 6 bits, and a negative dm for each super-block in a unit 2^above as large as that of d16.

    dm lies in the upper two bits of bytes of vectors whose lower six are minimums."""

    minimums: tuple[int, ...]
    above: int


Minimums = BlockMinimums | SuperMinimums | SpreadMinimums


@dataclass(frozen=True)
class Layout:
    """How a type lies in a tile. A unit is one GGUF block, or 32 floats."""

    vectors: int  # a unit
    exponent: int  # of the unit of T, less En and DS
    scale_vectors: tuple[int, ...]  # which vectors of a unit are scales
    minimums: Minimums | None = None
    unit_size: int = 32
    scale_blocks: int = 1  # a unit
    spare_bits: int = 0  # of PA, which DS leaves to the sum of the groups
    activation_exponent: int = 147
    group_vectors: int = 0  # in front of four units: their scales
    threes: tuple[int, ...] = ()  # which vectors of a unit have small scales, eight in three: `of_three`
    six_bit_scales: tuple[int, ...] = ()  # vectors of a unit with small scales of two blocks each, and d16 above them

    def units(self, k: int) -> int:
        return -(-k // self.unit_size)

    def tile_words(self, k: int) -> int:
        groups = -(-self.units(k) // GROUP_UNITS)
        return _TABLE_WORDS + (self.units(k) * self.vectors + groups * self.group_vectors) * _VECTOR_WORDS


def of_three(v0: I64, v1: I64, v2: I64) -> I64:
    """The eight small scales of four blocks of Q3_K, along a new last axis: of 16 bits each of three vectors."""
    top = [v0, v0 << 10, (v0 << 6) + (v1 << 2), v1, v1 << 10, (v2 << 6) + (v1 << 4), v2, v2 << 10]
    return np.stack([number >> 10 & 63 for number in top], axis=-1)
