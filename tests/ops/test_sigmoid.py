# SPDX-License-Identifier: MIT
"""SIGMOID through programs."""

from __future__ import annotations

from ops.elementwise import F64, Elementwise
from ops.functions import sigmoid


class TestSigmoid(Elementwise):
    name = "sigmoid"
    n_src = 1
    nmse = 1e-13
    worst = 2e-7

    def exact(self, *sources: F64) -> F64:
        return sigmoid(sources[0])
