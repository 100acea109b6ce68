# SPDX-License-Identifier: MIT
"""Repacking of any type: docs/arithmetic.md, section 4.

A tile has 64 rows; its vectors hold, for 4 k's at a time, one 32-bit word of every row. GGUF's blocks already have the
4 k's side by side, so repacking is a transposition of words followed by a few bitwise operations on long contiguous
rows. It works on a few tiles at a time and goes twice over each: the row exponents need every scale of a row before the
first one can be written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi.contract import ROW_NAN

U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
U32 = npt.NDArray[np.uint32]
I16 = npt.NDArray[np.int16]
I64 = npt.NDArray[np.int64]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Scales = Callable[[U8], tuple[F64, F64 | None]]  # units (..., u, bytes) to (..., u, scales) and (..., u) minimums
Codes = Callable[[U8, F64, U32], None]  # units (T, 64, u, bytes) and their scales to vectors (T, u, vectors, 32)

TILE_ROWS: Final = 64
_TABLE_WORDS: Final = 64
_VECTOR_WORDS: Final = 32
_CHUNK_BYTES: Final = 1 << 20  # GGUF bytes repacked at a time: the temporaries are a few times that; fastest, measured


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


Minimums = BlockMinimums | SuperMinimums


@dataclass(frozen=True)
class Layout:
    """How a type lies in a tile. A unit is one GGUF block, or 32 floats."""

    vectors: int  # a unit
    exponent: int  # of the unit of T, less En and DS
    scales: Scales
    codes: Codes
    scale_vectors: tuple[int, ...]  # which vectors of a unit are scales
    minimums: Minimums | None = None
    unit_size: int = 32
    scale_blocks: int = 1  # a unit
    spare_bits: int = 0  # of PA, which DS leaves to the sum of the groups
    activation_exponent: int = 147

    def units(self, k: int) -> int:
        return -(-k // self.unit_size)

    def tile_words(self, k: int) -> int:
        return _TABLE_WORDS + self.units(k) * self.vectors * _VECTOR_WORDS


def repack(layout: Layout, rows: U8, unit_bytes: int, tiles: U32, progress: Callable[[int], None]) -> None:
    """Repacks GGUF rows into tiles, (tiles, words of one)."""
    step = max(1, _CHUNK_BYTES // (TILE_ROWS * rows.shape[1]))
    for first in range(0, len(tiles), step):
        group = rows[first * TILE_ROWS : (first + step) * TILE_ROWS]
        with np.errstate(invalid="ignore"):  # NaNs are found where they matter, and their rows zeroed
            _repack_group(layout, group, unit_bytes, tiles[first : first + step], progress)


def _repack_group(layout: Layout, rows: U8, unit_bytes: int, tiles: U32, progress: Callable[[int], None]) -> None:
    """Repacks the rows of a few whole tiles (the last may lack rows)."""
    n_tiles, units = len(tiles), -(-rows.shape[1] // unit_bytes)
    step = max(1, _CHUNK_BYTES // (n_tiles * TILE_ROWS * unit_bytes))
    spans = [(at, min(at + step, units)) for at in range(0, units, step)]

    def read(span: tuple[int, int]) -> U8:
        """(T, 64, units of the span, unit_bytes), a view unless something must be padded with zeros."""
        part = rows[:, span[0] * unit_bytes : span[1] * unit_bytes]
        width = (span[1] - span[0]) * unit_bytes
        if part.shape != (n_tiles * TILE_ROWS, width):
            padded = np.zeros((n_tiles * TILE_ROWS, width), np.uint8)
            padded[: part.shape[0], : part.shape[1]] = part
            part = padded
        return part.reshape(n_tiles, TILE_ROWS, -1, unit_bytes)

    found = [layout.scales(read(span)) for span in spans]
    d = np.concatenate([scales for scales, _ in found], axis=2)
    parts = [minimums for _, minimums in found if minimums is not None]
    m = np.concatenate(parts, axis=2) if parts else None
    nan = ~np.isfinite(d).all(axis=(2, 3))
    if m is not None:
        nan |= ~np.isfinite(m).all(axis=2)
        m[nan] = 0
    d[nan] = 0

    vectors = tiles[:, _TABLE_WORDS:].reshape(n_tiles, units, layout.vectors, _VECTOR_WORDS)
    table, s, m16 = _row_table(layout, d, m)
    tiles[:, :_TABLE_WORDS] = np.where(nan, np.uint32(ROW_NAN), table)
    for at, vector in enumerate(layout.scale_vectors):
        vectors[:, :, vector] = interleave(s[..., at])
    if layout.minimums is not None and m16 is not None:
        vectors[:, :, layout.minimums.vector] = interleave(m16)
    for first, last in spans:
        layout.codes(read((first, last)), d[:, :, first:last], vectors[:, first:last])
        progress(len(rows) * (min(last * unit_bytes, rows.shape[1]) - first * unit_bytes))


def interleave(halves: I16 | U16) -> U32:
    """16-bit numbers of rows (T, 64, u) as scale vectors (T, u, 32): number 2 * i is row i, 2 * i + 1 row 32 + i."""
    words = np.ascontiguousarray(halves).view(np.uint16).astype(np.uint32)
    return np.asarray((words[:, :32] | words[:, 32:] << 16).transpose(0, 2, 1))


def _clog2(n: int) -> int:
    return (n - 1).bit_length()


def _exponent(d: F64) -> I64:
    """En: the smallest with which |s| is at most 32767 in every row; 0 if its scales are."""
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
    return np.where(empty, 0, word).astype(np.uint32), _fixed_point(d, en), m16


def _exponent_of_weights(layout: Layout, centre: int, d: F64, m: F64) -> tuple[I64, npt.NDArray[np.bool_]]:
    """En with which no weight of a row exceeds (1 - 2^-12) * 2^(En + 3 + ps), and which rows have none but 0."""
    largest = np.maximum(np.abs(m - centre * d), np.abs(m + (centre - 1) * d)).max(axis=2)
    fraction, exponent = np.frexp(largest)
    return exponent - 3 - layout.exponent + (fraction > 1 - 2**-12), largest == 0
