# SPDX-License-Identifier: MIT
"""Softplus, a smooth maximum of x and 0."""

from __future__ import annotations

from pyhexagon.ops.elementwise import unary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def softplus(p: Graph, x: Value | Tensor) -> Value:
    """``log(1 + exp(x))``, element by element.

    Args:
        x: float32, in at most 4 dimensions.

    Returns:
        float32, of the shape of x.

    Accuracy: docs/math.md, 13; NMSE 2e-15, worst relative error 2e-7, in its tail, too. ggml's SOFTPLUS.
    """
    return unary(p, "softplus", x)
