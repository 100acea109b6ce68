# SPDX-License-Identifier: MIT
"""Elementwise division."""

from __future__ import annotations

from pyhexagon.ops.elementwise import binary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def div(p: Graph, x: Value | Tensor, y: Value | Tensor) -> Value:
    """``x / y``, with NumPy's broadcasting.

    Args:
        x, y: float32, of shapes that can be broadcast together, in at most 4 dimensions.

    Returns:
        float32, of the shape that both are broadcast to.

    Accuracy: docs/math.md, 13; NMSE 2e-15, at most 0.8 units in the last place off. ggml's DIV.
    """
    return binary(p, "div", x, y)
