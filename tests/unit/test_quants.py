# SPDX-License-Identifier: MIT
"""Repacking: unpacking the tiles by the index arithmetic of docs/arithmetic.md gives the weights back."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import oracle
import pytest
import recoding
import repacking
import weights
from gguf import GGMLQuantizationType as Q
from unpacking import SIX_BITS, Unpacked, unpack

from pyhexagon import quants
from pyhexagon._ffi import contract
from pyhexagon.elements import KERNEL_ELEMENTS
from pyhexagon.errors import ArgumentError, UnsupportedError

U8 = npt.NDArray[np.uint8]
SIZES = (1, 31, 33, 64, 65, 127, 1000)
FLOATS = weights.FLOATS
QUANTIZED = tuple(dtype for dtype in weights.TYPES if dtype not in FLOATS)
ALL = (*weights.TYPES, *weights.RECODED)
EVERY_TYPE = pytest.mark.parametrize("dtype", ALL, ids=lambda dtype: dtype.name)
WITH_HALVES = tuple(dtype for dtype in ALL if weights.F16_AT.get(dtype, (0,)))  # types that can hold NaN

TWO_ROUNDINGS = (Q.Q4_1, Q.Q5_1, Q.Q2_K, Q.Q3_K, Q.IQ4_XS, Q.IQ3_S)
# The bytes of tiles relative to GGUF's, of types whose tiles are less dense: the table of docs/arithmetic.md.
DENSITIES = {
    Q.TQ1_0: 2.05,
    Q.TQ2_0: 1.68,
    Q.IQ1_S: 3.21,
    Q.IQ1_M: 2.87,
    Q.IQ2_XXS: 2.43,
    Q.IQ2_XS: 2.17,
    Q.IQ2_S: 1.96,
    Q.IQ3_XXS: 1.64,
    Q.IQ3_S: 1.32,
    Q.NVFP4: 1.12,
}


def block_size(dtype: Q) -> int:
    return quants.dtype_info(dtype).block_size


def lengths(dtype: Q) -> tuple[int, ...]:
    return (1, 31, 32, 33, 200) if dtype in FLOATS else (block_size(dtype), 3 * block_size(dtype))


def repacked(dtype: Q, raw: U8, n: int, k: int) -> U8:
    tiles = np.full(quants.tile_bytes(dtype, n, k), 0xA5, np.uint8)
    quants.repack(dtype, raw, n, k, tiles)
    return tiles


def repacked_and_unpacked(dtype: Q, raw: U8, n: int, k: int) -> Unpacked:
    return unpack(dtype, repacked(dtype, raw, n, k), n, k)


def compare_with_oracle(dtype: Q, raw: U8, n: int, k: int) -> None:
    got = repacked_and_unpacked(dtype, raw, n, k)
    rows = len(got.codes)
    padded = np.concatenate([raw, np.zeros((rows - n, raw.shape[1]), np.uint8)])
    want = oracle.weights(dtype, padded, rows, k)
    np.testing.assert_array_equal(got.codes, want.w.reshape(rows, -1)[:, :k])
    np.testing.assert_array_equal(got.scales, want.s)
    np.testing.assert_array_equal(got.exponent, want.exponent)
    np.testing.assert_array_equal(got.shift_t, want.shift_t)
    np.testing.assert_array_equal(got.shift_m, want.shift_m)
    if want.m16 is not None:
        np.testing.assert_array_equal(got.m16, want.m16)
    if want.minimums is not None and want.dm is not None:
        np.testing.assert_array_equal(got.minimums, want.minimums.reshape(rows, -1))
        np.testing.assert_array_equal(got.dm, want.dm)


@pytest.mark.parametrize("n", SIZES)
@EVERY_TYPE
def test_tiles_hold_the_codes_scales_and_exponents_of_the_file(dtype: Q, n: int) -> None:
    for k in lengths(dtype):
        compare_with_oracle(dtype, weights.random_bytes(dtype, n, k, np.random.default_rng([n, k])), n, k)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_scales_of_floats_around_the_largest_sums(dtype: Q) -> None:
    """2048 and 31 smaller numbers: the scale depends on their sum."""
    for total in (16384, 32768, 65536):
        sums = np.arange(total - 64, total + 65, 32)
        rows = np.full((len(sums), 32), total // 32 - 2048 // 32, np.float32)
        rows[:, 0] = 2048
        rows[:, 1] += sums - rows.sum(axis=1)
        compare_with_oracle(dtype, quants.quantise(rows, dtype), len(sums), 32)


@EVERY_TYPE
def test_tiles_hold_the_weights_that_gguf_dequantizes(dtype: Q) -> None:
    """Within a step or two of the 16-bit scales (of the 12 to 14 bits of floats), independently of the oracle."""
    n, k = 130, 512
    w = np.random.default_rng(3).standard_normal((n, k), dtype=np.float32)
    raw = weights.quantize(w, dtype)
    got, want = repacked_and_unpacked(dtype, raw, n, k), weights.dequantize(raw, dtype)
    two_roundings, dtype = dtype in TWO_ROUNDINGS, recoding.TILES.get(dtype, dtype)
    ps = {Q.Q5_0: 1, Q.Q5_1: 1, Q.Q8_0: 4, Q.Q4_K: 8, Q.Q5_K: 9, Q.Q6_K: 2, Q.IQ4_NL: 4, Q.IQ4_XS: 4, Q.MXFP4: 1}
    ps |= {Q.IQ3_XXS: 1, Q.IQ2_S: 2}
    shift = 15 if dtype in FLOATS else ps.get(dtype, 0)
    ds = {Q.Q2_K: 1, Q.Q3_K: 1, Q.Q4_K: 1, Q.Q5_K: 1, **dict.fromkeys(recoding.VALUES, 3)}.get(dtype, 2)
    unit = got.exponent + (153 if dtype in FLOATS else 147) - shift - got.shift_t - ds - 15
    value = got.codes * np.ldexp(got.scales, unit[:, None]).repeat(k // got.scales.shape[1], axis=1)
    if got.m16.size:
        value += np.ldexp(got.m16, (unit + 4 + shift)[:, None]).repeat(32, axis=1)
    if dtype in SIX_BITS:
        above = 3 if dtype == Q.Q4_K else 4
        value += (np.ldexp(got.dm, unit[:, None] + above).repeat(8, axis=1) * got.minimums).repeat(32, axis=1)
    elif got.dm.size:
        unit_m = got.exponent + 147 - got.shift_m - 3 - 1 - 15
        per_super = got.minimums.shape[1] // 2
        d_minimums = np.ldexp(got.dm, unit_m[:, None]).repeat(per_super, axis=1) * got.minimums
        value -= d_minimums.repeat(256 // per_super, axis=1)
    largest = np.abs(want).max(axis=1)
    limit = 2**-12 if dtype in FLOATS else 2**-13 if two_roundings else 2**-14
    assert (np.abs(value[:n] - want).max(axis=1) < largest * limit).all()


def dequantised(dtype: Q, raw: U8, n: int, k: int) -> npt.NDArray[np.float32]:
    out = np.empty((n, k), np.float32)
    quants.dequantise(dtype, repacked(dtype, raw, n, k), out)
    return out


@EVERY_TYPE
def test_tiles_are_dequantised_to_what_gguf_dequantizes(dtype: Q) -> None:
    limit = 2**-12 if dtype in FLOATS else 2**-13 if dtype in TWO_ROUNDINGS else 2**-14
    rng = np.random.default_rng(4)
    for n, k in ((1, 256), (130, 512), (65, 2304)):
        rows = rng.standard_normal((n, k), dtype=np.float32) * np.exp2(rng.integers(-9, 9, (n, 1))).astype(np.float32)
        raw = weights.quantize(rows, dtype)
        got, want = dequantised(dtype, raw, n, k), weights.dequantize(raw, dtype)
        assert (np.abs(got - want).max(axis=1) <= np.abs(want).max(axis=1) * limit).all()
        assert not dequantised(dtype, np.zeros_like(raw), n, k).any() or dtype == Q.MXFP4


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_floats_of_few_bits_are_dequantised_exactly(dtype: Q) -> None:
    n, k = 67, 45  # not whole tiles, nor whole blocks
    rows = np.random.default_rng(5).integers(-64, 64, (n, k)).astype(np.float32) / np.float32(8)
    rows[66, 3] = np.inf
    got = dequantised(dtype, weights.quantize(rows, dtype), n, k)
    np.testing.assert_array_equal(got[:66], rows[:66])
    assert np.isnan(got[66]).all()


@EVERY_TYPE
def test_tiles_take_at_most_one_percent_more_than_gguf_or_what_the_page_says(dtype: Q) -> None:
    info = quants.dtype_info(dtype)
    gguf_bytes = 1024 * 4096 // info.block_size * info.block_bytes
    assert quants.tile_bytes(dtype, 1024, 4096) <= DENSITIES.get(dtype, 1.01) * gguf_bytes


@EVERY_TYPE
def test_the_bits_are_those_of_the_specification(dtype: Q) -> None:
    step = 1 if dtype in FLOATS else block_size(dtype)
    for n, k in ((1, step), (65, 3 * step), (130, 2048), (64, 45 * step), (70, 8192)):
        rng = np.random.default_rng([n, k])
        every_bit = rng.integers(0, 256, (n, quants.dtype_info(dtype).block_bytes * (k // block_size(dtype))), np.uint8)
        with_zeros = weights.random_bytes(dtype, n, k, rng)
        with_zeros[::3] = 0
        for raw in (weights.random_bytes(dtype, n, k, rng), every_bit, with_zeros):
            with np.errstate(all="ignore"):  # of signalling NaNs
                want = repacking.repack(dtype, raw, n, k)
            np.testing.assert_array_equal(repacked(dtype, raw, n, k), want)


def test_the_bits_of_floats_near_the_ends_of_their_range_are_those_of_the_specification() -> None:
    rng = np.random.default_rng(6)
    for dtype, bits in ((Q.F32, 23), (Q.BF16, 7), (Q.F16, 10)):
        word = np.uint32 if dtype == Q.F32 else np.uint16
        highest = 31 if dtype == Q.F16 else 255
        for exponent in (0, 1, 2, 13, highest - 2, highest - 1):
            numbers = rng.integers(0, 1 << bits, (70, 96)) | exponent << bits
            raw = numbers.astype(word).view(np.uint8)
            np.testing.assert_array_equal(repacked(dtype, raw, 70, 96), repacking.repack(dtype, raw, 70, 96))


@EVERY_TYPE
def test_rows_need_not_follow_each_other(dtype: Q) -> None:
    raw = weights.random_bytes(dtype, 150, 512, np.random.default_rng(1))
    np.testing.assert_array_equal(repacked(dtype, raw[::2], 75, 512), repacked(dtype, raw[::2].copy(), 75, 512))


@pytest.mark.parametrize("dtype", WITH_HALVES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf], ids=str)
def test_a_row_with_nan_or_infinity_is_marked_and_its_neighbours_are_not(dtype: Q, value: float) -> None:
    n, k = 70, 512
    good = weights.random_bytes(dtype, n, k, np.random.default_rng(2))
    size = quants.dtype_info(dtype).block_bytes
    element = np.array([value], np.float32 if dtype in (Q.F32, Q.BF16) else np.float16).view(np.uint8)
    for at in weights.F16_AT.get(dtype, (0,)):
        raw = good.copy()
        bytes_of_it = element[2:] if dtype == Q.BF16 else element
        raw[66, size + at : size + at + len(bytes_of_it)] = bytes_of_it
        got, before = (repacked_and_unpacked(dtype, bytes_, n, k) for bytes_ in (raw, good))
        assert got.exponent[66] == quants.ROW_NAN
        assert not got.scales[66].any()
        assert not got.dm[66].any()
        assert not got.m16[66].any()
        others = np.arange(128) != 66
        np.testing.assert_array_equal(got.exponent[others], before.exponent[others])
        np.testing.assert_array_equal(got.codes[others], before.codes[others])


def test_float_rows_with_nan_have_no_codes() -> None:
    w = np.ones((2, 40), np.float32)
    w[0, 3] = np.nan
    got = unpack(Q.F32, repacked(Q.F32, w.view(np.uint8), 2, 40), 2, 40)
    assert not got.codes[0].any()
    np.testing.assert_array_equal(got.codes[1], [2048] * 32 + [8192] * 8)


def test_signalling_nans_are_found() -> None:
    w = np.full((1, 32), 0x7F800001, np.uint32)
    assert unpack(Q.F32, repacked(Q.F32, w.view(np.uint8), 1, 32), 1, 32).exponent[0] == quants.ROW_NAN


@pytest.mark.parametrize("dtype", [Q.F32, Q.BF16], ids=lambda dtype: dtype.name)
def test_the_smallest_floats_are_repacked_exactly(dtype: Q) -> None:
    """Their inverse does not fit float32. Beside a block of ordinary numbers in the same row they fade."""
    w = np.zeros((1, 64), np.float32)
    w[0, :3] = 2.0**-133, -3 * 2.0**-130, 2.0**-120
    w[0, 32:] = 1.5
    for part in (w[:, :32], w):
        raw = weights.quantize(np.ascontiguousarray(part), dtype)
        got = repacked_and_unpacked(dtype, raw, 1, part.shape[1])
        want = oracle.weights(dtype, raw, 1, part.shape[1])
        np.testing.assert_array_equal(got.codes[:1], want.w.reshape(1, -1))
        np.testing.assert_array_equal(got.codes[0, :3], [0, 0, 0] if part is w else [1, -24, 8192])


def test_mxfp4_scales_are_powers_of_two_down_from_the_largest_of_the_row() -> None:
    raw = np.zeros((1, 4 * 17), np.uint8)
    raw[0, ::17] = 255, 254, 241, 0
    got = repacked_and_unpacked(Q.MXFP4, raw, 1, 128)
    np.testing.assert_array_equal(got.scales[0], [16384, 8192, 1, 0])
    assert got.exponent[0] == 1 + (255 - 127) - 147


def test_q4_1_weights_of_a_row_stay_within_the_common_accumulator() -> None:
    """d and m at both ends of float16: the larger one decides the exponent."""
    halves = [(65504, -65504), (2.0**-24, 65504), (65504, 2.0**-24), (-65504, -65504), (0, 65504), (65504, 0), (0, 0)]
    raw = np.zeros((len(halves), 20), np.uint8)
    raw[:, :4] = np.array(halves, np.float16).view(np.uint8)
    got = repacked_and_unpacked(Q.Q4_1, raw, len(halves), 32)
    weight = (np.array([-8, 7]) * got.scales[: len(halves)] / 16 + got.m16[: len(halves)])[:-1]
    largest = np.abs(weight).max(axis=1)
    assert (largest <= 16381).all()
    assert (largest >= 8190).all()
    assert not got.exponent[len(halves) - 1]


def test_q2_k_shifts_bring_scales_and_minimums_to_one_unit() -> None:
    """Rows with d and dmin far apart, or one of them all zero; the exponent grows beyond the range of the shift."""
    raw = weights.random_bytes(Q.Q2_K, 4, 256, np.random.default_rng(4))
    raw[:, :16] = 0x22  # every sc and minimum is small and not zero
    halves = raw.view(np.uint16).reshape(4, -1)
    smallest, largest = 0x0001, 0x7BFF
    halves[:, 40:] = [(smallest, largest), (largest, smallest), (0, largest), (largest, 0)]
    got = unpack(Q.Q2_K, repacked(Q.Q2_K, raw, 4, 256), 4, 256)
    assert (got.shift_t[0], got.shift_m[0]) == (31, 1)
    assert (got.shift_t[1], got.shift_m[1]) == (1, 31)
    assert (got.shift_t[2:4] == 1).all()
    assert (got.shift_m[2:4] == 1).all()
    # dmin = 65504: Em = 16, and T' counts in 2^(Em + 3 - 147 + 1).
    assert got.exponent[0] == got.exponent[2] == 16 + 3 - 147 + 1


@pytest.mark.parametrize(("dtype", "above", "unit"), [(Q.Q4_K, 4, 9), (Q.Q5_K, 5, 10)], ids=["Q4_K", "Q5_K"])
def test_scales_and_minimums_of_six_bits_share_an_exponent(dtype: Q, above: int, unit: int) -> None:
    """The larger side decides, with dmin counted as 2^-above: also with d and dmin far apart, or one all zero."""
    raw = weights.random_bytes(dtype, 5, 256, np.random.default_rng(4))
    raw[:, 4:16] = 0b00100001
    smallest, largest = 0x0001, 0x7BFF
    halves = [(smallest, largest), (largest, smallest), (0, largest), (largest, 0), (0, 0)]
    raw.view(np.uint16).reshape(5, -1)[:, :2] = halves
    got = repacked_and_unpacked(dtype, raw, 5, 256)
    np.testing.assert_array_equal(got.dm[:5, 0], [-32752, 0, -32752, 0, 0])
    np.testing.assert_array_equal(got.scales[:5, 0], [0, 33 * 16376, 0, 33 * 16376, 0])
    of_d = 16 + unit - 147  # T counts in 2^(En + unit - 147)
    np.testing.assert_array_equal(got.exponent[:5], [of_d - above, of_d, of_d - above, of_d, 0])
    assert not got.shift_t.any()
    assert not got.shift_m.any()


def test_weights_are_read_from_a_file_mapping_and_from_rows_with_a_stride(tmp_path: Path) -> None:
    raw = weights.random_bytes(Q.Q6_K, 65, 256, np.random.default_rng(5))
    want = repacked(Q.Q6_K, raw, 65, 256)
    raw.tofile(tmp_path / "raw")
    mapped = np.memmap(tmp_path / "raw", np.uint8, "r", shape=raw.shape)
    np.testing.assert_array_equal(repacked(Q.Q6_K, mapped, 65, 256), want)
    wide = np.zeros((65, 250), np.uint8)
    wide[:, 7:217] = raw
    np.testing.assert_array_equal(repacked(Q.Q6_K, wide[:, 7:217], 65, 256), want)


def test_supported_types_are_those_of_the_contract_and_know_their_blocks() -> None:
    types = (*quants.tile_types(), Q.I32, *KERNEL_ELEMENTS)
    assert {dtype.name: int(dtype) for dtype in types} == contract.DTYPES
    assert set(quants.tile_types()) == set(weights.TYPES)
    assert set(quants.supported()) == set(ALL)
    assert quants.dtype_info(Q.Q6_K) == quants.DTypeInfo("Q6_K", 14, 256, 210, True)
    assert not quants.dtype_info(Q.Q8_K).supported
    assert quants.from_numpy(np.float32) == Q.F32
    assert quants.from_numpy(np.dtype("f2")) == Q.F16
    with pytest.raises(ArgumentError, match="float64"):
        quants.from_numpy(np.float64)


def test_what_does_not_fit_is_refused() -> None:
    raw = weights.random_bytes(Q.Q4_0, 3, 64, np.random.default_rng(0))
    out = np.empty(quants.tile_bytes(Q.Q4_0, 3, 64), np.uint8)
    with pytest.raises(UnsupportedError, match="Q8_K"):
        quants.tile_bytes(Q.Q8_K, 1, 256)
    for shape in ((0, 32), (1, 0), (1, 33), (1, 1 << 21)):
        with pytest.raises(ArgumentError):
            quants.tile_bytes(Q.Q4_0, *shape)
    wrong: tuple[npt.NDArray[Any], ...] = (raw[:2], raw[:, 1:], raw.view(np.int8), np.asfortranarray(raw))
    for blocks in wrong:
        with pytest.raises(ArgumentError, match="expected whole rows"):
            quants.repack(Q.Q4_0, blocks, 3, 64, out)
    wrong = (out[1:], out[::-1], out.view(np.uint32))
    for room in wrong:
        with pytest.raises(ArgumentError, match="the tile buffer is"):
            quants.repack(Q.Q4_0, raw, 3, 64, room)
