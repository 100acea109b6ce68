# SPDX-License-Identifier: MIT
"""MUL through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Binary


class TestMul(Binary):
    name = "mul"
    nmse = 1e-14
    worst = 0.51 * 2.0**-23

    def exact(self, *sources: F64) -> F64:
        return np.multiply(*sources)
