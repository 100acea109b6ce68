# SPDX-License-Identifier: MIT
"""Elementwise negation."""

from __future__ import annotations

from pyhexagon.ops.elementwise import unary
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def neg(p: Graph, x: Value | Tensor) -> Value:
    """``-x``, element by element.

    Args:
        x: float32, in at most 4 dimensions.

    Returns:
        float32, of the shape of x.

    Accuracy: exact; the signs of NaN and of denormals change, too. ggml's NEG.
    """
    return unary(p, "neg", x)
