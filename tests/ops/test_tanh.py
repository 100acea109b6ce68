# SPDX-License-Identifier: MIT
"""TANH through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Elementwise


class TestTanh(Elementwise):
    name = "tanh"
    n_src = 1
    nmse = 1e-13
    worst = 3e-7

    def exact(self, *sources: F64) -> F64:
        return np.tanh(sources[0])
