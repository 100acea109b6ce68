# SPDX-License-Identifier: MIT
"""The Gaussian error linear unit, in its tanh approximation."""

from __future__ import annotations

from pyhexagon.ops.elementwise import unary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def gelu(p: Graph, x: Value | Tensor) -> Value:
    """``x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3)))``, element by element.

    Args:
        x: float32, in at most 4 dimensions.

    Returns:
        float32, of the shape of x.

    Accuracy: docs/math.md, 11; NMSE 1.9e-9, worst relative error 3e-4 down to x = -10. ggml's GELU.
    """
    return unary(p, "gelu", x)
