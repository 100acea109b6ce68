# SPDX-License-Identifier: MIT
"""Clamping to a range."""

from __future__ import annotations

from pyhexagon.ops.elementwise import unary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def clamp(p: Graph, x: Value | Tensor, min: float, max: float) -> Value:
    """``maximum(minimum(x, max), min)``; NaN stays NaN.

    Args:
        x: float32, in at most 4 dimensions.
        min, max: taken as float32; they may be infinite.

    Returns:
        float32, of the shape of x.

    Accuracy: exact; denormals become 0. ggml's CLAMP.
    """
    return unary(p, "clamp", x, min=min, max=max)
