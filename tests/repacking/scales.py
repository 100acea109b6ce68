# SPDX-License-Identifier: MIT
"""The scales and minimums of GGUF's blocks: units (T, 64, u, bytes) to float64 (T, 64, u, scales) and (T, 64, u)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import recoding
from gguf import GGMLQuantizationType as Q

from pyhexagon.quants.tiles import F32, F64, U8

_E8M0: Final = np.ldexp(1.0, np.arange(256) - 128)  # half of what the byte says, since MXFP4's table is doubled


def half(blocks: U8, at: int) -> F64:
    return np.ascontiguousarray(blocks[..., at : at + 2]).view(np.float16)[..., 0].astype(np.float64)


def half_first(blocks: U8) -> tuple[F64, None]:
    return half(blocks, 0)[..., None], None


def with_minimums_of(centre: int) -> Callable[[U8], tuple[F64, F64]]:
    """d * code + m is d * (code - centre) + (m + centre * d)."""

    def scales(blocks: U8) -> tuple[F64, F64]:
        d = half(blocks, 0)
        return d[..., None], half(blocks, 2) + centre * d

    return scales


def q2_k(blocks: U8) -> tuple[F64, F64]:
    return half(blocks, 80)[..., None], half(blocks, 82)


def q3_k(blocks: U8) -> tuple[F64, None]:
    return half(blocks, 108)[..., None], None


def q4_k(blocks: U8) -> tuple[F64, F64]:
    """Minimums are added to what the DSP sums."""
    return half(blocks, 0)[..., None], -half(blocks, 2)


def q6_k(blocks: U8) -> tuple[F64, None]:
    return half(blocks, 208)[..., None], None


def mxfp4(blocks: U8) -> tuple[F64, None]:
    return _E8M0[blocks[..., :1]], None


def _of_floats(x: F32) -> tuple[F64, None]:
    """2^(W - 12) of units with W the frexp exponent of the largest magnitude, a half or a quarter of it where sums stay
    small; NaN where one is not finite."""
    is_finite = np.isfinite(x).all(axis=-1, keepdims=True)
    magnitudes = np.abs(np.where(is_finite, x, 0).astype(np.float64))
    top = magnitudes.max(axis=-1, keepdims=True)
    scale = np.where(top == 0, 0.0, np.ldexp(1.0, np.frexp(top)[1] - 12))
    sums = np.rint(magnitudes / np.where(top == 0, 1.0, scale)).sum(axis=-1, keepdims=True)
    finer = np.where(sums <= 2**15 - 32, 4, np.where(sums <= 2**16 - 32, 2, 1))
    return np.where(is_finite, scale / finer, np.nan), None


def f32(blocks: U8) -> tuple[F64, None]:
    return _of_floats(blocks.view(np.float32))


def f16(blocks: U8) -> tuple[F64, None]:
    return _of_floats(blocks.view(np.float16).astype(np.float32))


def bf16(blocks: U8) -> tuple[F64, None]:
    return _of_floats((blocks.view(np.uint16).astype(np.uint32) << 16).view(np.float32))


def recoded(dtype: Q) -> Callable[[U8], tuple[F64, F64 | None]]:
    """Of a type whose tile is another type's or has a codebook."""

    def scales(blocks: U8) -> tuple[F64, F64 | None]:
        decoded, tile = recoding.decode(dtype, blocks), recoding.TILES.get(dtype, dtype)
        if tile in recoding.VALUES:
            return decoded.by_scale(dtype), None
        if tile == Q.Q3_K:
            return decoded.d[..., None] / -32, None
        return decoded.d[..., None], -7.5 * decoded.d

    return scales
