# SPDX-License-Identifier: MIT
"""Repacking in NumPy, the specification of pyhexagon/_ffi/native/repack.c: docs/arithmetic.md, section 4.

A tile has 64 rows; its vectors hold, for 4 k's at a time, one 32-bit word of every row. GGUF's blocks already have the
4 k's side by side, so repacking is a transposition of words followed by a few bitwise operations on long rows. The row
exponents need every scale of a row before the first one can be written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt
import recoding
from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi._types import WEIGHT_TYPES
from pyhexagon._ffi.contract import ROW_NAN
from pyhexagon.quants import dtype_info, tile_bytes
from pyhexagon.quants.layouts import LAYOUTS
from pyhexagon.quants.tiles import (
    F64,
    GROUP_UNITS,
    I64,
    TILE_ROWS,
    U8,
    BlockMinimums,
    Layout,
    SpreadMinimums,
    SuperMinimums,
)
from repacking import codes, scales
from repacking.words import I16, U32, interleave

Scales = Callable[[U8], tuple[F64, F64 | None]]  # units (T, 64, u, bytes) to (T, 64, u, scales) and (T, 64, u)
Codes = Callable[[U8, F64, U32], None]  # units (T, 64, u, bytes) and their scales to vectors (T, u, vectors, 32)

READERS: Final[dict[str, tuple[Scales, Codes]]] = {
    "F32": (scales.f32, codes.f32),
    "F16": (scales.f16, codes.f16),
    "BF16": (scales.bf16, codes.bf16),
    "Q4_0": (scales.half_first, codes.nibbles_at(2)),
    "Q4_1": (scales.with_minimums_of(WEIGHT_TYPES["Q4_1"].centre), codes.nibbles_at(4)),
    "Q5_0": (scales.half_first, codes.five_bits_at(2)),
    "Q5_1": (scales.with_minimums_of(WEIGHT_TYPES["Q5_1"].centre), codes.five_bits_at(4)),
    "Q8_0": (scales.half_first, codes.q8_0),
    "Q2_K": (scales.q2_k, codes.q2_k),
    "Q3_K": (scales.q3_k, codes.q3_k),
    "Q4_K": (scales.q4_k, codes.q4_k),
    "Q5_K": (scales.q4_k, codes.q5_k),
    "Q6_K": (scales.q6_k, codes.q6_k),
    "IQ4_NL": (scales.half_first, codes.nibbles_at(2)),
    "IQ4_XS": (scales.half_first, codes.iq4_xs),
    "MXFP4": (scales.mxfp4, codes.nibbles_at(1)),
    **{dtype.name: (scales.recoded(dtype), codes.recoded(dtype)) for dtype in recoding.TYPES},
}


def repack(dtype: Q, rows: U8, n: int, k: int) -> U8:
    """The tiles of GGUF rows, (n, bytes of a row)."""
    layout, info = LAYOUTS[dtype], dtype_info(dtype)
    read_scales, read_codes = READERS[dtype.name]
    unit_bytes = layout.unit_size // info.block_size * info.block_bytes
    n_tiles, units = -(-n // TILE_ROWS), layout.units(k)
    padded = np.zeros((n_tiles * TILE_ROWS, units * unit_bytes), np.uint8)
    padded[:n, : rows.shape[1]] = rows
    blocks = padded.reshape(n_tiles, TILE_ROWS, units, unit_bytes)
    out = np.empty(tile_bytes(dtype, n, k), np.uint8)
    tiles = out.view(np.uint32).reshape(n_tiles, layout.tile_words(k))
    with np.errstate(invalid="ignore"):  # NaNs are found where they matter, and their rows zeroed
        d, m = read_scales(blocks)
        nan = ~np.isfinite(d).all(axis=(2, 3))
        if m is not None:
            nan |= ~np.isfinite(m).all(axis=2)
            m[nan] = 0
        d[nan] = 0
        shape = n_tiles, units, layout.vectors, 32
        vectors = np.empty(shape, np.uint32) if layout.group_vectors else tiles[:, 64:].reshape(shape)
        table, s, m16 = _row_table(layout, d, m)
        tiles[:, :64] = np.where(nan, np.uint32(ROW_NAN), table)
        if dtype in (Q.F32, Q.F16, Q.BF16):  # a scale of 1 at least: no shift makes a block's sums 0
            exponent = _exponent(d)
            d = np.maximum(d, np.ldexp(1.0, exponent - 15)[..., None, None])
            d[nan] = 0
            s = _fixed_point(d, exponent)
        for at, vector in enumerate(layout.scale_vectors):
            vectors[:, :, vector] = interleave(s[..., at])
        if isinstance(layout.minimums, BlockMinimums | SuperMinimums) and m16 is not None:
            vectors[:, :, layout.minimums.vector] = interleave(m16)
        read_codes(blocks, d, vectors)
        if layout.six_bit_scales:
            codes.write_spread(s[..., 0], vectors, layout.six_bit_scales)
        if isinstance(layout.minimums, SpreadMinimums) and m16 is not None:
            codes.write_spread(m16, vectors, layout.minimums.minimums)
        if layout.group_vectors:
            tiles[:, 64:] = _grouped(vectors, s[..., 0]).reshape(n_tiles, -1)
    return out


def _grouped(vectors: U32, s: I16) -> U32:
    """Units (T, u, vectors, 32), in front of each four the scales (T, 64, u): powers of two to 2^14."""
    n_tiles, units, n_vectors = vectors.shape[:3]
    shifts = np.full((n_tiles, TILE_ROWS, -(-units // GROUP_UNITS) * GROUP_UNITS), 15, np.uint16)
    shifts[:, :, :units] = np.where(s > 0, 15 - np.frexp(s)[1], 15)
    nibbles = shifts.reshape(n_tiles, TILE_ROWS, -1, GROUP_UNITS) << 4 * np.arange(GROUP_UNITS, dtype=np.uint16)
    powers = interleave(np.bitwise_or.reduce(nibbles, axis=-1))
    places = np.arange(0, units, GROUP_UNITS) * n_vectors
    return np.insert(vectors.reshape(n_tiles, -1, 32), places, powers, axis=1)


def _clog2(n: int) -> int:
    return (n - 1).bit_length()


def _exponent(d: F64) -> I64:
    """Return En, the smallest exponent with |s| <= 32767 in every row; 0 if all scales are 0."""
    fraction, exponent = np.frexp(np.abs(d).reshape(*d.shape[:2], -1).max(axis=2))
    return np.asarray(exponent + (np.rint(fraction * 32768) > 32767), np.int64)


def _fixed_point(d: F64, exponent: I64) -> I16:
    factor = np.ldexp(1.0, 15 - exponent).reshape(*exponent.shape, *(1,) * (d.ndim - 2))
    return np.rint(d * factor).astype(np.int16)


def _row_table(layout: Layout, d: F64, m: F64 | None) -> tuple[U32, I16, I16 | None]:
    """The words of the row tables, the scales and the minimums (or their scales)."""
    en, empty = _exponent(d), ~d.any(axis=(2, 3))
    ds = max(0, _clog2(-(-layout.scale_blocks * d.shape[2] // 4)) - layout.spare_bits)
    shift_t = shift_m = np.zeros_like(en)
    m16 = None
    if m is not None and isinstance(layout.minimums, BlockMinimums):
        needed, no_weights = _exponent_of_weights(layout, layout.minimums.centre, d[..., 0], m)
        en = np.where(no_weights, 0, np.where(empty, needed, np.maximum(en, needed)))
        m16 = _fixed_point(m, en + 4 + layout.exponent)
        empty = no_weights
    if m is not None and isinstance(layout.minimums, SpreadMinimums):
        above = layout.minimums.above + 1
        needed, no_minimums = _exponent(m) - above, ~m.any(axis=2)
        en = np.where(no_minimums, en, np.where(empty, needed, np.maximum(en, needed)))
        m16 = _fixed_point(m, en + above)
        empty &= no_minimums
    unit = layout.exponent + en + ds
    if m is not None and isinstance(layout.minimums, SuperMinimums):
        em, no_minimums = _exponent(m), ~m.any(axis=2)
        m16 = _fixed_point(m, em)
        unit_m = layout.minimums.exponent + em + _clog2(m.shape[2])
        unit = np.where(empty, unit_m, unit)
        delta = np.where(no_minimums, 0, unit_m - unit)
        shift_t, shift_m = 1 + np.maximum(delta, 0), 1 + np.maximum(-delta, 0)
        empty &= no_minimums
    exponent = unit - layout.activation_exponent + shift_t
    word = (exponent & 0xFFFF) | np.minimum(shift_t, 31) << 16 | np.minimum(shift_m, 31) << 24
    spare = isinstance(layout.minimums, SpreadMinimums)
    return np.where(empty, 0, word).astype(np.uint32), _fixed_point(d, en + spare), m16


def _exponent_of_weights(layout: Layout, centre: int, d: F64, m: F64) -> tuple[I64, npt.NDArray[np.bool_]]:
    """En with which no weight of a row exceeds (1 - 2^-12) * 2^(En + 3 + ps), and which rows have none but 0."""
    largest = np.maximum(np.abs(m - centre * d), np.abs(m + (centre - 1) * d)).max(axis=2)
    fraction, exponent = np.frexp(largest)
    return exponent - 3 - layout.exponent + (fraction > 1 - 2**-12), largest == 0
