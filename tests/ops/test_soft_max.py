# SPDX-License-Identifier: MIT
"""SOFT_MAX through programs: the same bits on every kernel, close to float64, down to the tails."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from accuracy import nmse
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import Devices, results
from ops.rows import F32, run
from pyhexagon import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases import reference
from pyhexagon.ops.soft_max import alibi_slopes

FULL = np.float32(-np.inf)


def soft_max(device: Device, x: F32, *rest: npt.NDArray[Any] | None, scale: float = 1.0) -> F32:
    """Return the softmax of x with mask, sinks and slopes, each omitted if None."""
    names = [name for name, array in zip(("mask", "sinks", "slopes"), rest, strict=False) if array is not None]
    arrays = [array for array in rest if array is not None]
    return run(
        device, lambda p, a, *more: p.soft_max(a, scale=scale, **dict(zip(names, more, strict=True))), x, *arrays
    )


def normal(*shape: int, sigma: float = 1.0, seed: int = 1) -> F32:
    return np.asarray(np.random.default_rng(seed).normal(0, sigma, shape), np.float32)


@pytest.mark.parametrize("shape", [(1, 1), (3, 31), (64,), (2, 3, 5, 129), (1, 5000), (70, 64), (4, 4096)], ids=str)
@pytest.mark.parametrize("sigma", [0.1, 8.0, 60.0])
def test_rows_of_any_length(device: Device, shape: tuple[int, ...], sigma: float) -> None:
    x = normal(*shape, sigma=sigma)
    got, want = soft_max(device, x, scale=0.125).astype(np.float64), reference.soft_max(x, scale=0.125)
    assert nmse(got, want) < 5e-9
    seen = want > 1e-37
    assert np.abs(got[seen] / want[seen] - 1).max() < 5e-4


@pytest.mark.parametrize("n", [64, 200])
def test_tails_keep_their_precision(device: Device, n: int) -> None:
    x = -np.linspace(0, 100, n, dtype=np.float32)[None]
    got, want = soft_max(device, x).astype(np.float64), reference.soft_max(x)
    seen = want > 1.2e-38
    assert want[seen].min() < 1e-20
    assert np.abs(got[seen] / want[seen] - 1).max() < 1e-3
    assert (got[~seen] < 1.3e-38).all()


def test_many_small_ones_beside_a_large_one_are_not_lost(device: Device) -> None:
    x = np.random.default_rng(1).uniform(-18, -17, (1, 32768)).astype(np.float32)
    x[0, 77] = 0
    got, want = soft_max(device, x).astype(np.float64), reference.soft_max(x)
    assert nmse(got, want) < 5e-9


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("k", [64, 130, 512])
def test_masks(device: Device, dtype: Any, k: int) -> None:
    x = normal(2, 3, 5, k, sigma=3)
    causal = np.where(np.arange(k) <= np.arange(5)[:, None] + k - 8, 0, -np.inf).astype(dtype)
    got = soft_max(device, x, causal).astype(np.float64)
    assert nmse(got, reference.soft_max(x, causal)) < 5e-9
    assert (got[..., causal == -np.inf] == 0).all()
    biased = np.where(causal == 0, normal(5, k, sigma=2), -np.inf).astype(dtype)
    assert nmse(soft_max(device, x, biased).astype(np.float64), reference.soft_max(x, biased)) < 5e-9
    whole = np.broadcast_to(biased, x.shape).copy()
    np.testing.assert_array_equal(soft_max(device, x, whole), soft_max(device, x, biased))


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=8)
    @given(
        st.lists(st.integers(1, 4), max_size=2),
        st.tuples(st.integers(1, 400), st.integers(0, 33)),
        st.sampled_from([0.125, 1.0, -2.0]),
        st.booleans(),
        st.integers(0, 2**32 - 1),
    )
    def check(shape: list[int], part: tuple[int, int], scale: float, masked: bool, seed: int) -> None:
        n, first = part
        x = normal(*shape, n + first, sigma=4, seed=seed)
        mask = np.where(np.random.default_rng(seed).integers(0, 3, n) > 0, np.float32(0), FULL)
        mask[n // 2] = 0

        def build(p: Any, v: Any, m: Any) -> list[Any]:
            return [p.soft_max(v[..., first:], m if masked else None, scale=scale)]

        (got,) = results(engines, build, x, mask)
        want = reference.soft_max(x[..., first:], mask if masked else None, scale=scale)
        seen = want > 1e-37
        assert np.abs(got[seen] / want[seen] - 1).max() < 1e-3

    check()


@pytest.mark.parametrize("n_heads", [4, 6])
def test_alibi(device: Device, n_heads: int) -> None:
    slopes = alibi_slopes(n_heads, 8.0)
    assert slopes[:4].tolist() == [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8]
    assert slopes[4:].tolist() == [2.0**-1, 2.0**-3][: n_heads - 4]
    x = normal(n_heads, 3, 96)
    mask = -np.abs(np.arange(96) - np.arange(90, 93)[:, None]).astype(np.float32)
    got = soft_max(device, x, mask, None, slopes).astype(np.float64)
    assert nmse(got, reference.soft_max(x, mask, slopes=slopes)) < 5e-9


def test_sinks(device: Device) -> None:
    x, sinks = normal(3, 4, 72), np.array([-2.0, 50.0, -np.inf], np.float32)
    got = soft_max(device, x, None, sinks).astype(np.float64)
    assert nmse(got, reference.soft_max(x, sinks=sinks)) < 5e-9
    np.testing.assert_array_equal(got[2], soft_max(device, x[2]))
    masked = soft_max(device, x, np.full((4, 72), FULL), sinks)
    assert (masked[:2] == 0).all()
    assert np.isnan(masked[2]).all()


@pytest.mark.parametrize("k", [64, 45])
def test_what_is_special_stays_within_its_row(device: Device, k: int) -> None:
    x = normal(6, k)
    clean = soft_max(device, x)
    x[1, 3], x[2, 4], x[3, 5], x[4] = np.nan, np.inf, -np.inf, -np.inf
    got = soft_max(device, x)
    assert np.isnan(got[[1, 2, 4]]).all()
    assert got[3, 5] == 0
    assert nmse(got[3].astype(np.float64), reference.soft_max(x[3])) < 5e-9
    np.testing.assert_array_equal(got[[0, 5]], clean[[0, 5]])
    mask = np.zeros((6, k), np.float32)
    mask[0, 1], mask[5, 2] = np.inf, np.nan
    assert np.isnan(soft_max(device, x, mask)[[0, 5]]).all()
    assert np.isnan(soft_max(device, x[:1], np.full((1, k), FULL))).all()


def test_a_row_depends_on_itself_only(device: Device) -> None:
    x = normal(9, 200, sigma=4)
    whole = soft_max(device, x)
    np.testing.assert_array_equal(soft_max(device, x[3:4]), whole[3:4])
    parts = run(device, lambda p, a: p.soft_max(a[1::2]), x)
    np.testing.assert_array_equal(parts, whole[1::2])


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        x = p.input((2, 3, 8))
        misfits: list[tuple[dict[str, Any], str]] = [
            ({"mask": p.input((3, 1))}, "rows of 8"),
            ({"mask": p.input((3, 8), np.int32)}, "float32"),
            ({"sinks": p.input((3,))}, "expected (2,)"),
            ({"slopes": p.input((1,))}, "expected (2,)"),
        ]
        for how, words in misfits:
            with pytest.raises(ArgumentError) as caught:
                p.soft_max(x, **how)
            assert words in str(caught.value)
        with pytest.raises(ArgumentError, match="scale is nan"):
            p.soft_max(x, scale=float("nan"))
    with pytest.raises(ArgumentError, match="above 0"):
        alibi_slopes(4, 0.0)
