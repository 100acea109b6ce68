# SPDX-License-Identifier: MIT
"""The sigmoid linear unit."""

from __future__ import annotations

from pyhexagon.ops.elementwise import unary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def silu(p: Graph, x: Value | Tensor) -> Value:
    """``x / (1 + exp(-x))``, element by element.

    Args:
        x: float32, in at most 4 dimensions.

    Returns:
        float32, of the shape of x.

    Accuracy: docs/math.md, 11; NMSE 1.4e-9, worst relative error 4e-4 down to x = -60. ggml's SILU.
    """
    return unary(p, "silu", x)
