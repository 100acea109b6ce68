# SPDX-License-Identifier: MIT
"""DIV through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Binary


class TestDiv(Binary):
    name = "div"
    nmse = 1e-14
    worst = 0.8 * 2.0**-23

    def exact(self, *sources: F64) -> F64:
        return np.divide(*sources)
