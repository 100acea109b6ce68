# SPDX-License-Identifier: MIT
"""docs/arithmetic.md in its executable form with NumPy (tests/oracle.py): accuracy, bounds and special values.

The oracle asserts every bound of the page while it computes, so extreme inputs test the page.
"""

from collections.abc import Callable

import accuracy
import numpy as np
import numpy.typing as npt
import oracle
import pytest
import weights
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

from pyhexagon import quants

FLOATS = weights.FLOATS
QUANTIZED = [dtype for dtype in weights.TYPES if dtype not in FLOATS]
NAMES = [dtype.name for dtype in weights.TYPES]
F32 = npt.NDArray[np.float32]


def product(w: npt.ArrayLike, x: npt.ArrayLike) -> F32:
    """Multiply float weights and float activations."""
    w = np.atleast_2d(np.asarray(w, np.float32))
    raw = np.ascontiguousarray(w).view(np.uint8)
    return oracle.matmul_exact(Q.F32, raw, len(w), w.shape[1], np.atleast_2d(np.asarray(x, np.float32)))


def bits(x: F32) -> npt.NDArray[np.uint32]:
    return x.view(np.uint32)


@pytest.mark.long
@pytest.mark.parametrize("dtype", [*weights.TYPES, *weights.RECODED], ids=lambda dtype: dtype.name)
def test_error_is_that_of_llama_cpp_or_less(dtype: Q, figure: Callable[[str], None]) -> None:
    n = k = 1024
    w = np.random.default_rng(0).standard_normal((n, k), dtype=np.float32)
    raw = weights.quantize(w, dtype)
    dequantized = weights.dequantize(raw, dtype)
    for data in (accuracy.normal, accuracy.outliers):
        for m in (1, 7, 33):
            x = data(m, k, seed=m)
            exact = x.astype(np.float64) @ dequantized.T
            ours = accuracy.nmse(oracle.matmul_exact(dtype, raw, n, k, x), exact)
            line = f"{dtype.name:6} {data.__name__:8} M={m:2} NMSE {ours:.2e}"
            if dtype in FLOATS:
                limit = 1e-4
            else:
                llama = accuracy.nmse(accuracy.llama_product(dtype, dequantized, x), exact)
                line += f", llama.cpp's scheme {llama:.2e}, ratio {ours / llama:.2f}"
                limit = 1.3 * llama
            figure(line)
            assert ours <= limit, line


@pytest.mark.parametrize("dtype", QUANTIZED, ids=lambda dtype: dtype.name)
def test_error_does_not_grow_with_the_length_of_rows(dtype: Q) -> None:
    """If ties of P were rounded up, the error would accumulate over a row whose scales have one sign."""
    n, k = 64, 14336
    raw = weights.quantize(np.random.default_rng(0).standard_normal((n, k), dtype=np.float32), dtype)
    dequantized = weights.dequantize(raw, dtype)
    x = accuracy.normal(8, k, seed=1)
    exact = x.astype(np.float64) @ dequantized.T
    ours = accuracy.nmse(oracle.matmul_exact(dtype, raw, n, k, x), exact)
    assert ours <= 1.1 * accuracy.nmse(accuracy.llama_product(dtype, dequantized, x), exact)


@pytest.mark.parametrize("dtype", weights.TYPES, ids=NAMES)
def test_random_bits_of_weights_are_multiplied_as_gguf_reads_them(dtype: Q) -> None:
    """Compared with float64 per row, because rows of random float16 scales differ by orders of magnitude."""
    block = GGML_QUANT_SIZES[dtype][0]
    for n in (1, 31, 33, 65):
        for k in (1, 31, 33, 300) if block == 1 else (block, 3 * block):
            raw = weights.random_bytes(dtype, n, k, np.random.default_rng([n, k]))
            if dtype == Q.F32:  # every exponent there is would overflow
                raw.view(np.uint32)[...] = raw.view(np.uint32) & 0x9FFFFFFF | 0x20000000
            elif dtype == Q.BF16:
                raw.view(np.uint16)[...] = raw.view(np.uint16) & 0x9FFF | 0x2000
            elif dtype == Q.MXFP4:
                raw[:, ::17] = raw[:, ::17] // 2 + 64
            x = accuracy.normal(5, k, seed=k)
            w = weights.dequantize(raw, dtype)
            error = oracle.matmul_exact(dtype, raw, n, k, x) - x.astype(np.float64) @ w.T
            size = np.sqrt((w**2).sum(axis=1) * (x.astype(np.float64) ** 2).sum(axis=1)[:, None])
            assert (np.abs(error) <= 0.02 * size).all()


def extreme_bytes(dtype: Q, n: int, k: int, fill: int) -> npt.NDArray[np.uint8]:
    """Return the largest scales and codes in magnitude: all nibbles 0 or 15, all int8 -128 or 127; also minimums."""
    block, size = GGML_QUANT_SIZES[dtype]
    raw = np.full((n, k // block, size), fill, np.uint8)
    largest = np.array([0x7BFF], "<u2").view(np.uint8)
    for at in weights.F16_AT[dtype]:
        raw[:, :, at : at + 2] = largest
    if dtype in (Q.Q4_K, Q.Q5_K):
        raw[:, :, 4:16] = 0xFF
    if dtype == Q.Q2_K:
        raw[:, :, :16] = 0xFF
    if dtype == Q.Q3_K:
        raw[:, :, 96:108] = 0  # -32
    if dtype == Q.IQ4_XS:
        raw[:, :, 2:8] = 0
    if dtype == Q.MXFP4:
        raw[:, :, 0] = 128  # any: scales are relative
    if dtype == Q.Q6_K:
        raw[:, :, 192:208] = 0x80
    return raw.reshape(n, -1)


@pytest.mark.parametrize("dtype", QUANTIZED, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("n_blocks", [1, 2, 3, 5, 64, quants.MAX_K // 256])
def test_no_sum_overflows_with_the_largest_codes_scales_and_activations(dtype: Q, n_blocks: int) -> None:
    k = n_blocks * (8 if n_blocks == quants.MAX_K // 256 else 1) * GGML_QUANT_SIZES[dtype][0]
    k = min(k, quants.MAX_K)
    raw = np.concatenate([extreme_bytes(dtype, 1, k, fill) for fill in (0x00, 0x0F, 0x7F, 0x80, 0xFF)])
    x = np.array([[3.9999998], [-3.9999998]], np.float32).repeat(k, axis=1)
    got = oracle.matmul_exact(dtype, raw, len(raw), k, x)
    exact = np.array([weights.dequantize(row[None], dtype).sum() for row in raw]) * x[:, :1].astype(np.float64)
    np.testing.assert_allclose(got, exact, rtol=1e-3)


@pytest.mark.parametrize("dtype", [Q.Q4_1, Q.Q5_1], ids=lambda dtype: dtype.name)
def test_no_sum_overflows_with_any_minimum_beside_any_scale(dtype: Q) -> None:
    """Four equal blocks, all codes the same, all activations the largest: the oracle asserts that PA fits."""
    n, size = 20000, GGML_QUANT_SIZES[dtype][1]
    rng = np.random.default_rng(0)
    d = rng.integers(0, 0x7C00, n, np.uint16).view(np.float16)
    ratio = np.concatenate([rng.uniform(-40, 20, n // 2), rng.choice([-31, -16, -15, -8, -7.5, -1, 0, 1], n - n // 2)])
    m = np.clip(d * ratio, -65504, 65504).astype(np.float16)
    for fill in (0x00, 0xFF):
        blocks = np.full((n, 4, size), fill, np.uint8)
        blocks[:, :, :4] = np.stack([d, m], axis=1).view(np.uint8)[:, None]
        raw = blocks.reshape(n, -1)
        w = weights.dequantize(raw, dtype).sum(axis=1)
        for sign in (1, -1):
            x = np.full((1, 128), sign * 3.9999998, np.float32)
            got = oracle.matmul_exact(dtype, raw, n, 128, x)[0]
            scale = 128 * 4 * (np.abs(d.astype(np.float64)) * 32 + np.abs(m.astype(np.float64)))
            assert (np.abs(got - w * x[0, 0]) <= 1e-3 * scale).all()


@pytest.mark.parametrize("k", [1, 32, 33, 256, quants.MAX_K])
def test_no_sum_of_float_weights_overflows(k: int) -> None:
    for w in (1.9999999, -1.9999999):
        for x in (1.9999999, -1.9999999):
            got = product(np.full((1, k), w), np.full((1, k), x))
            assert got[0, 0] == pytest.approx(w * x * k, rel=1e-3)


def test_float_weights_take_the_bits_that_their_sums_leave() -> None:
    """Blocks with sums on both sides of both limits, times activations of equal magnitude."""
    for size in (0.4, 0.49, 0.4999, 0.5, 0.9, 0.9999, 1.0, 1.9999999):
        w = np.full((1, 32), size, np.float32)
        w[0, 0] = 1.9999999
        for x in (1.9999999, -1.9999999):
            assert product(w, np.full((1, 32), x))[0, 0] == pytest.approx(w.sum(dtype=np.float64) * x, rel=2e-4)


def test_every_value_of_a_block_maximum_quantises_to_127() -> None:
    """Step 5 for all of 16384..32767; the oracle asserts that all intermediates fit in 16 bits."""
    mantissa = np.arange(16384, 32768, dtype=np.uint32)
    x = np.zeros((16384, 32), np.float32)
    x[:, 5] = (0x3F800000 | (mantissa - 16384) << 9).view(np.float32)
    x[:, 6] = -x[:, 5]
    act = oracle.activations(x, int8=True)
    assert (act.q[:, 0, 5] == 127).all()
    assert (act.q[:, 0, 6] == -127).all()
    scale = act.da[:, 0] * np.ldexp(1.0, act.exponent - 147)
    np.testing.assert_allclose(127 * scale, x[:, 5], rtol=2e-4)


def test_small_products_are_exact() -> None:
    assert product([2], [3])[0, 0] == 6
    assert product([-0.5], [0.75])[0, 0] == -0.375
    np.testing.assert_array_equal(product(np.eye(33), np.arange(33)), [np.arange(33)])


WITH_HALVES = [dtype for dtype in weights.TYPES if weights.F16_AT.get(dtype, (0,))]  # types that can hold NaN


@pytest.mark.parametrize("dtype", WITH_HALVES, ids=lambda dtype: dtype.name)
def test_nan_and_infinity_make_their_result_row_or_column_nan_and_no_other(dtype: Q) -> None:
    n, k = 3, 512
    raw = weights.quantize(accuracy.normal(n, k, seed=1), dtype)
    x = accuracy.normal(4, k, seed=2)
    good = oracle.matmul_exact(dtype, raw, n, k, x)
    assert np.isfinite(good).all()
    x[1, 300], x[2, 0] = np.nan, -np.inf
    raw = raw.copy()
    if dtype in FLOATS:
        element = np.array([np.inf], np.float16 if dtype == Q.F16 else np.float32).view(np.uint8)
        element = element[2:] if dtype == Q.BF16 else element
        raw[1, : len(element)] = element
    else:
        at = weights.F16_AT[dtype][-1]
        raw[1, at : at + 2] = np.array([np.inf], np.float16).view(np.uint8)
    got = oracle.matmul_exact(dtype, raw, n, k, x)
    lost = np.zeros((4, n), bool)
    lost[1:3], lost[:, 1] = True, True
    assert (bits(got)[lost] == 0x7FC00000).all()
    np.testing.assert_array_equal(bits(got)[~lost], bits(good)[~lost])


def test_zeros_win_over_signs_and_nan_over_zeros() -> None:
    assert (bits(product([[0, 0], [-1, 0]], [[-1, 1], [0, -1]])) == [[0, 0x3F800000], [0, 0]]).all()
    assert np.isnan(product([np.nan, 1], [0, 0])).all()
    assert np.isnan(product([0, 0], [np.inf, 0])).all()


def test_results_out_of_float32_range_become_zero_or_infinity() -> None:
    tiny, huge = np.float32(2.0**-80), np.float32(2.0**100)
    assert (bits(product([[tiny], [-tiny]], [tiny])) == 0).all()
    np.testing.assert_array_equal(product([[huge], [-huge]], [huge]), [[np.inf, -np.inf]])
    assert product([2.0**-60], [2.0**-66])[0, 0] == 2.0**-126
    assert bits(product([2.0**-61], [2.0**-66]))[0, 0] == 0
    assert product([2.0**60], [2.0**67])[0, 0] == 2.0**127
    assert product([2.0**-149], [2.0**30])[0, 0] == 2.0**-119


def test_activations_below_2_to_minus_95_are_zero_and_beside_larger_ones_fade() -> None:
    assert product([2.0**90], [2.0**-96])[0, 0] == 0
    assert product([2.0**90], [2.0**-95])[0, 0] == 2.0**-5
    x = np.zeros(64)
    x[0], x[32] = 1, 2.0**-20
    assert product(np.ones(64), x)[0, 0] == 1 + 2.0**-20
    x[32] = 2.0**-32
    assert product(np.ones(64), x)[0, 0] == 1


@pytest.mark.parametrize("dtype", weights.TYPES, ids=NAMES)
def test_a_result_depends_on_its_two_rows_only(dtype: Q) -> None:
    n, k = 40, 768
    raw = weights.random_bytes(dtype, n, k, np.random.default_rng(9))
    x = accuracy.outliers(6, k, seed=9)
    whole = bits(oracle.matmul_exact(dtype, raw, n, k, x))
    np.testing.assert_array_equal(bits(oracle.matmul_exact(dtype, raw[7:9], 2, k, x[2:3])), whole[2:3, 7:9])


def test_llama_cpp_round_trips_are_within_their_step() -> None:
    x = accuracy.outliers(5, 512, seed=3)
    x[0, :256] = 0
    for got, block, steps in ((accuracy.q8_0_round_trip(x), 32, 0.56), (accuracy.q8_k_round_trip(x), 256, 0.5001)):
        step = np.abs(x.reshape(5, -1, block)).max(axis=2, keepdims=True) / 127
        assert (np.abs(got - x).reshape(5, -1, block) <= steps * step).all()


@pytest.mark.parametrize(
    ("dtype", "limit"),
    [
        (Q.Q2_K, 0.12),
        (Q.Q3_K, 3e-2),
        (Q.Q4_K, 8e-3),
        (Q.Q5_K, 2e-3),
        (Q.Q6_K, 5e-4),
        (Q.IQ4_NL, 8e-3),
        (Q.IQ4_XS, 8e-3),
    ],
    ids=str,
)
def test_the_quantizers_of_the_tests_are_honest(dtype: Q, limit: float) -> None:
    w = accuracy.normal(64, 1024, seed=4)
    w[3] = 0
    assert accuracy.nmse(weights.dequantize(weights.quantize(w, dtype), dtype), w.astype(np.float64)) < limit
