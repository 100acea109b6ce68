# SPDX-License-Identifier: MIT
"""Mean of each row."""

from __future__ import annotations

from pyhexagon.ops.sum_rows import of_rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def mean(p: Graph, x: Value | Tensor) -> Value:
    """``x.mean(-1, keepdims=True)``.

    Args:
        x: (..., K) float32, K at most 1,048,576.

    Returns:
        (..., 1) float32.

    Accuracy: docs/math.md, SUM_ROWS: each number counts to 2^-27 of the largest of its row. ggml's MEAN.
    """
    return of_rows(p, "mean", x)
