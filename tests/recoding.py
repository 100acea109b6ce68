# SPDX-License-Identifier: MIT
"""The GGUF types with grids, ternary weights or NVFP4's scales, as the codes and scales of the tiles that hold them.

Codes are read off the weights that the gguf package dequantizes with a factor of 1, so no grid is written down here.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import gguf
import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]
Q = gguf.GGMLQuantizationType

TILES: Final = {
    Q.TQ1_0: Q.Q3_K,
    Q.TQ2_0: Q.Q3_K,
    Q.IQ1_S: Q.IQ2_S,
    Q.IQ3_S: Q.Q4_K,
    Q.IQ1_M: Q.IQ2_S,
    Q.IQ2_XXS: Q.IQ2_S,
    Q.IQ2_XS: Q.IQ2_S,
}
IQ3_VALUES: Final = np.array([2, 6, 10, 14, 18, 22, 26, 31, -2, -6, -10, -14, -18, -22, -26, -31])
IQ2_VALUES: Final = np.array([8, 25, 43, -8, -25, -43, -36, -28, -4, 4, 28, 36, 0, 0, 0, 0])
NVFP4_VALUES: Final = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12])
VALUES: Final = {Q.IQ3_XXS: IQ3_VALUES, Q.IQ2_S: IQ2_VALUES, Q.NVFP4: NVFP4_VALUES}
TYPES: Final = (*TILES, *VALUES)
# The weight that the value 1 of a type's tile stands for, where d and the small scale are 1.
UNITS: Final = {
    **dict.fromkeys((Q.IQ1_S, Q.IQ1_M), 2**-5),
    **dict.fromkeys((Q.IQ2_XXS, Q.IQ2_XS, Q.IQ2_S), 2**-3),
    Q.IQ3_XXS: 2**-1,
    Q.NVFP4: 1,
}
_ONE: Final = np.array([1], np.float16).view(np.uint8)
_F16_AT: Final = {Q.TQ1_0: 52, Q.TQ2_0: 64}


class Decoded(NamedTuple):
    """Blocks of GGUF bytes, (...)."""

    codes: I64  # (..., weights): the numbers that are stored in the tile
    d: F64  # (...,)
    scales: F64  # (..., weights / 16): small scales, of NVFP4 all there is

    def by_scale(self, dtype: Q) -> F64:
        """Return d times the small scales in the tile's unit, (..., weights / 16)."""
        return self.d[..., None] * self.scales * UNITS[dtype]


def decode(dtype: Q, blocks: U8) -> Decoded:
    """Decode blocks (..., blocks of a row, bytes)."""
    if dtype == Q.NVFP4:
        nibbles = blocks[..., 4:].reshape(*blocks.shape[:-1], 4, 8).astype(np.int64)
        all_codes = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).reshape(*blocks.shape[:-1], 64)
        floats = gguf.quants.NVFP4.ue4m3_to_fp32(blocks[..., :4]).astype(np.float64)
        return Decoded(all_codes, np.ones(blocks.shape[:-1]), floats)
    d, with_one = _factor(dtype, blocks)
    scales = _scales(dtype, blocks)
    rows = with_one.reshape(-1, blocks.shape[-2] * blocks.shape[-1])  # gguf loops over rows
    weights = gguf.dequantize(rows, dtype).astype(np.float64)
    steps = weights.reshape(*blocks.shape[:-1], 16, 16) / scales[..., None]
    if dtype in (Q.TQ1_0, Q.TQ2_0):
        codes = steps + 4
    elif dtype == Q.IQ3_S:
        codes = (steps + 15) / 2
    else:
        values = VALUES[TILES.get(dtype, dtype)]
        table = np.zeros(128, np.int64)
        table[values[::-1] + 64] = np.arange(len(values))[::-1]  # the first place of a value
        places = table[np.clip(steps / UNITS[dtype] + 64, 0, 127).astype(np.int64)]
        np.testing.assert_array_equal(values[places] * UNITS[dtype], steps)
        codes = places.astype(np.float64)
    whole = codes.astype(np.int64)
    np.testing.assert_array_equal(whole, codes)
    return Decoded(whole.reshape(*blocks.shape[:-1], 256), d, scales.astype(np.float64))


def _factor(dtype: Q, blocks: U8) -> tuple[F64, U8]:
    """Return d, and the blocks with a d of 1."""
    with_one = blocks.copy()
    if dtype == Q.IQ1_M:
        words, one = np.ascontiguousarray(blocks[..., 48:]).view("<u2"), 0x3C00
        d = np.bitwise_or.reduce([words[..., i] >> 12 << 4 * i for i in range(4)])
        ones = [(words[..., i] & 0xFFF) | (one >> 4 * i & 15) << 12 for i in range(4)]
        with_one[..., 48:] = np.stack(ones, axis=-1).astype("<u2").view(np.uint8)
        return d.astype(np.uint16).view(np.float16).astype(np.float64), with_one
    at = _F16_AT.get(dtype, 0)
    with_one[..., at : at + 2] = _ONE
    return np.ascontiguousarray(blocks[..., at : at + 2]).view(np.float16)[..., 0].astype(np.float64), with_one


def _scales(dtype: Q, blocks: U8) -> I64:
    """Return the small scales, (..., 16)."""
    if dtype in (Q.TQ1_0, Q.TQ2_0):
        return np.ones((*blocks.shape[:-1], 16), np.int64)
    if dtype == Q.IQ1_M:
        words = np.ascontiguousarray(blocks[..., 48:]).view("<u2").astype(np.int64)
        return 2 * (words[..., None] >> np.arange(0, 12, 3) & 7).reshape(*blocks.shape[:-1], 16) + 1
    if dtype == Q.IQ1_S:
        return 2 * (blocks[..., 35::2].astype(np.int64) >> 4 & 7).repeat(2, axis=-1) + 1
    if dtype in (Q.IQ2_XXS, Q.IQ3_XXS):
        first, step = (9, 8) if dtype == Q.IQ2_XXS else (69, 4)
        return 2 * (blocks[..., first::step].astype(np.int64) >> 4).repeat(2, axis=-1) + 1
    pairs = blocks[..., {Q.IQ2_XS: 66, Q.IQ2_S: 74, Q.IQ3_S: 106}[dtype] :].astype(np.int64)
    nibbles = np.stack([pairs & 15, pairs >> 4], axis=-1).reshape(*blocks.shape[:-1], -1)
    return 2 * nibbles.repeat(16 // nibbles.shape[-1], axis=-1) + 1
