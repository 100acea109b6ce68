# SPDX-License-Identifier: MIT
"""NEG through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Elementwise


class TestNeg(Elementwise):
    name = "neg"
    n_src = 1
    nmse = 1e-30
    worst = 0.0

    def exact(self, *sources: F64) -> F64:
        return np.negative(sources[0])
