# SPDX-License-Identifier: MIT
"""GGUF weight bytes for tests: quantized from floats (the gguf package has no K-quant quantizers) and random."""

import gguf
import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
Q = gguf.GGMLQuantizationType

TYPES = (Q.F32, Q.F16, Q.Q4_0, Q.Q8_0, Q.Q4_K, Q.Q6_K)
_F16_AT = {Q.Q4_0: (0,), Q.Q8_0: (0,), Q.Q4_K: (0, 2), Q.Q6_K: (208,)}  # where a block has its float16 scales


def quantize(w: F32, dtype: Q) -> U8:
    """Rows of floats as the GGUF bytes of `dtype`: (N, row_bytes)."""
    if dtype == Q.Q4_K:
        return _quantize_q4_k(w)
    if dtype == Q.Q6_K:
        return _quantize_q6_k(w)
    return np.ascontiguousarray(gguf.quantize(w, dtype)).view(np.uint8).reshape(len(w), -1)


def random_bytes(dtype: Q, n: int, k: int, rng: np.random.Generator) -> U8:
    """Every bit pattern of codes and scales; the float16 scales (or the floats) are finite, subnormals included."""
    block, size = gguf.GGML_QUANT_SIZES[dtype]
    raw = rng.integers(0, 256, (n, k // block * size), np.uint8)
    if dtype == Q.F32:
        words = raw.view(np.uint32)
        words[(words & 0x7F800000) == 0x7F800000] ^= 0x40000000
    elif dtype == Q.F16:
        halves = raw.view(np.uint16)
        halves[(halves & 0x7C00) == 0x7C00] ^= 0x4000
    else:
        high = raw.reshape(n, -1, size)
        for at in _F16_AT[dtype]:
            high[:, :, at + 1][(high[:, :, at + 1] & 0x7C) == 0x7C] ^= 0x40
    return raw


def dequantize(raw: U8, dtype: Q) -> npt.NDArray[np.float64]:
    """What the gguf package says the weights are."""
    if dtype in (Q.F32, Q.F16):
        return raw.view(np.float32 if dtype == Q.F32 else np.float16).astype(np.float64)
    return np.asarray(gguf.dequantize(raw, dtype), np.float64)


def _inverse(x: F32) -> F32:
    return np.where(x == 0, np.float32(0), 1 / np.where(x == 0, np.float32(1), x))


def _half(x: F32) -> tuple[U8, F32]:
    half = x.astype(np.float16)
    return half[..., None].view(np.uint8), half.astype(np.float32)


def _quantize_q4_k(w: F32) -> U8:
    x = w.reshape(len(w), -1, 8, 32)
    low = np.minimum(x.min(axis=3), 0)
    scale = (x.max(axis=3) - low) / 15
    d_bytes, d = _half(scale.max(axis=2) / 63)
    dmin_bytes, dmin = _half(-low.min(axis=2) / 63)
    sc = np.rint(scale * _inverse(d)[..., None]).clip(0, 63)
    minimum = np.rint(-low * _inverse(dmin)[..., None]).clip(0, 63)
    step, offset = (d[..., None] * sc)[..., None], (dmin[..., None] * minimum)[..., None]
    codes = np.rint((x + offset) * _inverse(step)).clip(0, 15).astype(np.uint8)
    nibbles = codes[:, :, 0::2] | codes[:, :, 1::2] << 4

    sc8, min8 = sc.astype(np.uint8), minimum.astype(np.uint8)
    six = np.concatenate(
        [
            sc8[..., :4] | sc8[..., 4:] >> 4 << 6,
            min8[..., :4] | min8[..., 4:] >> 4 << 6,
            (sc8[..., 4:] & 15) | min8[..., 4:] << 4,
        ],
        axis=2,
    )
    return np.concatenate([d_bytes, dmin_bytes, six, nibbles.reshape(*d.shape, 128)], axis=2).reshape(len(w), -1)


def _quantize_q6_k(w: F32) -> U8:
    x = w.reshape(len(w), -1, 16, 16)
    extreme = np.take_along_axis(x, np.abs(x).argmax(axis=3)[..., None], axis=3)[..., 0]
    scale = extreme / -32
    d_bytes, d = _half(np.abs(scale).max(axis=2) / 127)
    sc = np.rint(scale * _inverse(d)[..., None]).clip(-128, 127)
    codes = (np.rint(x * _inverse((d[..., None] * sc)[..., None])).clip(-32, 31) + 32).astype(np.uint8)
    c = codes.reshape(*d.shape, 2, 4, 32)
    ql = (c[..., :2, :] & 15) | (c[..., 2:, :] & 15) << 4
    qh = (c >> 4) << np.array([0, 2, 4, 6], np.uint8)[:, None]
    qh = np.bitwise_or.reduce(qh, axis=-2)
    parts = [ql.reshape(*d.shape, 128), qh.reshape(*d.shape, 64), sc.astype(np.int8).view(np.uint8), d_bytes]
    return np.concatenate(parts, axis=2).reshape(len(w), -1)
