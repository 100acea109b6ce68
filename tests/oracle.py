# SPDX-License-Identifier: MIT
"""docs/arithmetic.md, sections 1 to 3, in int64: the golden output of the DSP, bit for bit.

It reads GGUF data, never tiles, and shares no code with pyhexagon/quants or dsp/ref, so that errors in one of the three
show up. It asserts every bound that the page claims.
"""

from dataclasses import dataclass

import gguf
import numpy as np
import numpy.typing as npt
import recoding

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]
Q = gguf.GGMLQuantizationType

FLOATS = (Q.F32, Q.F16, Q.BF16)
SIX_BITS = (Q.Q4_K, Q.Q5_K)  # scales and minimums of 6 bits in tiles


@dataclass
class Rule:
    """A row of the page's table of block sums."""

    ps: int
    p16_max: int
    is_unbiased: bool = False  # every 2^ps'th P16 is rounded down
    alternates: bool = False  # ties are rounded up and down in turn
    exponent: int | None = None  # of T's unit, if it is not ps
    b16_shift: int = 9
    tm_exponent: int = 5
    spare_bits: int = 0  # subtracted from DS

    def ds(self, n_scales: int) -> int:
        return max(0, clog2(-(-n_scales // 4)) - self.spare_bits)


RULES = {
    Q.F32: Rule(15, 0),
    Q.F16: Rule(15, 0),
    Q.BF16: Rule(15, 0),
    Q.Q4_0: Rule(0, 32512),
    Q.Q4_1: Rule(0, 32512),
    Q.Q5_0: Rule(1, 32512),
    Q.Q5_1: Rule(1, 32512, is_unbiased=True),
    Q.Q8_0: Rule(4, 32512),
    Q.Q2_K: Rule(0, 6096, exponent=4, b16_shift=7, tm_exponent=3, spare_bits=2),
    Q.Q3_K: Rule(0, 8128, exponent=5, spare_bits=2),
    Q.Q4_K: Rule(1, 30480, is_unbiased=True, exponent=9, spare_bits=1),
    Q.Q5_K: Rule(2, 31496, is_unbiased=True, exponent=10, spare_bits=1),
    Q.Q6_K: Rule(1, 32512, exponent=9, spare_bits=1),
    Q.IQ4_NL: Rule(4, 32258),
    Q.IQ4_XS: Rule(4, 32258, exponent=9),
    Q.MXFP4: Rule(1, 24384, is_unbiased=True),
    Q.IQ3_XXS: Rule(1, 31496, alternates=True),
    Q.IQ2_S: Rule(2, 21844, alternates=True),
    Q.NVFP4: Rule(0, 24384),
}
IQ4_VALUES = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113])
MXFP4_VALUES = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12])
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
    da: I64  # (M, nb); beside float weights the shift of products
    exponent: I64  # (M,): Et
    nan: npt.NDArray[np.bool_]  # (M,)

    def scaled_sums(self, block: int) -> I64:
        """Return step 8 over blocks of 32 or 16: (M, n_scales)."""
        sums = self.q.reshape(len(self.q), -1, block).sum(axis=2)
        return fits(rsh(self.da.repeat(32 // block, axis=1) * sums, 11), 16)


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
    if not int8:
        return wide_activations(bits, e, top, row_top, nan)

    magnitude = ((bits & 0x7FFFFF) | 0x800000) >> np.minimum(top[:, :, None] - e + 9, 31)
    xi = np.where(zero[:, :, None], 0, np.where(bits >> 31 & 1, -magnitude, magnitude))
    a = within(np.where(zero, 16384, magnitude.max(axis=2)), 16384, 32767)
    z = 23130 - mpyr(a - 24576, 30840)
    for _ in range(2):
        z = sat16(z + mpyr(z, fits(2 * (16384 - mpyr(a, z)), 16)))
    q = within(rsh(mpyr(xi, mpyr(z, 32512)[:, :, None]), 7), -127, 127)
    v = mpyr(a, 16513)
    sh = np.minimum(row_top[:, None] - top, 31)
    da = within(np.where(zero, 0, (((v << 1) >> sh) + 1) >> 1), 0, 16512)
    return Activations(q, da, row_top, nan)


def wide_activations(bits: I64, e: I64, top: I64, row_top: I64, nan: npt.NDArray[np.bool_]) -> Activations:
    ds = clog2(-(-bits.shape[1] // 4))
    highest = np.where(row_top < 32, 64, row_top)[:, None]
    aligned = np.maximum(top, highest - (14 - ds))
    magnitude = ((bits & 0x7FFFFF) | 0x800000) >> np.minimum(aligned[:, :, None] - e + 9, 31)
    xi = np.where(nan[:, None, None], 0, np.where(bits >> 31 & 1, -magnitude, magnitude))
    q = within(rsh(xi, 2), -8192, 8192)
    return Activations(q, within(highest - aligned, 0, 14 - ds) + ds + 2, row_top, nan)


@dataclass
class Weights:
    """Section 2 and the repacking rules of section 4: N rows of scale blocks."""

    w: I64  # (N, n_scales, 32 or 16)
    s: I64  # (N, n_scales)
    products: tuple[I64, I64] | None  # d16 and sc if sc multiplies P16, per 32 k and (N, n_scales)
    m16: I64 | None  # (N, n_scales): the minimums of Q4_1 and Q5_1
    minimums: I64 | None  # (N, n_super, 8 or 16)
    dm: I64 | None  # (N, n_super)
    exponent: I64  # (N,)
    shift_t: I64  # (N,)
    shift_m: I64  # (N,)
    nan: npt.NDArray[np.bool_]  # (N,)


def fixed_point(d: F64, exponent: I64) -> I64:
    return np.rint(np.ldexp(d, (15 - exponent)[:, None])).astype(np.int64)


def smallest_exponent(d: F64) -> I64:
    """Return for every row the smallest exponent with which no scale exceeds 32767."""
    fraction, exponent = np.frexp(np.abs(d).max(axis=1))
    return np.asarray(exponent + (np.rint(fraction * 32768) > 32767), np.int64)


def read_f16(raw: U8) -> F64:
    return np.ascontiguousarray(raw).view(np.float16)[..., 0].astype(np.float64)


def read_floats(dtype: Q, raw: U8) -> F64:
    if dtype == Q.BF16:
        return (np.ascontiguousarray(raw).view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return np.ascontiguousarray(raw).view(np.float32 if dtype == Q.F32 else np.float16).astype(np.float64)


@dataclass
class Parsed:
    """The content of GGUF bytes: code * scale, minus or plus a minimum."""

    codes: I64  # (N, n_scales, 32 or 16), signed
    d: F64  # (N, n_scales), or (N, n_super) with sc
    sc: I64 | None = None  # (N, n_super, 8 or 16): times 2^11, 2^10 or 2^8 if the DSP multiplies
    m: F64 | None = None  # (N, n_scales): added
    minimums: I64 | None = None  # (N, n_super, 8 or 16): times dmin, subtracted
    dmin: F64 | None = None  # (N, n_super)


def parse_floats(dtype: Q, raw: U8, n: int, k: int) -> Parsed:
    padded = np.zeros((n, -(-k // 32) * 32))
    padded[:, :k] = read_floats(dtype, raw)
    x = padded.reshape(n, -1, 32)
    top = np.abs(x).max(axis=2)
    finite = np.isfinite(top)
    x = np.where(finite[:, :, None], x, 0)
    w_exponent = np.frexp(np.where(finite, top, 0))[1].astype(np.int64)  # W
    sums = np.abs(np.rint(np.ldexp(x, 12 - w_exponent[:, :, None]))).sum(axis=2)
    w_exponent -= np.select([sums <= 2**15 - 32, sums <= 2**16 - 32], [2, 1])
    largest = np.where(top > 0, w_exponent, -1000).max(axis=1, initial=-1000, where=finite)
    w_exponent = np.where(top > 0, np.maximum(w_exponent, largest[:, None] - 14), w_exponent)
    codes = np.rint(np.ldexp(x, 12 - w_exponent[:, :, None])).astype(np.int64)
    assert (np.abs(codes).sum(axis=2) <= 2**17).all()
    scale = np.where(finite, np.where(top == 0, 0.0, np.ldexp(1.0, w_exponent - 12)), np.nan)
    return Parsed(within(codes, -16384, 16384), scale)


def nibbles(raw: U8) -> I64:
    """Unpack blocks of 32, the first half of each in low nibbles: (..., 16 bytes) to (..., 32)."""
    return np.concatenate([raw & 15, raw >> 4], axis=-1).astype(np.int64)


def parse_block_of_32(dtype: Q, b: U8) -> Parsed:
    d = read_f16(b[:, :, :2])
    if dtype == Q.Q4_0:
        return Parsed(nibbles(b[:, :, 2:]) - 8, d)
    if dtype == Q.Q4_1:
        return Parsed(nibbles(b[:, :, 4:]) - 8, d, m=read_f16(b[:, :, 2:4]) + 8 * d)
    if dtype == Q.Q8_0:
        return Parsed(b[:, :, 2:].view(np.int8).astype(np.int64), d)
    if dtype == Q.IQ4_NL:
        return Parsed(IQ4_VALUES[nibbles(b[:, :, 2:])], d)
    if dtype == Q.MXFP4:
        return Parsed(MXFP4_VALUES[nibbles(b[:, :, 1:])], np.ldexp(1.0, b[:, :, 0].astype(np.int64) - 128))
    at = 2 if dtype == Q.Q5_0 else 4
    high = np.unpackbits(b[:, :, at : at + 4], axis=2, bitorder="little").astype(np.int64)
    codes = nibbles(b[:, :, at + 4 :]) + 16 * high
    if dtype == Q.Q5_0:
        return Parsed(codes - 16, d)
    assert dtype == Q.Q5_1
    return Parsed(codes - 16, d, m=read_f16(b[:, :, 2:4]) + 16 * d)


def six_bit_pairs(six: I64) -> tuple[I64, I64]:
    """Unpack scales and minimums of Q4_K and Q5_K: (N, n_super, 12) to two (N, n_super, 8)."""
    sc, minimums = np.zeros((2, *six.shape[:2], 8), np.int64)
    for j in range(4):
        sc[:, :, j] = six[:, :, j] & 63
        minimums[:, :, j] = six[:, :, 4 + j] & 63
        sc[:, :, 4 + j] = (six[:, :, 8 + j] & 15) | (six[:, :, j] >> 6 << 4)
        minimums[:, :, 4 + j] = (six[:, :, 8 + j] >> 4) | (six[:, :, 4 + j] >> 6 << 4)
    return sc, minimums


def bits_of(raw: I64, k: I64, block: I64, width: int) -> I64:
    """Unpack weights k of a super-block: `width` bits; blocks of 32 fill a byte from its low bits, then the next."""
    blocks_in_byte = 8 // width
    return raw[:, :, 32 * (block // blocks_in_byte) + k % 32] >> width * (block % blocks_in_byte) & ((1 << width) - 1)


def parse_super_block(dtype: Q, b: U8) -> Parsed:
    n, n_super = b.shape[:2]
    raw = b.astype(np.int64)
    k = np.arange(256)
    block = k // 32
    if dtype == Q.Q2_K:
        codes = bits_of(raw[:, :, 16:80], k, block, 2)
    elif dtype == Q.Q3_K:
        codes = bits_of(raw[:, :, 32:96], k, block, 2) + 4 * bits_of(raw, k, block, 1) - 4
    elif dtype == Q.Q4_K:
        codes = bits_of(raw[:, :, 16:], k, block, 4)
    elif dtype == Q.Q5_K:
        codes = bits_of(raw[:, :, 48:], k, block, 4) + 16 * bits_of(raw[:, :, 16:48], k, block, 1)
    elif dtype == Q.IQ4_XS:
        codes = IQ4_VALUES[raw[:, :, 8 + 16 * block + k % 16] >> 4 * (k % 32 // 16) & 15]
    else:
        assert dtype == Q.Q6_K
        half, part = k // 128, k % 128 // 32
        low = raw[:, :, 64 * half + 32 * (part & 1) + k % 32] >> 4 * (part >> 1) & 15
        codes = low + 16 * bits_of(raw[:, :, 128:192], k, block, 2) - 32

    if dtype == Q.Q2_K:
        sc, minimums = raw[:, :, :16] & 15, raw[:, :, :16] >> 4
        d, dmin = read_f16(b[:, :, 80:82]), read_f16(b[:, :, 82:84])
        return Parsed(codes.reshape(n, -1, 16), d, sc=sc << 11, minimums=minimums, dmin=dmin)
    if dtype == Q.Q3_K:
        sc = np.zeros((n, n_super, 16), np.int64)
        for j in range(16):
            low = raw[:, :, 96 + j % 8] >> 4 * (j // 8) & 15
            sc[:, :, j] = (low | (raw[:, :, 104 + j % 4] >> 2 * (j // 4) & 3) << 4) - 32
        return Parsed(codes.reshape(n, -1, 16), read_f16(b[:, :, 108:110]), sc=sc << 10)
    if dtype == Q.IQ4_XS:
        sc = np.zeros((n, n_super, 8), np.int64)
        for j in range(8):
            low = raw[:, :, 4 + j // 2] >> 4 * (j % 2) & 15
            sc[:, :, j] = (low | (raw[:, :, 2 + j // 4] >> 2 * (j % 4) & 3) << 4) - 32
        return Parsed(codes.reshape(n, -1, 32), read_f16(b[:, :, :2]), sc=sc << 10)
    if dtype == Q.Q6_K:
        sc = b[:, :, 192:208].view(np.int8).astype(np.int64)
        return Parsed(codes.reshape(n, -1, 16), read_f16(b[:, :, 208:]), sc=sc << 8)
    sc, minimums = six_bit_pairs(raw[:, :, 4:16])
    dmin = -read_f16(b[:, :, 2:4])
    return Parsed(codes.reshape(n, -1, 32), read_f16(b[:, :, :2]), sc=sc, minimums=minimums, dmin=dmin)


def parse_recoded(dtype: Q, b: U8) -> Parsed:
    n, n_blocks = b.shape[:2]
    tile, decoded = recoding.TILES.get(dtype, dtype), recoding.decode(dtype, b)
    if tile in recoding.VALUES:
        codes = recoding.VALUES[tile][decoded.codes]
        return Parsed(codes.reshape(n, -1, 16), decoded.by_scale(dtype).reshape(n, -1))
    if tile == Q.Q3_K:
        return Parsed(decoded.codes.reshape(n, -1, 16) - 4, decoded.d / -32, sc=np.full((n, n_blocks, 16), -32 << 10))
    assert dtype == Q.IQ3_S
    sc = 2 * decoded.scales[..., ::2].astype(np.int64)
    codes = decoded.codes.reshape(n, -1, 32)
    return Parsed(codes, decoded.d.copy(), sc=sc, minimums=sc, dmin=-7.5 * decoded.d)


def parse(dtype: Q, raw: U8, n: int, k: int) -> Parsed:
    if dtype in FLOATS:
        return parse_floats(dtype, raw, n, k)
    block, size = gguf.GGML_QUANT_SIZES[dtype]
    b = raw.reshape(n, k // block, size)
    if dtype in recoding.TYPES:
        return parse_recoded(dtype, b)
    return parse_block_of_32(dtype, b) if block == 32 else parse_super_block(dtype, b)


def weights(dtype: Q, raw: U8, n: int, k: int) -> Weights:
    with np.errstate(invalid="ignore"):
        parsed = parse(dtype, raw, n, k)
    dtype = recoding.TILES.get(dtype, dtype)
    rule = RULES[dtype]
    numbers = [x for x in (parsed.d, parsed.m, parsed.dmin) if x is not None]
    nan = np.asarray(~np.isfinite(np.concatenate(numbers, axis=1)).all(axis=1))
    for x in numbers:
        x[nan] = 0
    en, empty = smallest_exponent(parsed.d), ~parsed.d.any(axis=1)
    m16 = None
    if parsed.m is not None:
        centre = 8 if dtype == Q.Q4_1 else 16
        ends = [np.abs(parsed.m + code * parsed.d) for code in (-centre, centre - 1)]
        largest = np.maximum(*ends).max(axis=1)
        en[empty] = -1000
        while (too_large := largest > np.ldexp(4095 / 4096, en + 3 + rule.ps)).any():
            en[too_large] += 1
        empty = largest == 0
        en[empty] = 0
        m16 = within(fixed_point(parsed.m, en + 4 + rule.ps), -16381, 16381)
    dm = None
    if dtype in SIX_BITS and parsed.dmin is not None:
        above = 3 + rule.ps
        em, no_minimums = smallest_exponent(parsed.dmin) - above, ~parsed.dmin.any(axis=1)
        en = np.where(no_minimums, en, np.where(empty, em, np.maximum(en, em)))
        dm = within(fixed_point(parsed.dmin, en + above), -32767, 32767)
        empty &= no_minimums
    s = within(fixed_point(parsed.d, en + (dtype in SIX_BITS)), -32767, 32767)
    if dtype in FLOATS:
        s = np.where(nan[:, None], 0, np.maximum(s, 1))
    products = None
    if dtype in SIX_BITS and parsed.sc is not None:
        products = s.repeat(8, axis=1), parsed.sc.reshape(n, -1)
        s = products[0] * products[1]
    elif parsed.sc is not None:
        if dtype == Q.Q6_K:
            products = s.repeat(8, axis=1), parsed.sc.reshape(n, -1) >> 8
        s = mpyr(s[:, :, None], parsed.sc).reshape(n, -1)
    unit = (rule.ps if rule.exponent is None else rule.exponent) + en + rule.ds(s.shape[1])
    shift_t = shift_m = np.zeros(n, np.int64)
    if parsed.dmin is not None and dtype not in SIX_BITS:
        em, no_minimums = smallest_exponent(parsed.dmin), ~parsed.dmin.any(axis=1)
        dm = within(fixed_point(parsed.dmin, em), -32767, 32767)
        unit_m = em + rule.tm_exponent + clog2(k // 256)
        unit = np.where(empty, unit_m, unit)
        delta = np.where(no_minimums, 0, unit_m - unit)
        shift_t, shift_m = 1 + np.maximum(delta, 0), 1 + np.maximum(-delta, 0)
        empty &= no_minimums
    exponent = np.where(empty, 0, unit + shift_t - (153 if dtype in FLOATS else 147))
    shift_t, shift_m = (np.where(empty, 0, np.minimum(shift, 31)) for shift in (shift_t, shift_m))
    return Weights(parsed.codes, s, products, m16, parsed.minimums, dm, fits(exponent, 16), shift_t, shift_m, nan)


def to_float32_bits(t: I64, x: I64) -> I64:
    """Convert to float32 as in section 3, from T' and X."""
    magnitude = np.abs(t)
    lz = 32 - np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)
    exponent = 158 - lz + x
    bits = (np.clip(exponent, 1, 255) << 23) + ((((magnitude << lz) >> 1) + 64 >> 7) - 0x800000)
    bits = np.minimum(bits, INFINITY_BITS) | np.where(t < 0, 1 << 31, 0)
    return np.where((t == 0) | (exponent < 1), 0, bits)


def matmul_exact(dtype: Q, raw_rows: U8, n: int, k: int, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return (M, N) float32: rows `x` (M, K) times the N rows of GGUF bytes `raw_rows`."""
    act = activations(x, int8=dtype not in FLOATS)
    out = np.zeros((len(x), n), np.float32)
    step = max(1, CHUNK // max(1, len(x) * -(-k // 16)))
    raw = raw_rows.reshape(n, -1)
    for at in range(0, n, step):
        rows = weights(dtype, raw[at : at + step], len(raw[at : at + step]), k)
        out[:, at : at + step] = multiply(dtype, rows, act)
    return out


def multiply(dtype: Q, wt: Weights, act: Activations) -> npt.NDArray[np.float32]:
    dtype = recoding.TILES.get(dtype, dtype)
    m, n, (n_scales, block) = len(act.q), len(wt.w), wt.w.shape[1:]
    rule = RULES[dtype]
    q = act.q.reshape(m, n_scales, block)
    da = act.da.repeat(32 // block, axis=1)

    # Block sums as (n_scales, M, N); float64 products of small integers are exact.
    p = np.matmul(q.transpose(1, 0, 2).astype(np.float64), wt.w.transpose(1, 2, 0).astype(np.float64))
    exact = fits(p.astype(np.int64), 32)
    if dtype in FLOATS:
        within(exact, -(2**30), 2**30)
        power = np.where(wt.s > 0, 15 - np.frexp(wt.s.astype(np.float64))[1], 15).T[:, None, :]
        shifted = exact >> within(power + da.T[:, :, None], 2, 31)
        return to_floats(wt, act, fits(shifted.cumsum(axis=0), 32)[-1])
    p16 = rsh(exact, rule.ps)
    if rule.is_unbiased:
        period = 1 << rule.ps
        p16[period - 1 :: period] = exact[period - 1 :: period] >> rule.ps
    if rule.alternates:
        p16[1::2] = (exact[1::2] + ((1 << rule.ps) // 2 - 1)) >> rule.ps
    within(p16, -rule.p16_max, rule.p16_max)
    if dtype in SIX_BITS:
        return to_floats(wt, act, multiply_super_blocks(wt, act, p16, da))
    e = within(mpyr(wt.s.T[:, None, :], da.T[:, :, None]), -16512, 16512)

    n_groups = -(-n_scales // 4)
    products = np.zeros((n_groups * 4, m, n), np.int64)
    products[:n_scales] = p16 * e
    if wt.products is not None:
        d16, sc = wt.products
        pairs = fits((within(exact >> 1, -32512, 32512) * sc.T[:, None, :]).reshape(-1, 2, m, n).sum(axis=1), 32)
        products[: n_scales : 2] = within(rsh(pairs, 8), -32512, 32512) * mpyr(d16.T[:, None, :], act.da.T[:, :, None])
        products[1 : n_scales : 2] = 0
    if wt.m16 is not None:
        products[:n_scales] += wt.m16.T[:, None, :] * act.scaled_sums(block).T[:, :, None]
    pa = fits(products.reshape(n_groups, 4, m, n).sum(axis=1), 32)
    t = fits((pa >> rule.ds(n_scales)).cumsum(axis=0), 32)[-1]
    if wt.minimums is not None and wt.dm is not None:
        n_super = wt.dm.shape[1]
        sums = act.scaled_sums(block).reshape(m, n_super, -1).transpose(1, 0, 2).astype(np.float64)
        b = np.matmul(sums, wt.minimums.transpose(1, 2, 0).astype(np.float64)).astype(np.int64)
        b16 = fits(rsh(fits(b, 32), rule.b16_shift), 16)
        product = fits(b16 * wt.dm.T[:, None, :], 32)
        tm = fits((product >> clog2(n_super)).cumsum(axis=0), 32)[-1]
        t = fits((t >> wt.shift_t) - (tm >> wt.shift_m), 32)

    return to_floats(wt, act, t)


def multiply_super_blocks(wt: Weights, act: Activations, p16: I64, da: I64) -> I64:
    """Return T of Q4_K and Q5_K."""
    assert wt.products is not None
    assert wt.minimums is not None
    assert wt.dm is not None
    (d16, sc), (n_scales, m, n) = wt.products, p16.shape
    e = within(mpyr(256 * sc.T[:, None, :], da.T[:, :, None]), 0, 8127)
    pa = fits((p16 * e).reshape(-1, 8, m, n).sum(axis=1), 32)
    sums = act.scaled_sums(32).reshape(m, -1, 8).transpose(1, 0, 2).astype(np.float64)
    b = np.matmul(sums, wt.minimums.transpose(1, 2, 0).astype(np.float64)).astype(np.int64)
    b16 = within(rsh(b, 9), -32257, 32257)
    scaled = rsh(pa * within(d16.T[::8, None, :], -16384, 16384), 15)
    product = fits(scaled + b16 * wt.dm.T[:, None, :], 32)
    return np.asarray(fits((product >> clog2(n_scales // 8)).cumsum(axis=0), 32)[-1])


def to_floats(wt: Weights, act: Activations, t: I64) -> npt.NDArray[np.float32]:
    bits = to_float32_bits(t, wt.exponent + act.exponent[:, None])
    bits = np.where(act.nan[:, None] | wt.nan, NAN_BITS, bits)
    return np.asarray(bits.astype(np.uint32).view(np.float32))
