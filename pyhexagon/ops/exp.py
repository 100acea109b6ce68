# SPDX-License-Identifier: MIT
"""The exponential function."""

from __future__ import annotations

from pyhexagon.ops.elementwise import unary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def exp(p: Graph, x: Value | Tensor) -> Value:
    """``exp(x)``, element by element.

    Args:
        x: float32, in at most 4 dimensions.

    Returns:
        float32, of the shape of x.

    Accuracy: docs/math.md, 13; NMSE 3e-15, worst relative error 2e-7. ggml's EXP.
    """
    return unary(p, "exp", x)
