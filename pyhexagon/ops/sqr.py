# SPDX-License-Identifier: MIT
"""Elementwise squares."""

from __future__ import annotations

from pyhexagon.ops.elementwise import unary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def sqr(p: Graph, x: Value | Tensor) -> Value:
    """``x ** 2``, element by element.

    Args:
        x: float32, in at most 4 dimensions.

    Returns:
        float32, of the shape of x.

    Accuracy: docs/math.md, 3; at most 0.508 units in the last place off. ggml's SQR.
    """
    return unary(p, "sqr", x)
