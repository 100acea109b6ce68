# SPDX-License-Identifier: MIT
"""NORM through programs: the same bits on every engine and kernel, close to the float64 result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from accuracy import nmse
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import SIZES, Devices, numbers, results
from pyhexagon import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases.elementwise import flushed
from pyhexagon.op_cases.reference import norm


@pytest.mark.parametrize("kind", ["normal", "far from 0", "outlier", "large", "small"])
def test_accuracy(engines: Devices, kind: str) -> None:
    x = np.random.default_rng(1).standard_normal((4, 5000), dtype=np.float32)
    match kind:
        case "far from 0":
            x += np.float32(100)
        case "outlier":
            x[:, 7] = 3000
        case "large":
            x *= np.float32(2.0**100)
        case "small":
            x *= np.float32(2.0**-60)
    eps = 0.0 if kind == "small" else 1e-5
    parts = (5000, 4096, 768)
    got = results(engines, lambda p, v: [p.norm(v[:, :n], eps=eps) for n in parts], x)
    for n, part in zip(parts, got, strict=True):
        assert nmse(part.astype(np.float64), norm(x[:, :n], eps=eps)) < (1e-9 if kind == "outlier" else 1e-10), n


def test_rows_of_all_lengths_that_begin_anywhere(engines: Devices) -> None:
    x, weight, bias = (numbers(3, sum(SIZES) + 1, seed=i, spread=2) for i in range(3))
    starts = np.cumsum((1, *SIZES))
    parts = [np.s_[:, start : start + n] for start, n in zip(starts, SIZES, strict=False)]
    got = results(engines, lambda p, v, w, b: [p.norm(v[part], w[part], b[part]) for part in parts], x, weight, bias)
    for part, result in zip(parts, got, strict=True):
        want = norm(x[part], weight[part], bias[part])
        assert np.abs(result - want).max() < 1e-4 * np.abs(weight[part]).max() + 1e-6 * np.abs(bias[part]).max()


def test_weight_and_bias_are_optional_and_broadcast(engines: Devices) -> None:
    x, weight, bias = numbers(4, 6, 140, spread=2), numbers(140, seed=1), numbers(6, 140, seed=2)

    def build(p: Any, v: Any, w: Any, b: Any) -> list[Any]:
        weighted = p.norm(v, w)
        return [p.norm(v), weighted, p.norm(v, None, b), p.norm(v, w, b), p.add(weighted, b), p.norm(v[1:, ::2, :70])]

    plain, weighted, biased, both, added, part = results(engines, build, x, weight, bias)
    np.testing.assert_allclose(plain, norm(x), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(weighted, plain * weight, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(biased, plain + bias, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(both, added)
    np.testing.assert_allclose(part, norm(x[1:, ::2, :70]), rtol=1e-3, atol=1e-5)


def test_in_place_or_not_on_many_threads(engines: Devices) -> None:
    inputs = [numbers(5, 5000, seed=i, spread=2) for i in range(3)]

    def build(p: Any, v: Any, *others: Any) -> list[Any]:
        return [p.norm(p.scale(v, 1.0), *others), p.norm(v, *others), p.norm(v[2], *(one[2] for one in others))]

    over, apart, alone = results(engines, build, *inputs)
    np.testing.assert_array_equal(over, apart)
    np.testing.assert_array_equal(alone, apart[2])


def test_special_numbers_stay_where_they_belong(engines: Devices) -> None:
    x, weight, bias = numbers(7, 300, spread=2), numbers(300, seed=1, spread=2), numbers(300, seed=2, spread=2)
    clean = results(engines, lambda p, *values: [p.norm(*values)], x, weight, bias)[0]
    x[0, 5], x[1, 6], x[2], x[3] = np.nan, np.inf, 7.5, 0
    odd_weight, odd_bias = weight.copy(), bias.copy()
    odd_weight[[3, 100, 299]] = np.inf, np.nan, -np.inf
    odd_bias[[3, 150, 151, 152]] = np.inf, np.nan, np.inf, -np.inf
    got, odd, bare = results(
        engines,
        lambda p, v, w, b, ow, ob: [p.norm(v, w, b), p.norm(v, ow, ob), p.norm(v, eps=0.0)],
        *(x, weight, bias, odd_weight, odd_bias),
    )
    assert np.isnan(got[:2]).all()
    np.testing.assert_array_equal(got[2], bias)
    np.testing.assert_array_equal(got[3], bias)
    np.testing.assert_array_equal(got[4:], clean[4:])
    assert np.isnan(bare[:4]).all()
    at = [3, 100, 150, 151, 152, 299]
    np.testing.assert_array_equal(np.delete(odd[4:], at, 1), np.delete(clean[4:], at, 1))
    with np.errstate(invalid="ignore"):
        want = np.sign(norm(x[4:])[:, at]) * odd_weight[at] + odd_bias[at]
    np.testing.assert_array_equal(odd[4:, at], want)


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=8)
    @given(
        st.lists(st.integers(1, 4), max_size=3), st.integers(1, 700), st.integers(0, 33), st.integers(0, 2**32 - 1)
    )
    def check(shape: list[int], n: int, first: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        inputs = []
        for i in range(3):
            x = numbers(*shape, n + first, seed=seed + i)
            odd = rng.integers(0, 64, x.shape) == 0
            inputs.append(np.where(odd, rng.integers(0, 2**32, x.shape, np.uint32).view(np.float32), x))
        (got,) = results(engines, lambda p, *values: [p.norm(*(value[..., first:] for value in values))], *inputs)
        wide, weight, bias = (flushed(one[..., first:]) for one in inputs)
        finite = np.asarray(np.isfinite(wide).all(-1))
        assert np.isnan(got[~finite]).all()
        ordinary = finite[..., None] & np.isfinite(weight) & np.isfinite(bias)
        assert not np.isnan(got[ordinary]).any() or n == 1

    check()


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        with pytest.raises(ArgumentError, match="eps is -1"):
            p.norm(p.input((3, 4)), eps=-1)
        with pytest.raises(ArgumentError, match="K from 1"):
            p.norm(p.input(()))
        with pytest.raises(ArgumentError, match="broadcast"):
            p.norm(p.input((3, 4)), None, p.input(5))
