# SPDX-License-Identifier: MIT
"""GELU through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Devices, Elementwise, results
from ops.functions import gelu


class TestGelu(Elementwise):
    name = "gelu"
    n_src = 1
    nmse = 5e-9
    worst = 1e-3

    def exact(self, *sources: F64) -> F64:
        return gelu(sources[0])

    def test_tails_keep_their_digits(self, engines: Devices) -> None:
        x = np.linspace(-10, -3, 500, dtype=np.float32)
        (got,) = results(engines, lambda p, value: [p.gelu(value)], x)
        self.check_near(got, x)
