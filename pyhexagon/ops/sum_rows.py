# SPDX-License-Identifier: MIT
"""Sum of each row."""

from __future__ import annotations

from pyhexagon._ffi.contract import MAX_K
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def sum_rows(p: Graph, x: Value | Tensor) -> Value:
    """``x.sum(-1, keepdims=True)``.

    Args:
        x: (..., K) float32, K at most 1,048,576.

    Returns:
        (..., 1) float32.

    Accuracy: docs/math.md, SUM_ROWS: each number counts to 2^-27 of the largest of its row. ggml's SUM_ROWS.
    """
    return of_rows(p, "sum_rows", x)


def of_rows(p: Graph, name: str, x: Value | Tensor) -> Value:
    """Add an op that reduces each row to one number."""
    x = rows(p, x, "x")
    if not x.ndim or not 0 < x.shape[-1] <= MAX_K:
        raise ArgumentError(f"{name} of x {x.shape}: expected x (..., K), K from 1 to {MAX_K:,}")
    return p.op(name, [x], (*x.shape[:-1], 1))
