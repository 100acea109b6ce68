# SPDX-License-Identifier: MIT
"""SQRT through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Elementwise


class TestSqrt(Elementwise):
    name = "sqrt"
    n_src = 1
    nmse = 1e-14
    worst = 0.55 * 2.0**-23

    def exact(self, *sources: F64) -> F64:
        return np.sqrt(sources[0])
