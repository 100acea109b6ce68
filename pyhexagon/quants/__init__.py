# SPDX-License-Identifier: MIT
"""GGUF's weight types, and repacking them into the tiles that the DSP reads.

docs/arithmetic.md, section 4, defines the format. layouts.py has a row for each type. Repacking is done in C, in
_ffi/native/repack.c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon._ffi import repack as repacking
from pyhexagon._ffi.contract import MAX_K, ROW_NAN
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.quants.dequantise import dequantise
from pyhexagon.quants.grids import provide
from pyhexagon.quants.layouts import LAYOUTS, TILE_TYPES
from pyhexagon.quants.quantise import from_numpy, quantise
from pyhexagon.quants.tiles import TILE_ROWS, U8, Layout

__all__ = [
    "MAX_K",
    "ROW_NAN",
    "TILE_ROWS",
    "DTypeInfo",
    "dequantise",
    "dtype_info",
    "from_numpy",
    "quantise",
    "repack",
    "supported",
    "tile_bytes",
    "tile_type",
    "tile_types",
]


@dataclass(frozen=True)
class DTypeInfo:
    """The properties of a GGUF type."""

    name: str
    number: int
    block_size: int  # weights per block
    block_bytes: int
    supported: bool  # the DSP supports it


def dtype_info(dtype: GGMLQuantizationType) -> DTypeInfo:
    """Return the name, number and block sizes of any GGUF type, and whether the DSP supports it."""
    block_size, block_bytes = GGML_QUANT_SIZES[dtype]
    return DTypeInfo(dtype.name, int(dtype), block_size, block_bytes, dtype in LAYOUTS)


def supported() -> tuple[GGMLQuantizationType, ...]:
    """Return the types that the DSP supports, in the order of their numbers."""
    return tuple(sorted(LAYOUTS))


def tile_types() -> tuple[GGMLQuantizationType, ...]:
    """Return the types that the DSP multiplies with, in the order of their numbers. Tiles of these hold all others."""
    return tuple(sorted(set(TILE_TYPES.values())))


def tile_type(dtype: GGMLQuantizationType) -> GGMLQuantizationType:
    """Return the type whose tiles hold weights of this type; or the type itself if `supported()` lacks it."""
    return TILE_TYPES.get(dtype, dtype)


def tile_bytes(dtype: GGMLQuantizationType, n: int, k: int) -> int:
    """Return the bytes of DSP memory for the tiles of an (n, k) weight matrix."""
    layout = _layout(dtype)
    block_size = dtype_info(dtype).block_size
    if n < 1 or k < 1:
        raise ArgumentError(f"weights of shape ({n}, {k}) are empty")
    if k % block_size:
        raise ArgumentError(f"{dtype.name} rows of {k} weights: expected a multiple of {block_size}")
    if k > MAX_K:
        raise ArgumentError(f"rows of {k} weights: expected at most {MAX_K}")
    return -(-n // TILE_ROWS) * layout.tile_words(k) * 4


def repack(dtype: GGMLQuantizationType, blocks: U8, n: int, k: int, out: U8) -> None:
    """Write the tiles of a weight matrix. Releases the GIL; any thread may call it.

    Args:
        dtype: one of `supported()`.
        blocks: (n, bytes per row) GGUF bytes, rows contiguous; for float weights the matrix viewed as uint8.
        n: rows.
        k: weights per row.
        out: `tile_bytes(dtype, n, k)` bytes, contiguous; every byte is written.

    Raises:
        UnsupportedError: the DSP does not support this type.
        ArgumentError: shapes or sizes do not match.
    """
    size, info = tile_bytes(dtype, n, k), dtype_info(dtype)
    row_bytes = k // info.block_size * info.block_bytes
    if blocks.dtype != np.uint8 or blocks.shape != (n, row_bytes) or blocks.strides[1] != 1:
        raise ArgumentError(f"GGUF bytes {blocks.dtype} {blocks.shape}: expected whole rows, uint8 {(n, row_bytes)}")
    if out.dtype != np.uint8 or out.shape != (size,) or not out.flags.c_contiguous:
        raise ArgumentError(f"the tile buffer is {out.dtype} {out.shape}: expected contiguous uint8 {(size,)}")
    provide(dtype)
    repacking.repack(int(dtype), blocks, k, out)


def _layout(dtype: GGMLQuantizationType) -> Layout:
    if dtype not in LAYOUTS:
        known = ", ".join(known.name for known in supported())
        raise UnsupportedError(f"weights of type {dtype.name}: the DSP supports {known}")
    return LAYOUTS[dtype]
