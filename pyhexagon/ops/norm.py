# SPDX-License-Identifier: MIT
"""Layer normalisation: rows with a mean of 0 and a variance of 1."""

from __future__ import annotations

from pyhexagon._ffi.contract import MAX_K
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def norm(
    p: Graph,
    x: Value | Tensor,
    weight: Value | Tensor | None = None,
    bias: Value | Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> Value:
    """``(x - mean) / sqrt(variance + eps) * weight + bias``, mean and variance along the last axis.

    Args:
        x: (..., K) float32, K at most 1,048,576.
        weight: (K,) float32, or a shape that can be broadcast to x's; None means 1.
        bias: likewise; None means 0.
        eps: finite and not negative.

    Returns:
        (..., K) float32. A row with NaN or infinity is NaN.

    Accuracy: docs/math.md, 18: NMSE below 1e-9 against float64. ggml's NORM, followed by MUL with a weight and ADD with
    a bias.
    """
    x = rows(p, x, "x")
    if not x.ndim or not 0 < x.shape[-1] <= MAX_K:
        raise ArgumentError(f"norm of x {x.shape}: expected x (..., K), K from 1 to {MAX_K:,}")
    if not 0 <= eps < float("inf"):
        raise ArgumentError(f"eps is {eps!r}: expected a number that is finite and not negative")
    sources: list[Value | None] = [x]
    for what, operand in (("weight", weight), ("bias", bias)):
        sources.append(None if operand is None else rows(p, operand, what).broadcast_to(x.shape))
    while sources[-1] is None:
        sources.pop()
    return p.op("norm", sources, x.shape, eps=eps)
