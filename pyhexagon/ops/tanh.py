# SPDX-License-Identifier: MIT
"""Hyperbolic tangent."""

from __future__ import annotations

from pyhexagon.ops.elementwise import unary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def tanh(p: Graph, x: Value | Tensor) -> Value:
    """``tanh(x)``, element by element.

    Args:
        x: float32, in at most 4 dimensions.

    Returns:
        float32, of the shape of x.

    Accuracy: docs/math.md, 13; NMSE 1e-15, worst relative error 3e-7, near 0, too. ggml's TANH.
    """
    return unary(p, "tanh", x)
