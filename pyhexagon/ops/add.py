# SPDX-License-Identifier: MIT
"""Sums, element by element."""

from __future__ import annotations

import numpy as np

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def add(p: Graph, x: Value | Tensor, y: Value | Tensor) -> Value:
    """``x + y``, with NumPy's broadcasting.

    Args:
        x, y: float32, of shapes that can be broadcast together, in at most 4 dimensions.

    Returns:
        float32, of the shape that both are broadcast to.

    Accuracy: docs/math.md; at most 0.532 units in the last place off. ggml's ADD.
    """
    x, y = rows(p, x, "x"), rows(p, y, "y")
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise ArgumentError(f"x + y with x {x.shape} and y {y.shape}: shapes that cannot be broadcast") from None
    x, y = x.broadcast_to(shape), y.broadcast_to(shape)
    if shape and x.view.strides[-1] == 0:  # only the second operand may repeat an element within a row
        x, y = y, x
    return p.op("add", [x, y], shape)
