# SPDX-License-Identifier: MIT
"""SOFTPLUS through programs."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, Elementwise


class TestSoftplus(Elementwise):
    name = "softplus"
    n_src = 1
    nmse = 1e-13
    worst = 2e-7

    def exact(self, *sources: F64) -> F64:
        return np.asarray(np.maximum(sources[0], 0) + np.log1p(np.exp(-np.abs(sources[0]))))
