# SPDX-License-Identifier: MIT
"""EXP through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Elementwise


class TestExp(Elementwise):
    name = "exp"
    n_src = 1
    nmse = 1e-13
    worst = 2e-7

    def exact(self, *sources: F64) -> F64:
        return np.exp(sources[0])
