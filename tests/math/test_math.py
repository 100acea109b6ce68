# SPDX-License-Identifier: MIT
"""dsp/math: hvx against ref lane by lane in qemu-hexagon, and ref against float64.

The bounds are those that docs/math.md states.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from conftest import built

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/math"
OPTIONS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Werror", f"-I{ROOT / 'dsp'}", f"-I{ROOT / 'tests'}")
N_LANES = 524288  # above 8 * 255 * 255: every pair of exponents
N_NUMBERS = 1 << 20
Q15, Q30, Q31 = 2.0**15, 2.0**30, 2.0**31

Words = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Apply = Callable[..., Words]


def build(*arguments: str) -> None:
    if "CI" not in os.environ:
        pytest.importorskip("ziglang", reason="no compiler: pip install ziglang")
    command = [sys.executable, "-m", "ziglang", "cc", *OPTIONS, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def ref(tmp_path_factory: pytest.TempPathFactory) -> Apply:
    """Calls a function of dsp/math/ref by its name, on arrays of 32-bit numbers."""
    path = tmp_path_factory.mktemp("math") / "ref.so"
    build("-shared", "-fPIC", str(HERE / "functions_ref.c"), "-o", str(path))
    library = ctypes.CDLL(str(path))
    lines = (HERE / "functions.h").read_text().splitlines()
    names = [line.split("(")[1].split(",")[0] for line in lines if line.startswith("    X(")]

    def apply(name: str, a: npt.NDArray[np.generic], b: npt.NDArray[np.generic] | int = 0) -> Words:
        words = np.ascontiguousarray(a).view(np.uint32)
        others = np.full_like(words, b) if isinstance(b, int) else np.ascontiguousarray(b).view(np.uint32)
        to = np.empty_like(words)
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in (words, others, to))
        library.apply_ref(names.index(name), *pointers, words.size)
        return to

    return apply


def test_every_lane_of_hvx_has_the_bits_of_ref(qemu: str) -> None:
    command = [qemu, "-cpu", "v68", str(built("math_lanes") / "kernels/math"), str(N_LANES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    print(done.stdout)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def any_floats(rng: np.random.Generator, n: int, least: int = 1, most: int = 254) -> Floats:
    """Every exponent from ``least`` to ``most``, mantissas at random."""
    exponents = rng.integers(least, most + 1, n, dtype=np.uint32)
    bits = exponents << 23 | rng.integers(0, 1 << 23, n, dtype=np.uint32) | rng.integers(0, 2, n, dtype=np.uint32) << 31
    return bits.astype(np.uint32).view(np.float32)


def units_in_last_place(exact: Doubles) -> Doubles:
    return np.asarray(np.ldexp(1.0, np.frexp(exact)[1] - 24))


def worst_relative(got: Doubles, exact: Doubles) -> float:
    return float(np.abs(got / exact - 1).max())


def test_products_and_sums_are_within_the_bounds_in_units_in_the_last_place(
    ref: Apply, rng: np.random.Generator, figure: Callable[[str], None]
) -> None:
    a, b = any_floats(rng, N_NUMBERS, 70, 190), any_floats(rng, N_NUMBERS, 70, 180)
    near = (b.view(np.uint32) & 0x807FFFFF | (a.view(np.uint32) & 0x7F800000)).view(np.float32)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    exact = {
        "multiply_f32": (b, wide_a * wide_b, 0.51),
        "add_f32": (b, wide_a + wide_b, 0.532),
        "add_f32 of one magnitude": (near, wide_a + near.astype(np.float64), 0.532),
    }
    for name, (other, want, bound) in exact.items():
        got = ref(name.split()[0], a, other).view(np.float32).astype(np.float64)
        apart = np.abs(got - want) / np.where(want == 0, 1, units_in_last_place(want))
        nmse = float(((got - want) ** 2).sum() / (want**2).sum())
        figure(f"math {name}: worst {apart.max():.4f} units in the last place, NMSE {nmse:.1e}")
        assert apart.max() <= bound, name
        assert nmse <= 2e-15, name


def test_sums_and_products_of_what_is_special_follow_ieee(ref: Apply) -> None:
    numbers = np.array([0, -0.0, 1, -1, 3e38, -3e38, 2e-38, np.inf, -np.inf, np.nan], np.float32)
    a, b = (grid.ravel() for grid in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        for name, exact in (("add_f32", a + b), ("multiply_f32", a * b)):
            want = np.where(np.abs(exact) < np.finfo(np.float32).tiny, np.copysign(0, exact), exact).astype(np.float32)
            got = ref(name, a, b)
            np.testing.assert_array_equal(got[~np.isnan(want)], want.view(np.uint32)[~np.isnan(want)])
            assert (got[np.isnan(want)] == 0x7FC00000).all()


def test_denormals_count_as_zero(ref: Apply) -> None:
    small = np.array([1, 0x807FFFFF, 0x400000], np.uint32)
    one = np.full(3, 1, np.float32)
    assert (ref("add_f32", small, one) == one.view(np.uint32)).all()
    assert (ref("add_f32", small, small) & 0x7FFFFFFF == 0).all()
    assert (ref("multiply_f32", small, one) & 0x7FFFFFFF == 0).all()
    least = np.full(1, np.finfo(np.float32).tiny, np.float32)
    assert ref("add_f32", least, least * 3)[0] == (least * 4).view(np.uint32)[0]
    assert ref("add_f32", least * 1.5, -least)[0] == 0


def test_fixed_point_is_within_a_unit_and_comes_back(ref: Apply, rng: np.random.Generator) -> None:
    for top in (31, 32, 100, 127, 200, 254):
        x = any_floats(rng, 65536, max(0, top - 40), top)
        x[x.view(np.uint32) & 0x7F800000 == 0] = 0
        exact = x.astype(np.float64)
        fraction = ref("to_i32", x, top << 23).view(np.int32)
        assert np.abs(np.ldexp(fraction.astype(np.float64), top - 157) - exact).max() < np.ldexp(1.0, top - 157)
        assert (np.abs(fraction.astype(np.float64)) <= np.abs(np.ldexp(exact, 157 - top))).all()
        half = ref("to_i16", x, top << 23).view(np.int32)
        np.testing.assert_array_equal(half, np.trunc(np.ldexp(exact, 141 - top)))
        rounded = ref("magnitude_u16", x, top << 23)
        np.testing.assert_array_equal(rounded, np.floor(np.ldexp(np.abs(exact), 141 - top) + 0.5))
        back = ref("pack", fraction, (top - 30) << 23).view(np.float32)
        kept = (np.abs(exact) >= np.ldexp(1.0, top - 134)) & (np.abs(exact) >= np.finfo(np.float32).tiny)
        np.testing.assert_array_equal(back[kept], x[kept])


def test_pack_rounds_half_up_and_saturates(ref: Apply, rng: np.random.Generator) -> None:
    fraction = (rng.integers(-(2**31), 2**31, N_NUMBERS) >> rng.integers(0, 31, N_NUMBERS)).astype(np.int32)
    exact = np.ldexp(fraction.astype(np.float64), 127 - 157)
    got = ref("pack", fraction, (127 - 30) << 23).view(np.float32).astype(np.float64)
    assert (np.abs(got - exact) <= 0.5 * units_in_last_place(exact)).all()
    ends = np.array([2**30, -(2**30), 0, 1, -1], np.int32)
    assert list(ref("pack", ends, 225 << 23)) == [0x7F800000, 0xFF800000, 0, 225 << 23, 225 << 23 | 1 << 31]
    assert list(ref("pack", ends, -29 << 23 & 0xFFFFFFFF)) == [1 << 23, 1 << 23 | 1 << 31, 0, 0, 1 << 31]


def test_order_is_that_of_the_floats(ref: Apply, rng: np.random.Generator) -> None:
    x = np.sort(any_floats(rng, 65536))
    assert (np.diff(ref("order", x).view(np.int32).astype(np.int64)) >= 0).all()
    np.testing.assert_array_equal(ref("order", ref("order", x)), x.view(np.uint32))


def test_every_float16_becomes_the_same_float32_and_comes_back(ref: Apply) -> None:
    halves = np.arange(65536, dtype=np.uint32)
    exact = halves.astype(np.uint16).view(np.float16).astype(np.float32)
    wide = ref("f16_to_f32", halves)
    numbers = ~np.isnan(exact)
    np.testing.assert_array_equal(wide[numbers], exact.view(np.uint32)[numbers])
    assert np.isnan(wide.view(np.float32)[~numbers]).all()
    np.testing.assert_array_equal(ref("f32_to_f16", wide)[numbers], halves[numbers])


def test_float32_to_float16_is_numpys(ref: Apply, rng: np.random.Generator) -> None:
    x = np.concatenate([any_floats(rng, N_NUMBERS, 0, 254), any_floats(rng, N_NUMBERS, 95, 145)])
    halfway = ((x.view(np.uint32) & 0xFFFFE000) | 0x1000).view(np.float32)
    for numbers in (x, halfway, np.array([np.inf, -np.inf, 65519.996, 65520, 2.0**-25, 2.0**-24], np.float32)):
        with np.errstate(over="ignore"):
            want = numbers.astype(np.float16).view(np.uint16)
        np.testing.assert_array_equal(ref("f32_to_f16", numbers), want)
    assert ref("f32_to_f16", np.array([np.nan], np.float32))[0] == 0x7E00


def test_exp2_is_within_its_bound(ref: Apply, figure: Callable[[str], None]) -> None:
    f = np.arange(32768, dtype=np.int32)
    got = ref("exp2_negative_q15", f).view(np.int32)
    assert got.min() == 16384
    assert got.max() == 32767
    apart = got / Q15 / np.exp2(-f / Q15) - 1
    figure(f"math exp2: worst relative {np.abs(apart).max():.2e}, rms {np.sqrt((apart**2).mean()):.2e}")
    assert np.abs(apart).max() <= 1.12e-4
    assert np.sqrt((apart**2).mean()) <= 3.5e-5


def test_exponentials_and_sigmoids_are_within_their_bounds(
    ref: Apply, rng: np.random.Generator, figure: Callable[[str], None]
) -> None:
    f = np.concatenate([rng.integers(0, 2**31, N_NUMBERS), [0, 1, 2**31 - 1]]).astype(np.int32)
    apart = worst_relative(ref("exp2_negative_q31", f).view(np.int32) / Q31, np.exp2(-f / Q31))
    figure(f"math exp2, 31 bits: worst relative {apart:.2e}")
    assert apart <= 5.8e-9
    for name, bits, most in (("log2e_q15", 15, 133), ("log2e_q23", 23, 132)):
        x = any_floats(rng, N_NUMBERS, 90, most)
        exact = np.minimum(np.abs(x.astype(np.float64)) * np.log2(np.e), 2.0**8 if bits == 15 else 2.0**7)
        got = ref(name, x).view(np.int32) / 2.0**bits
        assert (np.abs(got - exact) <= 2.0**-bits + exact * (2e-5 if bits == 15 else 2e-9)).all()
    t = np.arange(1 << 23, dtype=np.uint32)[::7].copy()
    for sign in (0, 1 << 31):
        shift = (t >> 15) if sign else np.zeros_like(t)
        got = np.ldexp(ref("sigmoid_q15", t, sign) / Q15, -shift.astype(np.int32))
        apart = worst_relative(got, 1 / (1 + np.exp2(t / Q15 * (1 if sign else -1))))
        figure(f"math sigmoid, {'negative' if sign else 'positive'}: worst relative {apart:.2e}")
        assert apart <= 2.3e-4


def test_reciprocals_are_within_their_bounds(
    ref: Apply, rng: np.random.Generator, figure: Callable[[str], None]
) -> None:
    x = np.arange(16384, 32768, dtype=np.int32)
    got = ref("reciprocal_q15", x).view(np.int32)
    apart = worst_relative(got / Q15, 16384.0 / x)
    figure(f"math reciprocal, 16 bits: worst relative {apart:.2e}")
    assert apart <= 6.5e-5
    for name, first, power, bound in (
        ("reciprocal_q31", 2**30, -1.0, 1.2e-9),
        ("reciprocal_square_root_q31", 2**29, -0.5, 2e-9),
    ):
        x = np.concatenate([rng.integers(first, 2**31, N_NUMBERS), [first, first + 1, 2**31 - 1]]).astype(np.int32)
        got = ref(name, x).view(np.int32)
        apart = worst_relative(got / Q31, (x / first) ** power)
        figure(f"math {name}: worst relative {apart:.2e}")
        assert apart <= bound
        assert got.min() >= 2**30


def test_sine_and_cosine_are_within_their_bound(
    ref: Apply, rng: np.random.Generator, figure: Callable[[str], None]
) -> None:
    eighths = (np.arange(8, dtype=np.uint64) << 29).astype(np.uint32)
    phase = np.concatenate([rng.integers(0, 2**32, N_NUMBERS, dtype=np.uint64).astype(np.uint32), eighths, eighths - 1])
    angle = phase * (2 * np.pi / 2**32)
    for name, exact in (("sine_q30", np.sin(angle)), ("cosine_q30", np.cos(angle))):
        apart = float(np.abs(ref(name, phase).view(np.int32) / Q30 - exact).max())
        figure(f"math {name}: worst {apart:.2e}")
        assert apart <= 3e-9
