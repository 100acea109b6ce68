# SPDX-License-Identifier: MIT
"""Repacking: taking the tiles apart by the index arithmetic of docs/arithmetic.md gives the weights back."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import oracle
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon import quants
from pyhexagon.errors import ArgumentError, UnsupportedError

U8 = npt.NDArray[np.uint8]
SIZES = (1, 31, 33, 64, 65, 127, 1000)
BLOCK = {Q.F32: 1, Q.F16: 1, Q.Q4_0: 32, Q.Q8_0: 32, Q.Q4_K: 256, Q.Q6_K: 256}
FLOATS = (Q.F32, Q.F16)
QUANTIZED = tuple(dtype for dtype in weights.TYPES if dtype not in FLOATS)


def lengths(dtype: Q) -> tuple[int, ...]:
    return (1, 31, 32, 33, 200) if dtype in FLOATS else (BLOCK[dtype], 3 * BLOCK[dtype])


def repacked(dtype: Q, raw: U8, n: int, k: int) -> U8:
    tiles = np.full(quants.tile_bytes(dtype, n, k), 0xA5, np.uint8)
    quants.repack(dtype, raw, n, k, tiles)
    return tiles


@dataclass
class Unpacked:
    """All rows of the tiles, those past n included."""

    codes: npt.NDArray[np.int64]  # (rows, K)
    scales: npt.NDArray[np.int64]  # (rows, n_scales)
    minimums: npt.NDArray[np.int64]  # (rows, K / 32)
    dm: npt.NDArray[np.int64]  # (rows, K / 256)
    exponent: npt.NDArray[np.int64]
    shift_t: npt.NDArray[np.int64]
    shift_m: npt.NDArray[np.int64]


def scale_vector(vector: U8) -> npt.NDArray[np.int64]:
    numbers = vector.view("<i2").astype(np.int64)
    return np.array([numbers[2 * (row % 32) + row // 32] for row in range(64)])


def unpack_block(dtype: Q, take: "Vectors") -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int64]]]:
    """One block of 32 k: codes (64, 32) and one or two rows of scales."""
    codes = np.zeros((64, 32), np.int64)
    c = np.arange(4)
    i = np.arange(32)[:, None]
    if dtype in (Q.Q4_0, Q.Q4_K, Q.Q6_K):
        for j in range(8):
            vector = take()[4 * i + c].astype(np.int64)
            codes[:32, 4 * j : 4 * j + 4] = vector % 16
            codes[32:, 4 * j : 4 * j + 4] = vector // 16
    elif dtype == Q.Q8_0:
        for j in range(8):
            for half in range(2):
                codes[32 * half : 32 * half + 32, 4 * j : 4 * j + 4] = take()[4 * i + c].astype(np.int64) - 128
    else:
        for j in range(16):
            for half in range(2):
                numbers = take().view("<i2")
                codes[32 * half : 32 * half + 32, 2 * j : 2 * j + 2] = numbers[2 * i + np.arange(2)]
    if dtype == Q.Q4_0:
        codes -= 8
    if dtype == Q.Q6_K:
        for v in range(4):
            vector = take()[4 * i + c].astype(np.int64)
            codes[:32, 8 * v : 8 * v + 4] += vector % 4 * 16
            codes[32:, 8 * v : 8 * v + 4] += vector // 4 % 4 * 16
            codes[:32, 8 * v + 4 : 8 * v + 8] += vector // 16 % 4 * 16
            codes[32:, 8 * v + 4 : 8 * v + 8] += vector // 64 * 16
        codes -= 32
    return codes, [scale_vector(take()) for _ in range(2 if dtype == Q.Q6_K else 1)]


class Vectors:
    """Hands out the 128-byte vectors of a tile in order."""

    def __init__(self, body: U8) -> None:
        self._left = list(body.reshape(-1, 128))[::-1]

    def __call__(self) -> U8:
        return self._left.pop()

    def __len__(self) -> int:
        return len(self._left)


def unpack(dtype: Q, tiles: U8, n: int, k: int) -> Unpacked:
    parts: list[list[npt.NDArray[np.int64]]] = [[] for _ in range(7)]
    for tile in tiles.reshape(-(-n // 64), -1):
        words = tile[:256].view("<u4").astype(np.int64)
        exponent = words % 65536
        take = Vectors(tile[256:])
        codes, scales, minimums, dms = [], [], [np.zeros((64, 0), np.int64)], []
        for block in range(-(-k // 32)):
            block_codes, block_scales = unpack_block(dtype, take)
            codes.append(block_codes)
            scales += block_scales
            if dtype == Q.Q4_K and block % 8 == 7:
                quads = [take().reshape(32, 4) for _ in range(4)]
                minimums.append(np.block([[quads[0], quads[1]], [quads[2], quads[3]]]).astype(np.int64))
                dms.append(scale_vector(take()))
        assert not len(take)
        tile_parts = (
            np.hstack(codes)[:, :k],
            np.stack(scales, axis=1),
            np.hstack(minimums),
            np.stack(dms, axis=1) if dms else np.zeros((64, 0), np.int64),
            np.where(exponent > 32767, exponent - 65536, exponent),
            words >> 16 & 0xFF,
            words >> 24,
        )
        for whole, part in zip(parts, tile_parts, strict=True):
            whole.append(part)
    return Unpacked(*(np.concatenate(part) for part in parts))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
def test_tiles_hold_the_codes_scales_and_exponents_of_the_file(dtype: Q, n: int) -> None:
    for k in lengths(dtype):
        raw = weights.random_bytes(dtype, n, k, np.random.default_rng([n, k]))
        got = unpack(dtype, repacked(dtype, raw, n, k), n, k)
        want = oracle.weights(dtype, raw, n, k)
        np.testing.assert_array_equal(got.codes[:n], want.w.reshape(n, -1)[:, :k])
        np.testing.assert_array_equal(got.scales[:n], want.s)
        np.testing.assert_array_equal(got.exponent[:n], want.exponent)
        np.testing.assert_array_equal(got.shift_t[:n], want.shift_t)
        np.testing.assert_array_equal(got.shift_m[:n], want.shift_m)
        if want.minimums is not None and want.dm is not None:
            np.testing.assert_array_equal(got.minimums[:n], want.minimums.reshape(n, -1))
            np.testing.assert_array_equal(got.dm[:n], want.dm)
        for past_the_end in (got.scales[n:], got.exponent[n:], got.shift_t[n:], got.shift_m[n:], got.dm[n:]):
            assert not past_the_end.any()


@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
def test_tiles_hold_the_weights_that_gguf_dequantizes(dtype: Q) -> None:
    """Within half a step of the 16-bit scales (of the 12-bit weights of floats), without the oracle's help."""
    n, k = 130, 512
    w = np.random.default_rng(3).standard_normal((n, k), dtype=np.float32)
    raw = weights.quantize(w, dtype)
    got, want = unpack(dtype, repacked(dtype, raw, n, k), n, k), weights.dequantize(raw, dtype)
    n_groups = {Q.Q6_K: 8}.get(dtype, 4)
    ps, base = (15, 153) if dtype in FLOATS else ({Q.Q4_0: 0, Q.Q8_0: 4, Q.Q4_K: 1, Q.Q6_K: 1}[dtype], 147)
    unit = got.exponent + base - ps - got.shift_t - (n_groups - 1).bit_length() - 15
    value = got.codes * np.ldexp(got.scales, unit[:, None]).repeat(k // got.scales.shape[1], axis=1)
    if dtype == Q.Q4_K:
        unit_m = got.exponent + 147 - got.shift_m - 5 - 1 - 15
        d_minimums = np.ldexp(got.dm, unit_m[:, None]).repeat(8, axis=1) * got.minimums
        value -= d_minimums.repeat(32, axis=1)
    largest = np.abs(want).max(axis=1)
    assert (np.abs(value[:n] - want).max(axis=1) < largest * (2**-12 if dtype in FLOATS else 2**-14)).all()


@pytest.mark.parametrize("dtype", QUANTIZED, ids=lambda dtype: dtype.name)
def test_tiles_of_quantized_weights_take_at_most_8_percent_more_than_gguf(dtype: Q) -> None:
    info = quants.dtype_info(dtype)
    assert quants.tile_bytes(dtype, 1024, 1024) <= 1.08 * 1024 * 1024 // info.block_size * info.block_bytes


@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
def test_the_bits_do_not_depend_on_the_chunks(dtype: Q, monkeypatch: pytest.MonkeyPatch) -> None:
    n, k = 200, 1024 if dtype not in FLOATS else 1000
    raw = weights.random_bytes(dtype, n, k, np.random.default_rng(1))
    whole = repacked(dtype, raw, n, k)
    for chunk in (1, 20_000, 100_000):
        monkeypatch.setattr(quants, "_CHUNK_BYTES", chunk)
        np.testing.assert_array_equal(repacked(dtype, raw, n, k), whole)


@pytest.mark.parametrize("chunk", [1, 50_000, 1 << 20])
def test_progress_adds_up_to_the_bytes_of_the_file(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quants, "_CHUNK_BYTES", chunk)
    for dtype, k in ((Q.Q4_K, 512), (Q.F16, 333)):
        raw = weights.random_bytes(dtype, 150, k, np.random.default_rng(0))
        calls: list[int] = []
        out = np.empty(quants.tile_bytes(dtype, 150, k), np.uint8)
        quants.repack(dtype, raw, 150, k, out, progress=calls.append)
        assert sum(calls) == raw.nbytes


@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf], ids=str)
def test_a_row_with_nan_or_infinity_is_marked_and_its_neighbours_are_not(dtype: Q, value: float) -> None:
    n, k = 70, 512
    good = weights.random_bytes(dtype, n, k, np.random.default_rng(2))
    places = {Q.Q4_K: (0, 2), Q.Q6_K: (208,)}.get(dtype, (0,))
    size = quants.dtype_info(dtype).block_bytes
    for at in places:
        raw = good.copy()
        element = np.array(value, np.float32 if dtype == Q.F32 else np.float16).reshape(1).view(np.uint8)
        raw[66, size + at : size + at + element.nbytes] = element
        got, before = (unpack(dtype, repacked(dtype, bytes_, n, k), n, k) for bytes_ in (raw, good))
        assert got.exponent[66] == quants.ROW_NAN
        assert not got.scales[66].any()
        assert not got.dm[66].any()
        others = np.arange(128) != 66
        np.testing.assert_array_equal(got.exponent[others], before.exponent[others])
        np.testing.assert_array_equal(got.codes[others], before.codes[others])


def test_float_rows_with_nan_have_no_codes() -> None:
    w = np.ones((2, 40), np.float32)
    w[0, 3] = np.nan
    got = unpack(Q.F32, repacked(Q.F32, w.view(np.uint8), 2, 40), 2, 40)
    assert not got.codes[0].any()
    assert (got.codes[1] == 2048).all()


def test_signalling_nans_are_found() -> None:
    w = np.full((1, 32), 0x7F800001, np.uint32)
    assert unpack(Q.F32, repacked(Q.F32, w.view(np.uint8), 1, 32), 1, 32).exponent[0] == quants.ROW_NAN


@pytest.mark.parametrize(("dtype", "sc"), [(Q.Q4_K, 51), (Q.Q6_K, 102)], ids=str)
def test_a_scale_that_rounds_up_to_2_to_15_takes_the_next_exponent(dtype: Q, sc: int) -> None:
    """1285 * 51 = 2^16 - 1 and its double: 32767.5 in 16 bits, a tie that goes to 32768."""
    raw = np.zeros((1, quants.dtype_info(dtype).block_bytes), np.uint8)
    at = 0 if dtype == Q.Q4_K else 208
    raw[0, at : at + 2] = np.array([1285], np.float16).view(np.uint8)
    raw[0, 4 if dtype == Q.Q4_K else 192] = sc
    got = unpack(dtype, repacked(dtype, raw, 1, 256), 1, 256)
    assert got.scales[0, 0] == 16384
    assert not got.scales[0, 1:].any()


def test_q4_k_shifts_bring_scales_and_minimums_to_one_unit() -> None:
    """Rows with d and dmin worlds apart, or one side all zero; the exponent grows beyond what a shift can say."""
    raw = weights.random_bytes(Q.Q4_K, 4, 256, np.random.default_rng(4))
    raw[:, 4:16] = 0b00100001  # every sc and minimum is small and not zero
    halves = raw.view(np.uint16).reshape(4, -1)
    smallest, largest = 0x0001, 0x7BFF
    halves[:, :2] = [(smallest, largest), (largest, smallest), (0, largest), (largest, 0)]
    got = unpack(Q.Q4_K, repacked(Q.Q4_K, raw, 4, 256), 4, 256)
    assert (got.shift_t[0], got.shift_m[0]) == (31, 1)
    assert (got.shift_t[1], got.shift_m[1]) == (1, 31)
    assert (got.shift_t[2:4] == 1).all()
    assert (got.shift_m[2:4] == 1).all()
    # dmin = 65504: Em = 16, and T' counts in 2^(Em + 5 - 147 + 1).
    assert got.exponent[0] == got.exponent[2] == 16 + 5 - 147 + 1


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
    assert quants.supported() == (Q.F32, Q.F16, Q.Q4_0, Q.Q8_0, Q.Q4_K, Q.Q6_K)
    assert quants.dtype_info(Q.Q6_K) == quants.DTypeInfo("Q6_K", 14, 256, 210, True)
    assert not quants.dtype_info(Q.IQ2_XS).supported
    assert quants.from_numpy(np.float32) == Q.F32
    assert quants.from_numpy(np.dtype("f2")) == Q.F16
    with pytest.raises(ArgumentError, match="float64"):
        quants.from_numpy(np.float64)


def test_what_does_not_fit_is_refused() -> None:
    raw = weights.random_bytes(Q.Q4_0, 3, 64, np.random.default_rng(0))
    out = np.empty(quants.tile_bytes(Q.Q4_0, 3, 64), np.uint8)
    with pytest.raises(UnsupportedError, match="IQ2_XS"):
        quants.tile_bytes(Q.IQ2_XS, 1, 256)
    for shape in ((0, 32), (1, 0), (1, 33), (1, 1 << 21)):
        with pytest.raises(ArgumentError):
            quants.tile_bytes(Q.Q4_0, *shape)
    wrong: tuple[npt.NDArray[Any], ...] = (raw[:2], raw[:, 1:], raw.view(np.int8), np.asfortranarray(raw))
    for blocks in wrong:
        with pytest.raises(ArgumentError, match="expected whole rows"):
            quants.repack(Q.Q4_0, blocks, 3, 64, out)
    wrong = (out[1:], out[::-1], out.view(np.uint32))
    for room in wrong:
        with pytest.raises(ArgumentError, match="room for tiles"):
            quants.repack(Q.Q4_0, raw, 3, 64, room)
