# SPDX-License-Identifier: MIT
"""Weights for benchmarks: random GGUF bytes, as fast as random bytes can be generated, with ordinary scales.

The cost of a block does not depend on its bytes, so nothing is quantized here. Codes and small integer scales are
random bits; floats, and the float scales of a block, get one of four exponents below 1, so that products stay finite
and no block dominates a row. Minimums are chosen so that weights average about zero, as in models: otherwise the sum of
the activations would dominate the product and its error.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon.errors import UnsupportedError
from pyhexagon.quants.layouts import F16_SCALES

U8 = npt.NDArray[np.uint8]
Q = GGMLQuantizationType


class _Word(NamedTuple):
    """A word of a block: the bits that stay random, and the bits that are set."""

    dtype: np.dtype[Any]
    keep: int
    fixed: int


_HALF: Final = _Word(np.dtype("<u2"), 0x0FFF, 0x2000)  # positive float16 from 2^-7 up to 2^-3
_E8M0: Final = _Word(np.dtype("u1"), 0x03, 0x78)  # a power of two, 2^-7 to 2^-4
_UE4M3: Final = _Word(np.dtype("<u4"), 0x0F0F0F0F, 0x30303030)  # four scales, 2^-1 up to 2
_NIBBLE: Final = _Word(np.dtype("u1"), 0x0F, 0x20)  # the upper one of a float16 as in _HALF
_FLOATS: Final = {  # the sign stays random too
    Q.F32: _Word(np.dtype("<u4"), 0x81FFFFFF, 0x3C000000),
    Q.F16: _Word(np.dtype("<u2"), 0x8FFF, 0x2000),
    Q.BF16: _Word(np.dtype("<u2"), 0x81FF, 0x3C00),
}
_MINIMUMS: Final = {  # added to the scale's bits: the bits of the minimum, or of its scale
    Q.Q4_1: 0x8C00,  # -8 times
    Q.Q5_1: 0x9000,  # -16 times
    Q.Q2_K: 0x0400,  # twice
    Q.Q4_K: 0x0C00,
    Q.Q5_K: 0x1000,
}


def random_blocks(dtype: GGMLQuantizationType, n: int, k: int, seed: int) -> U8:
    """Return random GGUF bytes of n rows of k weights (a multiple of the block): (n, bytes per row)."""
    block_size, block_bytes = GGML_QUANT_SIZES[dtype]
    n_bytes = n * (k // block_size) * block_bytes
    words = np.random.default_rng(seed).integers(0, 1 << 64, -(-n_bytes // 8), np.uint64)
    raw = words.view(np.uint8)[:n_bytes]
    if dtype in _FLOATS:
        _patch(raw.view(_FLOATS[dtype].dtype), _FLOATS[dtype])
    elif dtype == Q.MXFP4:
        _patch(_of_blocks(raw, _E8M0, 0, block_bytes), _E8M0)
    elif dtype == Q.NVFP4:
        _patch(_of_blocks(raw, _UE4M3, 0, block_bytes), _UE4M3)
    elif dtype == Q.IQ1_M:
        _patch(_of_blocks(raw, _NIBBLE, block_bytes - 1, block_bytes), _NIBBLE)
    elif dtype in F16_SCALES:
        if dtype == Q.TQ2_0:
            raw &= ~((raw & raw >> 1 & 0x55) << 1)  # no code of 3
        scales, *minimums = (_of_blocks(raw, _HALF, at, block_bytes) for at in F16_SCALES[dtype])
        _patch(scales, _HALF)
        for minimum in minimums:
            minimum[...] = scales + np.uint16(_MINIMUMS[dtype])
    else:
        raise UnsupportedError(f"no random weights of type {dtype.name}")
    return raw.reshape(n, -1)


def _of_blocks(raw: U8, word: _Word, at: int, block_bytes: int) -> npt.NDArray[Any]:
    """Return the word at byte `at` of every block, as a view."""
    words: npt.NDArray[Any] = np.ndarray((raw.size // block_bytes,), word.dtype, raw.data, at, (block_bytes,))
    return words


def _patch(words: npt.NDArray[Any], word: _Word) -> None:
    words &= word.dtype.type(word.keep)
    words |= word.dtype.type(word.fixed)


def dequantize(raw: U8, dtype: GGMLQuantizationType) -> npt.NDArray[np.float64]:
    """Dequantize GGUF bytes with the gguf package."""
    return np.asarray(gguf.dequantize(raw, dtype), np.float64)
