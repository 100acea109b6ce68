# SPDX-License-Identifier: MIT
"""GEGLU through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Binary, Devices, numbers, results
from ops.functions import gated, gelu


class TestGeglu(Binary):
    name = "geglu"
    nmse = 5e-9
    worst = 1e-3

    def exact(self, *sources: F64) -> F64:
        gate, up = sources
        return gated(gelu(gate), up)

    def test_the_halves_of_one_operand(self, engines: Devices) -> None:
        both = numbers(3, 130, seed=7, spread=3)
        apart, halves = results(engines, lambda p, x: [p.geglu(x[:, :65], x[:, 65:]), p.geglu(x)], both)
        np.testing.assert_array_equal(apart, halves)

    def test_tails_keep_their_digits(self, engines: Devices) -> None:
        gate = np.linspace(-10, -3, 500, dtype=np.float32)
        (got,) = results(engines, lambda p, x, y: [p.geglu(x, y)], gate, np.ones(1, np.float32))
        self.check_near(got, gate, np.ones(500, np.float32))
