# SPDX-License-Identifier: MIT
"""Dequantise tiles: the weights that the DSP multiplies with. docs/arithmetic.md, section 4, defines the format.

Every type is a row in a table: the number of vectors in a block of 32 k, and a reader of its codes. A reader maps the
bytes of a block's code vectors, (..., vector, i, c), to the codes of its rows, (..., half, j, i, c), that is of row
32 * half + i and k = 4 * j + c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi.contract import ROW_NAN
from pyhexagon.quants.layouts import LAYOUTS, TILE_TYPES
from pyhexagon.quants.tiles import (
    F32,
    F64,
    GROUP_UNITS,
    I64,
    TILE_ROWS,
    U8,
    BlockMinimums,
    Layout,
    SpreadMinimums,
    SuperMinimums,
    unpack_three,
)

_TABLE_BYTES: Final = 4 * TILE_ROWS
_VECTOR_BYTES: Final = 128
_WEIGHTS_AT_ONCE: Final = 1 << 20  # bounds the temporary memory, a few times 8 bytes each
_BLOCK: Final = 32  # k

Codes = npt.NDArray[Any]


def _nibbles(b: U8) -> Codes:
    return np.stack([b & 15, b >> 4], axis=-4)


def _pairs(b: U8) -> Codes:
    halves = [np.stack([b >> 2 * half & 3, b >> 4 + 2 * half & 3], axis=-3) for half in range(2)]  # (..., v, p, i, c)
    return np.stack([half.reshape(*b.shape[:-3], 8, 32, 4) for half in halves], axis=-4)


def _threes(b: U8) -> Codes:
    b = b.reshape(*b.shape[:-3], 2, 3, 32, 4)
    first, second, third = (b[..., v, :, :] for v in range(3))
    halves = []
    for half, low in enumerate((first, second)):
        last = low >> 6 | (third >> 6 + half & 1) << 2
        halves.append(np.concatenate([b >> 3 * half & 7, last[..., None, :, :]], axis=-3))
    return np.stack([half.reshape(*b.shape[:-4], 8, 32, 4) for half in halves], axis=-4)


def _fives(b: U8) -> Codes:
    codes, rest = b[..., :8, :, :], b[..., 8:, :, :]
    low = np.stack([rest >> 2 * m & 3 for m in range(4)], axis=-3).reshape(codes.shape)
    return np.stack([codes & 31, codes >> 5 << 2 | low], axis=-4)


def _sixes(b: U8) -> Codes:
    codes, rest = b[..., :8, :, :], b[..., 8:, :, :]
    low = np.stack([rest & 15, rest >> 4], axis=-3).reshape(codes.shape)
    return np.stack([codes & 63, codes >> 6 << 4 | low], axis=-4)


def _bytes(b: U8) -> Codes:
    return np.asarray(b.reshape(*b.shape[:-3], 8, 2, 32, 4).swapaxes(-4, -3))


def _floats(b: U8) -> Codes:
    numbers = np.ascontiguousarray(b).view("<i2")
    halves = numbers.reshape(*b.shape[:-3], 8, 2, 2, 32, 2)  # (..., j, two k, half, i, c)
    halves = np.moveaxis(halves, -3, -5)  # (..., half, j, two k, i, c)
    return np.asarray(np.moveaxis(halves, -3, -2).reshape(*b.shape[:-3], 2, 8, 32, 4))


_IQ4: Final = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113])
_IQ3: Final = np.array([2, 6, 10, 14, 18, 22, 26, 31, -2, -6, -10, -14, -18, -22, -26, -31])
_IQ2: Final = np.array([8, 25, 43, -8, -25, -43, -36, -28, -4, 4, 28, 36, 0, 0, 0, 0])
_FP4: Final = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12])


class _Form(NamedTuple):
    """The layout of a type's blocks in a unit: the reader of codes, code vectors and vectors per block, and scales."""

    codes: Callable[[U8], Codes]
    n_codes: int
    n_vectors: int
    centre: int = 0
    values: npt.NDArray[np.int64] | None = None  # the values of the codes
    n_before: int = 0
    sc_bits: int = 0  # of the small scales, multiplied by d16: 4 unsigned, else signed
    small_unit: int = 0  # the unit of d16 * small scale, as a power of 2


_FORMS: Final = {
    **dict.fromkeys((Q.F32, Q.F16, Q.BF16), _Form(_floats, 32, 32)),
    Q.Q4_0: _Form(_nibbles, 8, 9, 8),
    Q.Q4_1: _Form(_nibbles, 8, 10, 8),
    Q.Q5_0: _Form(_fives, 10, 11, 16),
    Q.Q5_1: _Form(_fives, 10, 12, 16),
    Q.Q8_0: _Form(_bytes, 16, 17, 128),
    Q.Q2_K: _Form(_pairs, 4, 5, n_before=2, sc_bits=4),
    Q.Q3_K: _Form(_threes, 6, 6, 4, n_before=1, sc_bits=6),
    Q.Q4_K: _Form(_nibbles, 8, 8),
    Q.Q5_K: _Form(_fives, 10, 10),
    Q.Q6_K: _Form(_sixes, 12, 13, 32, n_before=1, sc_bits=8, small_unit=2),
    Q.IQ4_NL: _Form(_nibbles, 8, 9, values=_IQ4),
    Q.IQ4_XS: _Form(_nibbles, 8, 8, values=_IQ4, small_unit=4),
    Q.MXFP4: _Form(_nibbles, 8, 8, values=_FP4),
    Q.IQ3_XXS: _Form(_nibbles, 8, 10, values=_IQ3),
    Q.IQ2_S: _Form(_nibbles, 8, 10, values=_IQ2),
    Q.NVFP4: _Form(_nibbles, 8, 10, values=_FP4),
}


def dequantise(dtype: Q, tiles: U8, out: F32) -> None:
    """Write the weights of tiles as float32.

    Args:
        tiles: written by ``repack``.
        out: (n, k), overwritten; rows with NaN or infinity become NaN.
    """
    n, k = out.shape
    layout = LAYOUTS[dtype]
    tiles = tiles.reshape(-1, 4 * layout.tile_words(k))
    step = max(1, _WEIGHTS_AT_ONCE // (TILE_ROWS * k))
    for first in range(0, len(tiles), step):
        part = _of_tiles(layout, _FORMS[TILE_TYPES[dtype]], tiles[first : first + step], k)
        rows = slice(first * TILE_ROWS, min(n, (first + step) * TILE_ROWS))
        out[rows] = part[: rows.stop - rows.start, :k]


def _of_tiles(layout: Layout, form: _Form, tiles: U8, k: int) -> F64:
    """Return the weights of whole tiles, (rows, k padded to whole units)."""
    words = tiles[:, :_TABLE_BYTES].view("<u4").astype(np.int64)
    exponent, shift_t, shift_m = (words & 0xFFFF ^ 0x8000) - 0x8000, words >> 16 & 0xFF, words >> 24
    n_tiles, units, in_unit = len(tiles), layout.units(k), layout.unit_size // _BLOCK
    every, powers = tiles[:, _TABLE_BYTES:].reshape(n_tiles, -1, _VECTOR_BYTES), None
    if layout.group_vectors:
        every, powers = _grouped(every, units, layout.vectors)
    vectors = every.reshape(n_tiles, units, layout.vectors, _VECTOR_BYTES)
    spread = layout.minimums if isinstance(layout.minimums, SpreadMinimums) else None
    if layout.six_bit_scales:
        of_minimums = spread.minimums if spread else ()
        bytes_of_scales, bytes_of_minimums = (vectors[:, :, list(at)] for at in (layout.six_bit_scales, of_minimums))
        vectors = np.delete(vectors, [*layout.six_bit_scales, *of_minimums], axis=2)
    if layout.threes:
        bytes_of_scales = vectors[:, :, list(layout.threes)]
        vectors = np.delete(vectors, layout.threes, axis=2)
    end = form.n_before + in_unit * form.n_vectors
    blocks = vectors[:, :, form.n_before : end].reshape(n_tiles, units * in_unit, form.n_vectors, _VECTOR_BYTES)

    codes = form.codes(blocks[:, :, : form.n_codes].reshape(*blocks.shape[:2], form.n_codes, 32, 4))
    codes = np.swapaxes(codes, -3, -2).reshape(*codes.shape[:2], TILE_ROWS, _BLOCK)
    codes = form.values[codes] if form.values is not None else codes.astype(np.int64) - form.centre

    # Only meaningful for types with small scales.
    small = _of_threes(bytes_of_scales) if layout.threes else _small(blocks[:, :, -1])
    if form.n_before:
        d16 = _halves(vectors[:, :, 0]).repeat(in_unit, axis=1)[:, :, np.newaxis]
        of_d16 = (small & 15) << 11 if form.sc_bits == 4 else _signed(small, form.sc_bits) << 16 - form.sc_bits
        scales, unit = _multiplied(d16, of_d16), np.int64(form.small_unit)
    elif powers is not None:
        scales, unit = powers[:, :, np.newaxis], np.int64(layout.exponent)
    elif layout.six_bit_scales:
        sc = _small((bytes_of_scales & np.uint8(63)).reshape(n_tiles, -1, _VECTOR_BYTES))
        sc = sc.reshape(n_tiles, -1, 1, TILE_ROWS)
        d16 = _spread_numbers(bytes_of_scales).repeat(in_unit, axis=1)
        scales = sc * d16 if spread else _multiplied(d16, _signed(sc, 6) << 10)
        unit = np.int64(layout.exponent if spread else form.small_unit)
    else:
        scales = _halves(vectors[:, :, list(layout.scale_vectors)]).reshape(*blocks.shape[:2], -1, TILE_ROWS)
        unit = np.int64(layout.exponent)
    groups = -(-layout.scale_blocks * units // 4)
    ds = max(0, _clog2(groups) - layout.spare_bits)
    power = exponent + layout.activation_exponent - unit - ds - shift_t - 15  # of 2: the unit of code * scale
    weights = _spread(codes * _along_k(scales), power + 1 if spread else power)
    if isinstance(layout.minimums, BlockMinimums):
        m16 = _halves(vectors[:, :, layout.minimums.vector])
        weights += _spread(_along_k(m16[:, :, np.newaxis]), power + 4 + layout.exponent)
    elif spread:
        dm = _spread_numbers(bytes_of_minimums).repeat(in_unit, axis=1)
        weights += _spread(_along_k(_minimums(bytes_of_minimums & np.uint8(63)) * dm), power + 1 + spread.above)
    elif isinstance(layout.minimums, SuperMinimums):
        dm = _halves(vectors[:, :, layout.minimums.vector]).repeat(in_unit, axis=1)[:, :, np.newaxis]
        minimums = small >> 4
        power = exponent + layout.activation_exponent - layout.minimums.exponent - _clog2(units) - shift_m - 15
        weights -= _spread(_along_k(minimums * dm), power)
    weights[exponent == ROW_NAN] = np.nan
    return weights.reshape(n_tiles * TILE_ROWS, -1)


def _grouped(vectors: U8, units: int, in_unit: int) -> tuple[U8, I64]:
    """Remove the scale vector in front of each four units from (T, all, 128); return the scales too, (T, units, 64)."""
    firsts = np.arange(0, vectors.shape[1], GROUP_UNITS * in_unit + 1)
    shifts = _halves(vectors[:, firsts])[:, :, np.newaxis] >> 4 * np.arange(GROUP_UNITS)[:, np.newaxis] & 15
    powers = (1 << 14 >> shifts).reshape(len(vectors), -1, TILE_ROWS)
    return np.delete(vectors, firsts, axis=1), powers[:, :units]


def _clog2(n: int) -> int:
    return (n - 1).bit_length()


def _halves(vectors: U8) -> I64:
    """Return scale vectors (..., 128) as the numbers of their rows (..., 64)."""
    numbers = np.ascontiguousarray(vectors).view("<i2").astype(np.int64)
    return np.asarray(numbers.reshape(*numbers.shape[:-1], 32, 2).swapaxes(-1, -2).reshape(numbers.shape))


def _spread_numbers(vectors: U8) -> I64:
    """Return d16 or dm, which is spread over four vectors: (T, units, 4, 128) to (T, units, 1, 64)."""
    halves = _halves(vectors) >> 2 * np.arange(4)[:, np.newaxis]
    return np.asarray((halves.sum(axis=2, keepdims=True) & 0xFFFF ^ 0x8000) - 0x8000)


def _small(vectors: U8) -> I64:
    """Return vectors of small scales (T, blocks, 128) as numbers (T, blocks, scale blocks, 64)."""
    each = vectors.reshape(*vectors.shape[:-1], 32, 2, 2).astype(np.int64)  # (..., i, half, scale block)
    return np.asarray(each.transpose(0, 1, 4, 3, 2).reshape(*vectors.shape[:-1], 2, TILE_ROWS))


def _of_threes(vectors: U8) -> I64:
    """Return the small scales of Q3_K, (T, units, 6, 128), as numbers (T, blocks, scale blocks, 64)."""
    numbers = _halves(vectors)
    each = [unpack_three(*(numbers[:, :, first + i] for i in range(3))) for first in (0, 3)]
    both = np.stack(each, axis=2).swapaxes(3, 4)  # (T, units, group, scale block, row)
    return np.asarray(both.reshape(len(vectors), -1, 2, TILE_ROWS))


def _signed(numbers: I64, bits: int) -> I64:
    """Sign-extend the lowest bits."""
    top = 1 << bits - 1
    return (numbers & 2 * top - 1 ^ top) - top


def _minimums(vectors: U8) -> I64:
    """Return the minimums of Q4_K and Q5_K, (T, units, 4, 128), per block (T, blocks, 1, 64)."""
    each = vectors.reshape(*vectors.shape[:2], 2, 2, 32, 4).astype(np.int64)  # (..., half, quad, i, block)
    each = each.transpose(0, 1, 3, 5, 2, 4)
    return np.asarray(each.reshape(len(vectors), -1, 1, TILE_ROWS))


def _multiplied(a: I64, b: I64) -> I64:
    """Return the 16-bit fractional product as HVX computes it, rounded and saturated."""
    return np.asarray(np.clip((2 * a * b + 0x8000) >> 16, -0x8000, 0x7FFF))


def _along_k(numbers: I64) -> I64:
    """Expand numbers of scale blocks (T, blocks, scale blocks, 64) to every weight (T, blocks, 64, 32)."""
    return np.asarray(numbers.swapaxes(2, 3).repeat(_BLOCK // numbers.shape[2], axis=3))


def _spread(numbers: I64, exponent: I64) -> F64:
    """Return numbers (T, blocks, 64, 32) times 2^exponent of their rows, (T, 64), as (T, 64, k)."""
    each = numbers.swapaxes(1, 2).reshape(len(numbers), TILE_ROWS, -1)
    return np.asarray(np.ldexp(each.astype(np.float64), exponent[:, :, np.newaxis]))
