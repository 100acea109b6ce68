# SPDX-License-Identifier: MIT
"""SUB through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Binary


class TestSub(Binary):
    name = "sub"
    nmse = 1e-14
    worst = 0.54 * 2.0**-23

    def exact(self, *sources: F64) -> F64:
        return np.subtract(*sources)
