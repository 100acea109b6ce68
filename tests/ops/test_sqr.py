# SPDX-License-Identifier: MIT
"""SQR through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Elementwise


class TestSqr(Elementwise):
    name = "sqr"
    n_src = 1
    nmse = 1e-14
    worst = 0.51 * 2.0**-23

    def exact(self, *sources: F64) -> F64:
        return np.square(sources[0])
