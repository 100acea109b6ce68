# SPDX-License-Identifier: MIT
"""SILU through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Devices, Elementwise, results
from ops.functions import silu


class TestSilu(Elementwise):
    name = "silu"
    n_src = 1
    nmse = 5e-9
    worst = 1e-3

    def exact(self, *sources: F64) -> F64:
        return silu(sources[0])

    def test_tails_keep_their_digits(self, engines: Devices) -> None:
        x = np.linspace(-60, -3, 500, dtype=np.float32)
        (got,) = results(engines, lambda p, value: [p.silu(value)], x)
        self.check_near(got, x)
