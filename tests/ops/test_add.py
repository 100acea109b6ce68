# SPDX-License-Identifier: MIT
"""ADD through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Binary


class TestAdd(Binary):
    name = "add"
    nmse = 1e-14
    worst = 0.54 * 2.0**-23

    def exact(self, *sources: F64) -> F64:
        return np.add(*sources)
