# SPDX-License-Identifier: MIT
"""RMS normalisation of rows."""

from __future__ import annotations

from pyhexagon._ffi.contract import MAX_K
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def rms_norm(p: Graph, x: Value | Tensor, weight: Value | Tensor | None = None, *, eps: float = 1e-5) -> Value:
    """``x / sqrt(mean(x ** 2, axis=-1) + eps) * weight``.

    Args:
        x: (..., K) float32, K at most 1,048,576.
        weight: (K,) float32, or a shape that can be broadcast to x's; None means 1.
        eps: finite and not negative.

    Returns:
        (..., K) float32.

    Accuracy: docs/math.md, 8: NMSE below 1e-10 against float64. ggml's RMS_NORM, followed by MUL with a weight.
    """
    x = rows(p, x, "x")
    if not x.ndim or not 0 < x.shape[-1] <= MAX_K:
        raise ArgumentError(f"rms_norm of x {x.shape}: expected x (..., K), K from 1 to {MAX_K:,}")
    if not 0 <= eps < float("inf"):
        raise ArgumentError(f"eps is {eps!r}: expected a number that is finite and not negative")
    sources = [x] if weight is None else [x, rows(p, weight, "weight").broadcast_to(x.shape)]
    return p.op("rms_norm", sources, x.shape, eps=eps)
