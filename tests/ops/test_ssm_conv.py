# SPDX-License-Identifier: MIT
"""SSM_CONV through programs: the same bits on every engine and kernel, equal to MUL and ADD."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from accuracy import nmse
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import Devices, numbers, results
from pyhexagon import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases.reference import ssm_conv

SIZES = [(4, 7, 1024), (4, 1, 3072), (4, 5, 31), (1, 3, 33), (3, 2, 127), (7, 6, 300), (2, 4, 1)]


def test_sums_of_all_sizes(engines: Devices) -> None:
    inputs = []
    for taps, tokens, channels in SIZES:
        inputs += [numbers(tokens + taps - 1, channels, seed=taps, spread=2), numbers(taps, channels, spread=2)]

    def build(p: Any, *values: Any) -> list[Any]:
        return [p.ssm_conv(x, weight) for x, weight in zip(values[::2], values[1::2], strict=True)]

    for x, weight, got in zip(inputs[::2], inputs[1::2], results(engines, build, *inputs), strict=True):
        assert nmse(got.astype(np.float64), ssm_conv(x, weight)) < 1e-13


def test_it_has_the_bits_of_products_and_sums(engines: Devices) -> None:
    x, weight = numbers(2, 12, 512), numbers(4, 512, seed=1)

    def build(p: Any, x: Any, weight: Any) -> list[Any]:
        total = p.mul(x[:, :9], weight[0])
        for j in range(1, 4):
            total = p.add(total, p.mul(x[:, j : j + 9], weight[j]))
        pieces = p.concat([p.ssm_conv(x[:, :8], weight), p.ssm_conv(x[:, 5:], weight)], 1)
        return [p.ssm_conv(x, weight), total, pieces, p.ssm_conv(x[1, ::2, 3:], weight[1:3, 3:])]

    whole, total, pieces, part = results(engines, build, x, weight)
    np.testing.assert_array_equal(whole, total)
    np.testing.assert_array_equal(whole, pieces)
    assert nmse(part.astype(np.float64), ssm_conv(x[1, ::2, 3:], weight[1:3, 3:])) < 1e-13


def test_special_numbers_stay_in_their_channel(engines: Devices) -> None:
    clean, weight = numbers(9, 300), numbers(4, 300, seed=1)
    x, odd = clean.copy(), weight.copy()
    x[3, 5], x[4, 6], x[5, 7], x[6, 8] = np.nan, np.inf, -np.inf, 3e38
    odd[2, 100], odd[3, 8] = np.inf, 3e38
    inputs = x, odd, clean, weight
    got, before = results(engines, lambda p, *v: [p.ssm_conv(v[0], v[1]), p.ssm_conv(v[2], v[3])], *inputs)
    at = [5, 6, 7, 8, 100]
    np.testing.assert_array_equal(np.delete(got, at, 1), np.delete(before, at, 1))
    with np.errstate(all="ignore"):
        want = x[:6] * odd[0]
        for j in range(1, 4):
            want = want + x[j : j + 6] * odd[j]
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(want))


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=8)
    @given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 700), st.integers(0, 33), st.integers(0, 3))
    def check(taps: int, tokens: int, channels: int, first: int, batch: int) -> None:
        shape = (*[batch] * bool(batch), tokens + taps - 1, channels + first)
        x, weight = numbers(*shape, seed=channels), numbers(taps, channels + first, seed=1)
        (got,) = results(engines, lambda p, v, w: [p.ssm_conv(v[..., first:], w[:, first:])], x, weight)
        want = ssm_conv(x[..., first:], weight[:, first:])
        assert nmse(got.astype(np.float64), want) < 1e-12

    check()


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        for x, weight in (((8, 4), (4, 5)), ((8,), (4, 8)), ((1, 2, 8, 4), (4, 4)), ((8, 4), (0, 4)), ((2, 4), (4, 4))):
            with pytest.raises(ArgumentError, match="ssm_conv of x"):
                p.ssm_conv(p.input(x), p.input(weight))
