# SPDX-License-Identifier: MIT
"""GGUF weight bytes for tests: quantized from floats (the gguf package cannot quantize every type) and random."""

from collections.abc import Callable
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
import recoding

from pyhexagon.quants.layouts import F16_SCALES

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
Q = gguf.GGMLQuantizationType

TYPES = (
    Q.F32,
    Q.F16,
    Q.Q4_0,
    Q.Q4_1,
    Q.Q5_0,
    Q.Q5_1,
    Q.Q8_0,
    Q.Q2_K,
    Q.Q3_K,
    Q.Q4_K,
    Q.Q5_K,
    Q.Q6_K,
    Q.IQ4_NL,
    Q.IQ4_XS,
    Q.BF16,
    Q.MXFP4,
    Q.NVFP4,
    Q.IQ2_S,
    Q.IQ3_XXS,
)
RECODED = tuple(recoding.TILES)  # types that use the tiles of a type above
FLOATS = (Q.F32, Q.F16, Q.BF16)
# Offsets of a block's float16 numbers.
F16_AT: dict[Q, tuple[int, ...]] = {**F16_SCALES, Q.MXFP4: (), Q.NVFP4: ()}


def quantize(w: F32, dtype: Q) -> U8:
    """Quantize rows of floats to the GGUF bytes of `dtype`: (N, row_bytes)."""
    if dtype in _QUANTIZERS:
        return _QUANTIZERS[dtype](w)
    return np.ascontiguousarray(gguf.quantize(w, dtype)).view(np.uint8).reshape(len(w), -1)


def random_bytes(dtype: Q, n: int, k: int, rng: np.random.Generator) -> U8:
    """Return random codes and scales of any bits; float16 scales (or the floats) are finite, subnormals included."""
    block, size = gguf.GGML_QUANT_SIZES[dtype]
    raw = rng.integers(0, 256, (n, k // block * size), np.uint8)
    if dtype == Q.F32:
        words = raw.view(np.uint32)
        words[(words & 0x7F800000) == 0x7F800000] ^= 0x40000000
    elif dtype == Q.F16:
        halves = raw.view(np.uint16)
        halves[(halves & 0x7C00) == 0x7C00] ^= 0x4000
    elif dtype == Q.BF16:
        halves = raw.view(np.uint16)
        halves[(halves & 0x7F80) == 0x7F80] ^= 0x4000
    else:
        high = raw.reshape(n, -1, size)
        for at in F16_AT[dtype]:
            high[:, :, at + 1][(high[:, :, at + 1] & 0x7C) == 0x7C] ^= 0x40
        if dtype == Q.IQ1_M:  # the upper half of the upper nibble of its last byte
            high[:, :, 55] &= 0xBF
    return raw


def dequantize(raw: U8, dtype: Q) -> npt.NDArray[np.float64]:
    """Dequantize with the gguf package."""
    if dtype in (Q.F32, Q.F16):
        return raw.view(np.float32 if dtype == Q.F32 else np.float16).astype(np.float64)
    return np.asarray(gguf.dequantize(raw, dtype), np.float64)


# Quantizers that gguf lacks: round to nearest, with scales from the extremes. llama.cpp searches for better ones.

IQ4_VALUES = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32)


def _inverse(x: F32) -> F32:
    return np.where(x == 0, np.float32(0), 1 / np.where(x == 0, np.float32(1), x))


def _half(x: npt.NDArray[np.floating[Any]]) -> tuple[U8, F32]:
    half = x.astype(np.float16)
    return half[..., None].view(np.uint8), half.astype(np.float32)


def _pack(codes: npt.NDArray[Any], width: int) -> U8:
    """Pack codes of super-blocks (N, n_super, 256): each byte holds consecutive blocks of 32 in ascending bits."""
    in_byte = 8 // width
    shifts = np.arange(0, 8, width, dtype=np.uint8)[:, None]
    packed = np.bitwise_or.reduce(codes.reshape(*codes.shape[:2], -1, in_byte, 32) << shifts, axis=3)
    return np.asarray(packed, np.uint8).reshape(*codes.shape[:2], 32 * width)


def _with_minimums(w: F32, block: int, largest_code: int, largest_scale: int) -> tuple[U8, U8, U8, U8, U8]:
    """Return codes (N, n_super, 256), sc and minimums of each block, and the bytes of d and dmin."""
    x = w.reshape(len(w), -1, 256 // block, block)
    low = np.minimum(x.min(axis=3), 0)
    scale = (x.max(axis=3) - low) / largest_code
    d_bytes, d = _half(scale.max(axis=2) / largest_scale)
    dmin_bytes, dmin = _half(-low.min(axis=2) / largest_scale)
    sc = np.rint(scale * _inverse(d)[..., None]).clip(0, largest_scale)
    minimum = np.rint(-low * _inverse(dmin)[..., None]).clip(0, largest_scale)
    step, offset = (d[..., None] * sc)[..., None], (dmin[..., None] * minimum)[..., None]
    codes = np.rint((x + offset) * _inverse(step)).clip(0, largest_code).astype(np.uint8)
    return codes.reshape(*d.shape, 256), sc.astype(np.uint8), minimum.astype(np.uint8), d_bytes, dmin_bytes


def _signed(w: F32, block: int, divisor: int, largest_scale: int) -> tuple[F32, U8, U8]:
    """Return x / (d * sc), (N, n_super, blocks, block), sc as int8, bytes of d. A block's extreme is `divisor`."""
    x = w.reshape(len(w), -1, 256 // block, block)
    extreme = np.take_along_axis(x, np.abs(x).argmax(axis=3)[..., None], axis=3)[..., 0]
    scale = extreme / divisor
    d_bytes, d = _half(np.abs(scale).max(axis=2) / largest_scale)
    sc = np.rint(scale * _inverse(d)[..., None]).clip(-largest_scale - 1, largest_scale)
    return x * _inverse((d[..., None] * sc)[..., None]), sc.astype(np.int8).view(np.uint8), d_bytes


def _rows(*parts: npt.NDArray[Any]) -> U8:
    return np.concatenate(parts, axis=2).reshape(len(parts[0]), -1)


def _six_bits(sc: U8, minimum: U8) -> U8:
    return np.concatenate(
        [
            sc[..., :4] | sc[..., 4:] >> 4 << 6,
            minimum[..., :4] | minimum[..., 4:] >> 4 << 6,
            (sc[..., 4:] & 15) | minimum[..., 4:] << 4,
        ],
        axis=2,
    )


def _quantize_q2_k(w: F32) -> U8:
    codes, sc, minimum, d, dmin = _with_minimums(w, 16, 3, 15)
    return _rows(sc | minimum << 4, _pack(codes, 2), d, dmin)


def _quantize_q3_k(w: F32) -> U8:
    scaled, sc, d = _signed(w, 16, -4, 31)
    codes = (np.rint(scaled).clip(-4, 3) + 4).astype(np.uint8).reshape(len(w), -1, 256)
    six = sc + np.uint8(32)
    high = np.bitwise_or.reduce([(six[..., 4 * i : 4 * i + 4] >> 4) << 2 * i for i in range(4)])
    packed = np.concatenate([(six[..., :8] & 15) | six[..., 8:] << 4, high], axis=2)
    return _rows(_pack(codes >> 2, 1), _pack(codes & 3, 2), packed, d)


def _quantize_q4_k(w: F32) -> U8:
    codes, sc, minimum, d, dmin = _with_minimums(w, 32, 15, 63)
    return _rows(d, dmin, _six_bits(sc, minimum), _pack(codes, 4))


def _quantize_q5_k(w: F32) -> U8:
    codes, sc, minimum, d, dmin = _with_minimums(w, 32, 31, 63)
    return _rows(d, dmin, _six_bits(sc, minimum), _pack(codes >> 4, 1), _pack(codes & 15, 4))


def _quantize_q6_k(w: F32) -> U8:
    scaled, sc, d = _signed(w, 16, -32, 127)
    codes = (np.rint(scaled).clip(-32, 31) + 32).astype(np.uint8)
    c = codes.reshape(len(w), -1, 2, 4, 32)
    ql = (c[..., :2, :] & 15) | (c[..., 2:, :] & 15) << 4
    return _rows(ql.reshape(len(w), -1, 128), _pack((codes >> 4).reshape(len(w), -1, 256), 2), sc, d)


def _iq4_nibbles(scaled: F32) -> U8:
    """Quantize (..., 32) in units of the table to nibbles (..., 16)."""
    middles = (IQ4_VALUES[1:] + IQ4_VALUES[:-1]) / 2
    codes = np.searchsorted(middles, scaled)
    return (codes[..., :16] | codes[..., 16:] << 4).astype(np.uint8)


def _quantize_iq4_nl(w: F32) -> U8:
    x = w.reshape(len(w), -1, 32)
    extreme = np.take_along_axis(x, np.abs(x).argmax(axis=2)[..., None], axis=2)[..., 0]
    d_bytes, d = _half(extreme / np.float32(-127))
    return _rows(d_bytes, _iq4_nibbles(x * _inverse(d)[..., None]))


def _quantize_iq4_xs(w: F32) -> U8:
    scaled, sc, d = _signed(w, 32, -127, 31)
    six = sc + np.uint8(32)
    low = (six[..., 0::2] & 15) | six[..., 1::2] << 4
    high = np.bitwise_or.reduce([(six[..., i::4] >> 4) << 2 * i for i in range(4)])
    return _rows(d, high, low, _iq4_nibbles(scaled).reshape(len(w), -1, 128))


def _quantize_nvfp4(w: F32) -> U8:
    kind = gguf.quants.NVFP4
    x = w.reshape(len(w), -1, 4, 16)
    scale = kind.fp32_to_ue4m3(np.abs(x).max(axis=3) / 6)
    steps = x * _inverse(kind.ue4m3_to_fp32(scale).astype(np.float32))[..., None]
    codes = np.abs(steps[..., None] - np.array(kind.kvalues, np.float32)).argmin(axis=-1).astype(np.uint8)
    return _rows(scale, (codes[..., :8] | codes[..., 8:] << 4).reshape(len(w), -1, 32))


def _random_entries(dtype: Q) -> Callable[[F32], U8]:
    """Return a quantizer that takes the size of rows alone from the weights: entries of grids are random."""

    def quantizer(w: F32) -> U8:
        block, size = gguf.GGML_QUANT_SIZES[dtype]
        rng = np.random.default_rng([int(dtype), *w.shape])
        raw = rng.integers(0, 256, (len(w), w.shape[1] // block, size), np.uint8)
        sizes = np.abs(w.reshape(len(w), -1, block)).mean(axis=2)
        one = np.array([1], np.float16).view(np.uint8)
        for at in F16_AT[dtype]:
            raw[:, :, at : at + 2] = one
        if dtype == Q.IQ1_M:
            raw[:, :, 49::2] = (raw[:, :, 49::2] & 15) | np.array([0, 0, 0xC0, 0x30], np.uint8)
        of_one = np.abs(dequantize(raw.reshape(len(w), -1), dtype).reshape((*raw.shape[:2], block))).mean(axis=2)
        d = np.asarray(sizes / of_one, np.float16)
        for at in F16_AT[dtype]:
            raw[:, :, at : at + 2] = d[..., None].view(np.uint8)
        if dtype == Q.IQ1_M:
            nibbles = d.view(np.uint16)[..., None] >> np.arange(0, 16, 4, dtype=np.uint16) & 15
            raw[:, :, 49::2] = (raw[:, :, 49::2] & 15) | (nibbles << 4).astype(np.uint8)
        return raw.reshape(len(w), -1)

    return quantizer


_QUANTIZERS: dict[Q, Callable[[F32], U8]] = {
    Q.Q2_K: _quantize_q2_k,
    Q.Q3_K: _quantize_q3_k,
    Q.Q4_K: _quantize_q4_k,
    Q.Q5_K: _quantize_q5_k,
    Q.Q6_K: _quantize_q6_k,
    Q.IQ4_NL: _quantize_iq4_nl,
    Q.IQ4_XS: _quantize_iq4_xs,
    Q.NVFP4: _quantize_nvfp4,
    **{dtype: _random_entries(dtype) for dtype in recoding.TYPES if dtype.name.startswith("IQ")},
}
