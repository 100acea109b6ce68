# SPDX-License-Identifier: MIT
"""The float64 functions that ops are compared with."""

from __future__ import annotations

import numpy as np

from ops.elementwise import F64, flushed


def sigmoid(x: F64) -> F64:
    return np.asarray(1 / (1 + np.exp(-x)))


def silu(x: F64) -> F64:
    return np.asarray(x * sigmoid(x))


def gelu(x: F64) -> F64:
    return np.asarray(x * sigmoid(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gated(gate: F64, up: F64) -> F64:
    """Return the product; a gate too small for float32 counts as 0 if up is infinite."""
    return np.asarray(np.where(np.isinf(up), flushed(gate), gate) * up)
