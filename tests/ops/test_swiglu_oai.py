# SPDX-License-Identifier: MIT
"""SWIGLU_OAI through programs."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from ops.elementwise import F32, F64, SPECIALS, Binary, Devices, flushed, numbers, results
from ops.functions import gated, sigmoid


def exact(gate: F64, up: F64, alpha: float, limit: float) -> F64:
    x, y = np.minimum(gate, np.float32(limit)), np.clip(up, -np.float32(limit), np.float32(limit))
    return gated(np.asarray(x * sigmoid(np.float64(np.float32(alpha)) * x)), np.asarray(1 + y))


class TestSwigluOai(Binary):
    name = "swiglu_oai"
    nmse = 5e-9
    worst = np.inf  # unbounded: a factor may be a sum near 0
    params: ClassVar = {"alpha": 1.702, "limit": 7.0}

    def exact(self, *sources: F64) -> F64:
        gate, up = sources
        return exact(gate, up, 1.702, 7.0)

    def test_the_halves_of_one_operand(self, engines: Devices) -> None:
        both = numbers(3, 130, seed=7, spread=3)
        apart, halves = results(engines, lambda p, x: [p.swiglu_oai(x[:, :65], x[:, 65:]), p.swiglu_oai(x)], both)
        np.testing.assert_array_equal(apart, halves)

    def test_tails_keep_their_digits(self, engines: Devices) -> None:
        gate, up = np.linspace(-40, -3, 500, dtype=np.float32), np.ones(500, np.float32)
        (got,) = results(engines, lambda p, x, y: [p.swiglu_oai(x, y)], gate, up)
        np.testing.assert_allclose(got, self.wanted(gate, up), rtol=1e-3)


@pytest.mark.parametrize("alpha", [0.0, -1.0, 30.0, 1e20], ids=str)
@pytest.mark.parametrize("limit", [np.inf, 0.5, 0.0, -1.0], ids=str)
def test_parameters_may_be_anything(engines: Devices, alpha: float, limit: float) -> None:
    gate: F32 = np.concatenate([np.array(SPECIALS, np.float32), numbers(90, spread=3)])
    up = numbers(*gate.shape, seed=9, spread=3)
    (got,) = results(engines, lambda p, x, y: [p.swiglu_oai(x, y, alpha=alpha, limit=limit)], gate, up)
    finite = np.abs(gate) < 100
    if limit > 0 and abs(alpha) < 1e10:
        want = exact(flushed(gate[finite]).astype(np.float64), up[finite].astype(np.float64), alpha, limit)
        np.testing.assert_allclose(got[finite], want, rtol=2e-3, atol=1e-6)
