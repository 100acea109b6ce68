# SPDX-License-Identifier: MIT
"""docs/arithmetic.md, sections 1 to 3, in int64: what the DSP must return, bit for bit.

It reads GGUF data, never tiles, and shares no code with pyhexagon/quants or dsp/ref, so that the three can disagree.
Every bound that the page claims is asserted on the way.
"""

from dataclasses import dataclass

import gguf
import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]
Q = gguf.GGMLQuantizationType

FLOATS = (Q.F32, Q.F16)
PS = {Q.Q4_0: 0, Q.Q8_0: 4, Q.Q4_K: 1, Q.Q6_K: 1, Q.F16: 15, Q.F32: 15}
P16_MAX = {Q.Q4_0: 32512, Q.Q8_0: 32512, Q.Q4_K: 30480, Q.Q6_K: 32512, Q.F16: 32767, Q.F32: 32767}
NAN_BITS, INFINITY_BITS = 0x7FC00000, 0x7F800000
CHUNK = 1 << 22  # block sums held at a time


def fits(x: I64, bits: int) -> I64:
    assert x.size == 0 or (x.min() >= -(1 << (bits - 1)) and x.max() < (1 << (bits - 1))), (x.min(), x.max(), bits)
    return x


def within(x: I64, low: int, high: int) -> I64:
    assert x.size == 0 or (x.min() >= low and x.max() <= high), (x.min(), x.max(), low, high)
    return x


def sat16(x: I64) -> I64:
    return np.clip(x, -32768, 32767)


def mpyr(a: I64, b: I64 | int) -> I64:
    fits(a, 16)
    fits(np.asarray(b, np.int64), 16)
    return sat16((2 * a * b + 0x8000) >> 16)


def rsh(x: I64, s: int) -> I64:
    return (x + ((1 << s) >> 1)) >> s


def clog2(n: int) -> int:
    return (n - 1).bit_length()


@dataclass
class Activations:
    """Section 1: M rows of nb blocks of 32."""

    q: I64  # (M, nb, 32)
    da: I64  # (M, nb)
    t: I64  # (M, nb): the scaled block sums; int8 only
    exponent: I64  # (M,): Et
    nan: npt.NDArray[np.bool_]  # (M,)


def activations(x: npt.NDArray[np.float32], *, int8: bool) -> Activations:
    assert x.dtype == np.float32
    m, k = x.shape
    bits = np.zeros((m, -(-k // 32) * 32), np.int64)
    bits[:, :k] = np.ascontiguousarray(x).view(np.uint32)
    bits = bits.reshape(m, -1, 32)
    e = bits >> 23 & 0xFF
    top = e.max(axis=2)  # E
    row_top = top.max(axis=1)  # Et
    nan = row_top == 255
    zero = (top < 32) | nan[:, None]

    magnitude = ((bits & 0x7FFFFF) | 0x800000) >> np.minimum(top[:, :, None] - e + 9, 31)
    xi = np.where(zero[:, :, None], 0, np.where(bits >> 31 & 1, -magnitude, magnitude))
    a = within(np.where(zero, 16384, magnitude.max(axis=2)), 16384, 32767)
    if int8:
        z = 23130 - mpyr(a - 24576, 30840)
        for _ in range(2):
            z = sat16(z + mpyr(z, fits(2 * (16384 - mpyr(a, z)), 16)))
        q = within(rsh(mpyr(xi, mpyr(z, 32512)[:, :, None]), 7), -127, 127)
        v = mpyr(a, 16513)
    else:
        q = within(rsh(xi, 2), -8192, 8192)
        v = np.full_like(a, 16384)
    sh = np.minimum(row_top[:, None] - top, 31)
    da = within(np.where(zero, 0, (((v << 1) >> sh) + 1) >> 1), 0, 16512)
    t = fits(rsh(da * q.sum(axis=2), 11), 16) if int8 else np.zeros_like(da)
    return Activations(q, da, t, row_top, nan)


@dataclass
class Weights:
    """Section 2 and the repacking rules of section 4: N rows of scale blocks."""

    w: I64  # (N, n_scales, 32 or 16)
    s: I64  # (N, n_scales)
    minimums: I64 | None  # (N, n_super, 8)
    dm: I64 | None  # (N, n_super)
    exponent: I64  # (N,)
    shift_t: I64  # (N,)
    shift_m: I64  # (N,)
    nan: npt.NDArray[np.bool_]  # (N,)


def fixed_point(d: F64) -> tuple[I64, I64, npt.NDArray[np.bool_]]:
    """Rows of scales as int16, their row exponents, and which rows are all zero."""
    top = np.abs(d).max(axis=1)
    fraction, exponent = np.frexp(top)
    exponent = exponent.astype(np.int64) + (np.rint(fraction * 32768) > 32767)
    s = np.rint(np.ldexp(d, (15 - exponent)[:, None])).astype(np.int64)
    return within(s, -32767, 32767), exponent, top == 0


def read_f16(raw: U8) -> F64:
    return np.ascontiguousarray(raw).view(np.float16).astype(np.float64)


def codes_and_scales(dtype: Q, raw: U8, n: int, k: int) -> tuple[I64, F64, I64 | None, F64 | None]:
    """Codes (N, n_scales, block), scales (N, n_scales), minimums (N, n_super, 8) and their scales (N, n_super)."""
    if dtype in FLOATS:
        padded = np.zeros((n, -(-k // 32) * 32))
        padded[:, :k] = np.ascontiguousarray(raw).view(np.float32 if dtype == Q.F32 else np.float16)
        x = padded.reshape(n, -1, 32)
        top = np.abs(x).max(axis=2)
        finite = np.isfinite(top)
        w_exponent = np.frexp(np.where(finite, top, 0))[1]  # W
        codes = np.rint(np.ldexp(np.where(finite[:, :, None], x, 0), 12 - w_exponent[:, :, None])).astype(np.int64)
        scale = np.where(finite, np.where(top == 0, 0.0, np.ldexp(1.0, w_exponent - 12)), np.nan)
        return within(codes, -4096, 4096), scale, None, None
    block, size = gguf.GGML_QUANT_SIZES[dtype]
    b = raw.reshape(n, k // block, size)
    if dtype == Q.Q4_0:
        codes = np.concatenate([b[:, :, 2:] & 15, b[:, :, 2:] >> 4], axis=2).astype(np.int64) - 8
        return codes, read_f16(b[:, :, :2])[:, :, 0], None, None
    if dtype == Q.Q8_0:
        return b[:, :, 2:].view(np.int8).astype(np.int64), read_f16(b[:, :, :2])[:, :, 0], None, None
    if dtype == Q.Q4_K:
        d, dmin = read_f16(b[:, :, :2]), read_f16(b[:, :, 2:4])[:, :, 0]
        six = b[:, :, 4:16].astype(np.int64)
        sc, minimums = np.zeros((2, n, k // 256, 8), np.int64)
        for j in range(4):
            sc[:, :, j] = six[:, :, j] & 63
            minimums[:, :, j] = six[:, :, 4 + j] & 63
            sc[:, :, 4 + j] = (six[:, :, 8 + j] & 15) | (six[:, :, j] >> 6 << 4)
            minimums[:, :, 4 + j] = (six[:, :, 8 + j] >> 4) | (six[:, :, 4 + j] >> 6 << 4)
        qs = b[:, :, 16:].reshape(n, -1, 4, 32)
        codes = np.stack([qs & 15, qs >> 4], axis=3).astype(np.int64)
        return codes.reshape(n, -1, 32), (d * sc).reshape(n, -1), minimums, dmin
    assert dtype == Q.Q6_K
    codes = np.zeros((n, k // 256, 256), np.int64)
    for half in range(2):
        ql, qh = b[:, :, 64 * half :], b[:, :, 128 + 32 * half :]
        for part in range(4):
            low = ql[:, :, 32 * (part & 1) : 32 * (part & 1) + 32] >> (4 * (part >> 1)) & 15
            at = 128 * half + 32 * part
            codes[:, :, at : at + 32] = (low | (qh[:, :, :32] >> (2 * part) & 3) << 4).astype(np.int64) - 32
    scale = read_f16(b[:, :, 208:]) * b[:, :, 192:208].view(np.int8)
    return codes.reshape(n, -1, 16), scale.reshape(n, -1), None, None


def weights(dtype: Q, raw: U8, n: int, k: int) -> Weights:
    with np.errstate(invalid="ignore"):
        codes, d, minimums, dmin = codes_and_scales(dtype, raw, n, k)
    nan = np.asarray(~np.isfinite(d).all(axis=1))
    if dmin is not None:
        nan |= ~np.isfinite(dmin).all(axis=1)
    s, en, no_scales = fixed_point(np.where(nan[:, None], 0, d))
    unit = PS[dtype] + en + clog2(-(-d.shape[1] // 4))
    shift_t = shift_m = np.zeros(n, np.int64)
    dm = None
    if dmin is not None:
        dm, em, no_minimums = fixed_point(np.where(nan[:, None], 0, dmin))
        unit_m = em + 5 + clog2(k // 256)
        unit = np.where(no_scales, unit_m, unit)
        delta = np.where(no_minimums, 0, unit_m - unit)
        shift_t, shift_m = 1 + np.maximum(delta, 0), 1 + np.maximum(-delta, 0)
        no_scales &= no_minimums
    exponent = np.where(no_scales, 0, unit + shift_t - (153 if dtype in FLOATS else 147))
    shift_t, shift_m = (np.where(no_scales, 0, np.minimum(shift, 31)) for shift in (shift_t, shift_m))
    return Weights(codes, s, minimums, dm, fits(exponent, 16), shift_t, shift_m, nan)


def to_float32_bits(t: I64, x: I64) -> I64:
    """Section 3, for T' and X."""
    magnitude = np.abs(t)
    lz = 32 - np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)
    exponent = 158 - lz + x
    bits = (np.clip(exponent, 1, 255) << 23) + ((((magnitude << lz) >> 1) + 64 >> 7) - 0x800000)
    bits = np.minimum(bits, INFINITY_BITS) | np.where(t < 0, 1 << 31, 0)
    return np.where((t == 0) | (exponent < 1), 0, bits)


def matmul_exact(dtype: Q, raw_rows: U8, n: int, k: int, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """(M, N) float32: rows `x` (M, K) times the N rows of GGUF bytes `raw_rows`."""
    act = activations(x, int8=dtype not in FLOATS)
    out = np.zeros((len(x), n), np.float32)
    step = max(1, CHUNK // max(1, len(x) * -(-k // 16)))
    raw = raw_rows.reshape(n, -1)
    for at in range(0, n, step):
        rows = weights(dtype, raw[at : at + step], len(raw[at : at + step]), k)
        out[:, at : at + step] = multiply(dtype, rows, act)
    return out


def multiply(dtype: Q, wt: Weights, act: Activations) -> npt.NDArray[np.float32]:
    m, n, (n_scales, block) = len(act.q), len(wt.w), wt.w.shape[1:]
    q = act.q.reshape(m, n_scales, block)
    da = act.da.repeat(32 // block, axis=1)

    # Block sums as (n_scales, M, N); float64 products of small integers are exact.
    p = np.matmul(q.transpose(1, 0, 2).astype(np.float64), wt.w.transpose(1, 2, 0).astype(np.float64))
    p16 = rsh(fits(p.astype(np.int64), 32), PS[dtype])
    if dtype not in FLOATS:
        within(p16, -P16_MAX[dtype], P16_MAX[dtype])
    p16 = sat16(p16)
    e = within(mpyr(wt.s.T[:, None, :], da.T[:, :, None]), -16512, 16512)

    n_groups = -(-n_scales // 4)
    products = np.zeros((n_groups * 4, m, n), np.int64)
    products[:n_scales] = p16 * e
    pa = fits(products.reshape(n_groups, 4, m, n).cumsum(axis=1), 32)[:, 3]
    t = fits((pa >> clog2(n_groups)).cumsum(axis=0), 32)[-1]
    if wt.minimums is not None and wt.dm is not None:
        n_super = wt.dm.shape[1]
        sums = act.t.reshape(m, n_super, 8).transpose(1, 0, 2).astype(np.float64)
        b = np.matmul(sums, wt.minimums.transpose(1, 2, 0).astype(np.float64)).astype(np.int64)
        b16 = fits(rsh(fits(b, 32), 9), 16)
        product = fits(b16 * wt.dm.T[:, None, :], 32)
        tm = fits((product >> clog2(n_super)).cumsum(axis=0), 32)[-1]
        t = fits((t >> wt.shift_t) - (tm >> wt.shift_m), 32)

    bits = to_float32_bits(t, wt.exponent + act.exponent[:, None])
    bits = np.where(act.nan[:, None] | wt.nan, NAN_BITS, bits)
    return bits.astype(np.uint32).view(np.float32)
