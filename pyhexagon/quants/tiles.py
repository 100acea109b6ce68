# SPDX-License-Identifier: MIT
"""The layout of each type in a tile: docs/arithmetic.md, section 4."""

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
    """A 16-bit minimum per block, added to all its weights; their codes are -centre..centre-1."""

    vector: int  # index in the unit
    centre: int


@dataclass(frozen=True)
class SuperMinimums:
    """Small minimums, and a dm per super-block."""

    vector: int  # index of dm's vector in the unit
    exponent: int  # of the unit of TM, without Em and DM


@dataclass(frozen=True)
class SpreadMinimums:
    """Small minimums of 6 bits, and a negative dm per super-block, whose unit is 2^above times that of d16.

    dm lies in the upper two bits of the bytes whose lower six bits are minimums."""

    minimums: tuple[int, ...]
    above: int


Minimums = BlockMinimums | SuperMinimums | SpreadMinimums


@dataclass(frozen=True)
class Layout:
    """The layout of a type in a tile. A unit is one GGUF block, or 32 floats."""

    vectors: int  # per unit
    exponent: int  # of the unit of T, without En and DS
    scale_vectors: tuple[int, ...]  # indices of the scale vectors in a unit
    minimums: Minimums | None = None
    unit_size: int = 32
    scale_blocks: int = 1  # per unit
    spare_bits: int = 0  # bits of PA that DS leaves to the sum of the groups
    activation_exponent: int = 147
    group_vectors: int = 0  # scale vectors in front of every four units
    threes: tuple[int, ...] = ()  # indices of vectors with small scales, eight in three: `unpack_three`
    six_bit_scales: tuple[int, ...] = ()  # indices of vectors with 6-bit scales of two blocks each, d16 above

    def units(self, k: int) -> int:
        return -(-k // self.unit_size)

    def tile_words(self, k: int) -> int:
        groups = -(-self.units(k) // GROUP_UNITS)
        return _TABLE_WORDS + (self.units(k) * self.vectors + groups * self.group_vectors) * _VECTOR_WORDS


def unpack_three(v0: I64, v1: I64, v2: I64) -> I64:
    """Unpack eight small scales of four blocks of Q3_K from 16 bits of each of three vectors, as a new last axis."""
    top = [v0, v0 << 10, (v0 << 6) + (v1 << 2), v1, v1 << 10, (v2 << 6) + (v1 << 4), v2, v2 << 10]
    return np.stack([number >> 10 & 63 for number in top], axis=-1)
