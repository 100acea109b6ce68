# SPDX-License-Identifier: MIT
"""GGUF's weight types, and their repacking into the tiles that the DSP reads.

docs/arithmetic.md, section 4, is the format. A tile has 64 rows; its vectors hold, for 4 k's at a time, one 32-bit word
of every row. GGUF's blocks already have the 4 k's side by side, so repacking is a transposition of words (`_words`)
followed by a few bitwise operations on long contiguous rows. Repacking works on a few tiles at a time and goes twice
over each: the row exponents need every scale of a row before the first one can be written.

A type is one row of `_LAYOUTS` and the function that writes its codes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon.errors import ArgumentError, UnsupportedError

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
I16 = npt.NDArray[np.int16]
F64 = npt.NDArray[np.float64]
Progress = Callable[[int], None]

TILE_ROWS: Final = 64
ROW_NAN: Final = 0x7FFF  # PHX_ROW_NAN of idl/contract.h
MAX_K: Final = 1 << 20  # PHX_MAX_K
_TABLE_WORDS: Final = 64
_VECTOR_WORDS: Final = 32
_CHUNK_BYTES: Final = 1 << 20  # GGUF bytes repacked at a time: the temporaries are a few times that; fastest, measured
_LOW: Final = np.uint32(0x0F0F0F0F)
_HIGH: Final = np.uint32(0xF0F0F0F0)
_PAIRS: Final = np.uint32(0x03030303)


@dataclass(frozen=True)
class DTypeInfo:
    """What a GGUF type is."""

    name: str
    number: int
    block_size: int  # weights a block
    block_bytes: int
    supported: bool  # the DSP can take it


def dtype_info(dtype: GGMLQuantizationType) -> DTypeInfo:
    """Name, number and block of any GGUF type, and whether the DSP can take it."""
    block_size, block_bytes = GGML_QUANT_SIZES[dtype]
    return DTypeInfo(dtype.name, int(dtype), block_size, block_bytes, dtype in _LAYOUTS)


def supported() -> tuple[GGMLQuantizationType, ...]:
    """The types that the DSP can take, in the order of their numbers."""
    return tuple(sorted(_LAYOUTS))


def from_numpy(dtype: npt.DTypeLike) -> GGMLQuantizationType:
    """The GGUF type of a NumPy weight matrix."""
    dtype = np.dtype(dtype)
    if dtype == np.float32:
        return GGMLQuantizationType.F32
    if dtype == np.float16:
        return GGMLQuantizationType.F16
    raise ArgumentError(f"weights of dtype {dtype}: expected float32 or float16")


def tile_bytes(dtype: GGMLQuantizationType, n: int, k: int) -> int:
    """Bytes that the tiles of an (n, k) weight matrix take in DSP memory."""
    layout = _layout(dtype)
    block_size = dtype_info(dtype).block_size
    if n < 1 or k < 1:
        raise ArgumentError(f"weights of shape ({n}, {k}) are empty")
    if k % block_size:
        raise ArgumentError(f"{dtype.name} rows of {k} weights: expected a multiple of {block_size}")
    if k > MAX_K:
        raise ArgumentError(f"rows of {k} weights: expected at most {MAX_K}")
    return -(-n // TILE_ROWS) * layout.tile_words(k) * 4


def repack(
    dtype: GGMLQuantizationType, blocks: U8, n: int, k: int, out: U8, *, progress: Progress | None = None
) -> None:
    """Writes the tiles of a weight matrix.

    Args:
        dtype: one of `supported()`.
        blocks: (n, bytes of a row) GGUF bytes, rows contiguous; for float weights the matrix viewed as uint8.
        n: rows.
        k: weights a row.
        out: `tile_bytes(dtype, n, k)` bytes, contiguous; every one is written.
        progress: called now and then with the GGUF bytes repacked since the last call.

    Raises:
        UnsupportedError: the DSP does not take this type.
        ArgumentError: shapes or sizes do not fit.
    """
    size, info, layout = tile_bytes(dtype, n, k), dtype_info(dtype), _layout(dtype)
    row_bytes = k // info.block_size * info.block_bytes
    if blocks.dtype != np.uint8 or blocks.shape != (n, row_bytes) or blocks.strides[1] != 1:
        raise ArgumentError(f"GGUF bytes {blocks.dtype} {blocks.shape}: expected whole rows, uint8 {(n, row_bytes)}")
    if out.dtype != np.uint8 or out.shape != (size,) or not out.flags.c_contiguous:
        raise ArgumentError(f"room for tiles {out.dtype} {out.shape}: expected contiguous uint8 {(size,)}")
    tiles = out.view(np.uint32).reshape(-1, layout.tile_words(k))
    step = max(1, _CHUNK_BYTES // (TILE_ROWS * row_bytes))
    for first in range(0, len(tiles), step):
        group = tiles[first : first + step]
        rows = blocks[first * TILE_ROWS : (first + step) * TILE_ROWS]
        with np.errstate(invalid="ignore"):  # NaNs are found where they matter, and their rows zeroed
            _repack_group(layout, rows, layout.unit_bytes(info), group, progress or (lambda _: None))


@dataclass(frozen=True)
class _Layout:
    """How a type lies in a tile. A unit is one GGUF block, or 32 floats."""

    vectors: int  # a unit
    block_sum_shift: int  # ps of section 2
    scales: Callable[[U8], tuple[F64, F64 | None]]  # units (..., u, bytes) to scales (..., u * x), and dmin (..., u)
    codes: Callable[[U8, F64, U32], None]  # units (T, 64, u, bytes) and their scales to vectors (T, u, vectors, 32)
    scale_vectors: tuple[int, ...]  # which vectors of a unit are scales
    minimum_scale: int | None = None  # which one is dm
    unit_size: int = 32
    activation_exponent: int = 147

    def units(self, k: int) -> int:
        return -(-k // self.unit_size)

    def unit_bytes(self, info: DTypeInfo) -> int:
        return self.unit_size // info.block_size * info.block_bytes

    def tile_words(self, k: int) -> int:
        return _TABLE_WORDS + self.units(k) * self.vectors * _VECTOR_WORDS


def _layout(dtype: GGMLQuantizationType) -> _Layout:
    if dtype not in _LAYOUTS:
        known = ", ".join(known.name for known in supported())
        raise UnsupportedError(f"weights of type {dtype.name}: the DSP takes {known}")
    return _LAYOUTS[dtype]


def _repack_group(layout: _Layout, rows: U8, unit_bytes: int, tiles: U32, progress: Progress) -> None:
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
    minimum_scales = [dmin for _, dmin in found if dmin is not None]
    dmin = np.concatenate(minimum_scales, axis=2) if minimum_scales else None
    nan = ~np.isfinite(d).all(axis=2)
    if dmin is not None:
        nan |= ~np.isfinite(dmin).all(axis=2)
        dmin[nan] = 0
    d[nan] = 0

    vectors = tiles[:, _TABLE_WORDS:].reshape(n_tiles, units, layout.vectors, _VECTOR_WORDS)
    table, s, dm = _row_table(layout, d, dmin)
    tiles[:, :_TABLE_WORDS] = np.where(nan, np.uint32(ROW_NAN), table)
    s = s.reshape(n_tiles, TILE_ROWS, units, -1)
    for at, vector in enumerate(layout.scale_vectors):
        _write_scales(s[:, :, :, at], vectors[:, :, vector])
    if layout.minimum_scale is not None and dm is not None:
        _write_scales(dm, vectors[:, :, layout.minimum_scale])
    d = d.reshape(n_tiles, TILE_ROWS, units, -1)
    for first, last in spans:
        layout.codes(read((first, last)), d[:, :, first:last], vectors[:, first:last])
        progress(len(rows) * (min(last * unit_bytes, rows.shape[1]) - first * unit_bytes))


def _clog2(n: int) -> int:
    return (n - 1).bit_length()


def _fixed_point(d: F64) -> tuple[I16, npt.NDArray[np.int64]]:
    """Scales as int16 relative to the largest of their row (last axis), and the row's exponent En."""
    fraction, exponent = np.frexp(np.abs(d).max(axis=-1))
    en = exponent.astype(np.int64) + (np.rint(fraction * 32768) > 32767)
    return np.rint(d * np.ldexp(1.0, 15 - en)[..., None]).astype(np.int16), en


def _row_table(layout: _Layout, d: F64, dmin: F64 | None) -> tuple[U32, I16, I16 | None]:
    """The words of the row tables, the scales and the minimums' scales."""
    s, en = _fixed_point(d)
    unit = layout.block_sum_shift + en + _clog2(-(-d.shape[2] // 4))  # exponent of T, less that of the activations
    empty = ~s.any(axis=2)
    shift_t = shift_m = np.zeros_like(unit)
    dm = None
    if dmin is not None:
        dm, em = _fixed_point(dmin)
        unit_m = em + 5 + _clog2(dmin.shape[2])
        no_minimums = ~dm.any(axis=2)
        unit = np.where(empty, unit_m, unit)
        delta = np.where(no_minimums, 0, unit_m - unit)
        shift_t, shift_m = 1 + np.maximum(delta, 0), 1 + np.maximum(-delta, 0)
        empty &= no_minimums
    exponent = unit - layout.activation_exponent + shift_t
    word = (exponent & 0xFFFF) | np.minimum(shift_t, 31) << 16 | np.minimum(shift_m, 31) << 24
    return np.where(empty, 0, word).astype(np.uint32), s, dm


def _write_scales(s: I16, out: U32) -> None:
    """Scales (T, 64, u) to scale vectors (T, u, 32): number 2 * i is row i, 2 * i + 1 row 32 + i."""
    words = np.ascontiguousarray(s).view(np.uint16).astype(np.uint32)
    out[...] = (words[:, :32] | words[:, 32:] << 16).transpose(0, 2, 1)


# The scales of each type.


def _half(blocks: U8, at: int) -> F64:
    return np.ascontiguousarray(blocks[..., at : at + 2]).view(np.float16)[..., 0].astype(np.float64)


def _scales_half_first(blocks: U8) -> tuple[F64, F64 | None]:
    return _half(blocks, 0), None


def _scales_q4_k(blocks: U8) -> tuple[F64, F64 | None]:
    sc = (blocks[..., 4:8] & 63, blocks[..., 12:16] & 15 | blocks[..., 4:8] >> 6 << 4)
    d = _half(blocks, 0)[..., None] * np.concatenate(sc, axis=-1)
    return d.reshape(*blocks.shape[:2], -1), _half(blocks, 2)


def _scales_q6_k(blocks: U8) -> tuple[F64, F64 | None]:
    d = _half(blocks, 208)[..., None] * blocks[..., 192:208].view(np.int8)
    return d.reshape(*blocks.shape[:2], -1), None


def _scales_float(bits: npt.NDArray[Any], magnitude: int, floats: type[np.floating[Any]]) -> tuple[F64, F64 | None]:
    """2^(W - 12) of each unit; the largest magnitude is found on the bits, where NaN is above infinity."""
    top = (bits & bits.dtype.type(magnitude)).max(axis=-1).view(floats).astype(np.float64)
    exponent = np.frexp(np.where(np.isfinite(top), top, 0))[1]
    scale = np.where(top == 0, 0.0, np.ldexp(1.0, exponent - 12))
    return np.where(np.isfinite(top), scale, np.nan), None


# The codes of each type.


def _words(blocks: U8, at: int, count: int) -> U32:
    """`count` 32-bit words at byte `at` of each unit: (T, 64, u, bytes) to (T, u, count, 64)."""
    return np.ascontiguousarray(blocks[..., at : at + 4 * count].view(np.uint32).transpose(0, 2, 3, 1))


def _write_nibbles(words: U32, low: U32, high: U32) -> None:
    """Words whose low and high nibbles are two vectors of codes, rows 0..31 and 32..63 to be paired: (..., 64)."""
    top, bottom = words[..., :32], words[..., 32:]
    np.bitwise_or(top & _LOW, (bottom & _LOW) << 4, out=low)
    np.bitwise_or(top >> 4 & _LOW, bottom & _HIGH, out=high)


def _codes_q4_0(blocks: U8, _: F64, out: U32) -> None:
    _write_nibbles(_words(blocks, 2, 4), out[:, :, 0:4], out[:, :, 4:8])


def _codes_q8_0(blocks: U8, _: F64, out: U32) -> None:
    words = _words(blocks, 2, 8) ^ np.uint32(0x80808080)
    out[:, :, :16] = words.reshape(*out.shape[:2], 16, 32)


def _codes_q4_k(blocks: U8, _: F64, out: U32) -> None:
    codes = out[:, :, :72].reshape(*out.shape[:2], 4, 2, 9, 32)
    words = _words(blocks, 16, 32).reshape(*out.shape[:2], 4, 8, 64)
    _write_nibbles(words, codes[:, :, :, 0, :8], codes[:, :, :, 1, :8])
    minimums = (blocks[..., 8:12] & 63, blocks[..., 12:16] >> 4 | blocks[..., 8:12] >> 6 << 4)
    quads = _words(np.concatenate(minimums, axis=-1), 0, 2).reshape(*out.shape[:2], 2, 2, 32)  # quad, half, row
    out[:, :, 72:76] = quads.swapaxes(2, 3).reshape(*out.shape[:2], 4, 32)


def _codes_q6_k(blocks: U8, _: F64, out: U32) -> None:
    codes = out.reshape(*out.shape[:2], 2, 2, 2, 14, 32)  # half of the super-block, low or high nibble, block
    low = _words(blocks, 0, 32).reshape(*out.shape[:2], 2, 2, 8, 64)
    _write_nibbles(low, codes[:, :, :, 0, :, :8], codes[:, :, :, 1, :, :8])
    high = _words(blocks, 128, 16).reshape(*out.shape[:2], 2, 4, 2, 2, 32)  # half, v, j odd, row half, row
    for part in range(4):
        two = high >> 2 * part & _PAIRS
        codes[:, :, :, part >> 1, part & 1, 8:12] = (
            two[..., 0, 0, :] | two[..., 0, 1, :] << 2 | two[..., 1, 0, :] << 4 | two[..., 1, 1, :] << 6
        )


def _codes_float(x: npt.NDArray[Any], d: F64, out: U32) -> None:
    inverse = np.divide(1.0, d, out=np.zeros_like(d), where=d != 0).astype(x.dtype)
    scaled = x * inverse
    codes = np.rint(scaled, out=scaled).astype(np.int16)
    if not d.all():
        codes[d[..., 0] == 0] = 0  # rows with NaN or infinity: any bits so far
    out[:, :, :32] = _words(codes.view(np.uint8), 0, 16).reshape(*out.shape[:2], 32, 32)


def _float_layout(
    bits: type[np.unsignedinteger[Any]], magnitude: int, floats: type[np.floating[Any]], exact: type[np.floating[Any]]
) -> _Layout:
    """Of floats with these bits; `exact` holds every one of them times any power of two that occurs."""
    return _Layout(
        vectors=33,
        block_sum_shift=15,
        scales=lambda blocks: _scales_float(blocks.view(bits), magnitude, floats),
        codes=lambda blocks, d, out: _codes_float(blocks.view(floats).astype(exact), d, out),
        scale_vectors=(32,),
        activation_exponent=153,
    )


_K_SCALES: Final = tuple(9 * block + 8 for block in range(8))
_Q6_K_SCALES: Final = tuple(14 * block + 12 + half for block in range(8) for half in range(2))

_LAYOUTS: Final[dict[GGMLQuantizationType, _Layout]] = {
    GGMLQuantizationType.F32: _float_layout(np.uint32, 0x7FFFFFFF, np.float32, np.float64),
    GGMLQuantizationType.F16: _float_layout(np.uint16, 0x7FFF, np.float16, np.float32),
    GGMLQuantizationType.Q4_0: _Layout(9, 0, _scales_half_first, _codes_q4_0, (8,)),
    GGMLQuantizationType.Q8_0: _Layout(17, 4, _scales_half_first, _codes_q8_0, (16,)),
    GGMLQuantizationType.Q4_K: _Layout(77, 1, _scales_q4_k, _codes_q4_k, _K_SCALES, minimum_scale=76, unit_size=256),
    GGMLQuantizationType.Q6_K: _Layout(112, 1, _scales_q6_k, _codes_q6_k, _Q6_K_SCALES, unit_size=256),
}
