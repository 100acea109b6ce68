# SPDX-License-Identifier: MIT
"""Elementwise square roots."""

from __future__ import annotations

from pyhexagon.ops.elementwise import unary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def sqrt(p: Graph, x: Value | Tensor) -> Value:
    """``sqrt(x)``, element by element.

    Args:
        x: float32, in at most 4 dimensions.

    Returns:
        float32, of the shape of x.

    Accuracy: docs/math.md, 13; at most 0.52 units in the last place off. NaN below 0. ggml's SQRT.
    """
    return unary(p, "sqrt", x)
