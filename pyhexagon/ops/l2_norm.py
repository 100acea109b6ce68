# SPDX-License-Identifier: MIT
"""L2 normalisation of rows."""

from __future__ import annotations

from pyhexagon._ffi.contract import MAX_K
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def l2_norm(p: Graph, x: Value | Tensor, *, eps: float = 1e-6) -> Value:
    """``x / max(sqrt((x ** 2).sum(-1)), eps)``, row by row.

    Args:
        x: (..., K) float32, K at most 1,048,576.
        eps: finite and not negative.

    Returns:
        (..., K) float32. A row with NaN is NaN.

    Accuracy: docs/math.md, L2_NORM: NMSE below 1e-10 against float64. ggml's L2_NORM.
    """
    x = rows(p, x, "x")
    if not x.ndim or not 0 < x.shape[-1] <= MAX_K:
        raise ArgumentError(f"l2_norm of x {x.shape}: expected x (..., K), K from 1 to {MAX_K:,}")
    if not 0 <= eps < float("inf"):
        raise ArgumentError(f"eps is {eps!r}: expected a number that is finite and not negative")
    return p.op("l2_norm", [x], x.shape, eps=eps)
