# SPDX-License-Identifier: MIT
"""CPY through programs: the same bits on every kernel, equal to gguf's, with any strides."""

from __future__ import annotations

from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
import pytest
from gguf import GGMLQuantizationType as Q

from ops.rows import numbers, run
from pyhexagon import Device
from pyhexagon.errors import ArgumentError, UnsupportedError

Bytes = npt.NDArray[np.uint8]
TYPES = ("F32", "F16", "BF16", "Q8_0", "Q4_0")
ALL_F16 = np.arange(65536, dtype=np.uint16).view(np.float16)


def values() -> npt.NDArray[np.float32]:
    """Return blocks of every kind: normal, ties, of very different sizes, constant, zero."""
    rng = np.random.default_rng(1)
    parts = [
        rng.standard_normal(1600),
        rng.integers(-127, 128, 640) / 2,
        rng.integers(-16, 17, 640) / 2 * rng.choice([1, 1 / 3, 7], 640),
        rng.standard_normal(1600) * 2.0 ** np.repeat(rng.integers(-100, 15, 50), 32),
        np.repeat(rng.standard_normal(18), 32) * rng.choice([1, -1], 576),
        np.zeros(32),
        -np.zeros(32),
    ]
    return np.concatenate(parts).astype(np.float32).reshape(5, 1024)


def stored(x: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Return the host's representation of x as this type."""
    with np.errstate(over="ignore"):
        if name in ("F32", "F16"):
            return x.astype(np.float32 if name == "F32" else np.float16)
        return gguf.quantize(x.astype(np.float32), Q[name]).view(np.uint8)


def read(array: npt.NDArray[Any], name: str) -> npt.NDArray[np.float32]:
    return array.astype(np.float32) if name in ("F32", "F16") else gguf.dequantize(array, Q[name])


@pytest.mark.parametrize("to", TYPES)
@pytest.mark.parametrize("of", TYPES)
def test_every_type_becomes_every_other_one_with_the_bits_of_gguf(device: Device, of: str, to: str) -> None:
    x = values()
    given = stored(x, of)
    got = run(device, lambda p, _: p.cpy(p.input(x.shape, of), to), given, typed=True)
    want = given if of == to else stored(read(given, of), to)
    np.testing.assert_array_equal(got.view(np.uint8), want.view(np.uint8))


def test_float16_is_exact_for_all_numbers(device: Device) -> None:
    wide = run(device, lambda p, x: p.cpy(x, np.float32), ALL_F16.reshape(64, 1024))
    np.testing.assert_array_equal(wide, ALL_F16.reshape(64, 1024).astype(np.float32))
    back = run(device, lambda p, x: p.cpy(x, np.float16), wide)
    np.testing.assert_array_equal(back, ALL_F16.reshape(64, 1024))
    assert (np.signbit(back) == np.signbit(ALL_F16.reshape(64, 1024))).all()


def test_numbers_between_two_float16_go_to_the_nearest_even_one(device: Device) -> None:
    halves = ALL_F16[np.isfinite(ALL_F16) & (ALL_F16 >= 0)].astype(np.float32)
    middle = ((halves[:-1].astype(np.float64) + halves[1:]) / 2).astype(np.float32)
    x = np.concatenate([middle, np.nextafter(middle, np.float32(0)), np.nextafter(middle, np.float32(1e9))])
    x = np.concatenate([x, -x, np.array([65519.99, 65520, 1e30, np.inf, -np.inf, 1e-30, -1e-45], np.float32)])[None]
    with np.errstate(over="ignore"):
        want = x.astype(np.float16)
    got = run(device, lambda p, v: p.cpy(v, "F16"), x)
    np.testing.assert_array_equal(got.view(np.uint16), want.view(np.uint16))
    assert np.isnan(run(device, lambda p, v: p.cpy(v, "F16"), np.array([[np.nan, 1]], np.float32))[0, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
def test_strides_of_all_kinds(device: Device, dtype: type) -> None:
    x: npt.NDArray[Any] = (numbers(3, 5, 67, 33) * 100).clip(-30000, 30000).astype(dtype)
    for axes in ((0, 1, 3, 2), (3, 1, 2, 0)):
        got = run(device, lambda p, v: p.cpy(v.transpose(*axes)), x)  # noqa: B023
        np.testing.assert_array_equal(got, x.transpose(axes))
    got = run(device, lambda p, v: p.cpy(v[1:, ::2, 3:, 1::4]), x)
    np.testing.assert_array_equal(got, x[1:, ::2, 3:, 1::4])
    got = run(device, lambda p, v: p.cpy(v[:, :1, :1].broadcast_to((3, 4, 2, 33))), x)
    np.testing.assert_array_equal(got, np.broadcast_to(x[:, :1, :1], (3, 4, 2, 33)))


def test_columns_become_blocks(device: Device) -> None:
    x = numbers(64, 45)
    got = run(device, lambda p, v: p.cpy(v.T, "Q8_0"), x)
    np.testing.assert_array_equal(got, gguf.quantize(np.ascontiguousarray(x.T), Q.Q8_0))


@pytest.mark.parametrize(("name", "codes"), [("Q8_0", 0), ("Q4_0", 0x88)])
def test_special_blocks(device: Device, name: str, codes: int) -> None:
    x = numbers(4, 96, seed=4) / 2**10
    x[0, 3], x[1, 33], x[2] = np.nan, -np.inf, 2.0**-111
    got = run(device, lambda p, v: p.cpy(v, name), x)
    size = 34 if name == "Q8_0" else 18
    blocks = got.reshape(4, 3, size)
    for bad in (blocks[0, 0], blocks[1, 1]):
        assert np.isnan(bad[:2].view(np.float16)[0])
        assert (bad[2:] == codes).all()
    assert (blocks[2, :, 2:] == codes).all()
    assert not (np.ascontiguousarray(blocks[2, :, :2]).view(np.uint16) & 0x7FFF).any()
    clean = numbers(4, 96, seed=4) / 2**10
    np.testing.assert_array_equal(blocks[3], gguf.quantize(clean, Q[name]).reshape(4, 3, size)[3])
    np.testing.assert_array_equal(blocks[0, 1:], gguf.quantize(clean, Q[name]).reshape(4, 3, size)[0, 1:])


def test_scales_that_are_special_come_back_as_ieee_has_them(device: Device) -> None:
    blocks = np.zeros((3, 34), np.uint8)
    blocks[:, 2:4] = [1, 255]
    blocks[:, :2] = np.array([np.inf, np.nan, -np.inf], np.float16).view(np.uint8).reshape(3, 2)
    got = run(device, lambda p, _: p.cpy(p.input((3, 32), "Q8_0"), "F32"), blocks, typed=True)
    np.testing.assert_array_equal(got[0, :3], [np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(got[2, :3], [-np.inf, np.inf, np.nan])
    assert np.isnan(got[1]).all()


def test_what_cannot_be_copied_is_refused(device: Device) -> None:
    p = device.program()
    with pytest.raises(ArgumentError, match="multiple of 32"):
        p.cpy(p.input((3, 33)), "Q8_0")
    with pytest.raises(UnsupportedError, match="integers cannot be converted"):
        p.cpy(p.input((3, 32), np.int32), "F32")
    with pytest.raises(ArgumentError, match="its rows stay whole"):
        p.input((4, 64), "Q8_0").transpose()
    with pytest.raises(ArgumentError, match="its rows stay whole"):
        p.input((4, 64), "Q8_0")[:, :1]
    with pytest.raises(ArgumentError, match="blocks of 32 stay whole"):
        p.input((4, 64), "Q8_0").reshape(16, 16)
