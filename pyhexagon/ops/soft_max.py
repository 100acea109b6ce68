# SPDX-License-Identifier: MIT
"""Softmax of rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi.contract import MAX_K
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def alibi_slopes(n_heads: int, max_bias: float) -> npt.NDArray[np.float32]:
    """Return the slopes of ALiBi, (n_heads,) float32, as in ggml for its ``max_bias``.

    Raises:
        ArgumentError: no heads, or a bias that is not positive.
    """
    if n_heads < 1 or not 0 < max_bias < float("inf"):
        raise ArgumentError(f"slopes of {n_heads} heads with a largest bias of {max_bias!r}: both must be above 0")
    power = 2 ** (n_heads.bit_length() - 1)
    heads = np.arange(n_heads)
    steps = np.where(heads < power, heads + 1, heads - power + 0.5)
    return np.asarray(2.0 ** (-max_bias / power * steps), np.float32)


def soft_max(
    p: Graph,
    x: Value | Tensor,
    mask: Value | Tensor | None = None,
    *,
    scale: float = 1.0,
    sinks: Value | Tensor | None = None,
    slopes: Value | Tensor | None = None,
) -> Value:
    """``exp(v) / (exp(v).sum(-1) + exp(sinks))`` for ``v = scale * x + slopes * mask``, row by row.

    Args:
        x: (..., H, T, K) float32, or with fewer dimensions; K at most 1,048,576.
        mask: float32 or float16, of a shape that can be broadcast to x's; its rows have K numbers. A mask of 0
            and -infinity is the cheapest.
        scale: from -2^64 to 2^64.
        sinks: (H,) float32: another number in each sum, without a result.
        slopes: (H,) float32: a factor on the mask per head, as from ``alibi_slopes``; None means 1.

    Returns:
        float32, of the shape of x. -infinity in x or in the mask gives 0. A row is NaN if it has NaN or infinity, or if
        it is fully masked and has no sink.

    Accuracy: docs/math.md, SOFT_MAX: NMSE below 3e-9 against float64; the relative error of each number is at most
    3e-4, down to the smallest. Products with scale and slopes are capped at 5678. ggml's SOFT_MAX.
    """
    x = rows(p, x, "x")
    if not x.ndim or not 0 < x.shape[-1] <= MAX_K:
        raise ArgumentError(f"soft_max of x {x.shape}: expected x (..., K), K from 1 to {MAX_K:,}")
    if not abs(scale) <= 2.0**64:
        raise ArgumentError(f"scale is {scale!r}: expected a number from -2^64 to 2^64")
    sources: list[Value | None] = [x]
    if mask is not None:
        mask = p.value(mask, "mask")
        mask = rows(p, mask, "mask", "float16" if mask.dtype == "float16" else "float32")
        if mask.ndim == 0 or mask.shape[-1] != x.shape[-1]:
            raise ArgumentError(f"mask {mask.shape} for x {x.shape}: expected rows of {x.shape[-1]}")
        mask = mask.broadcast_to(x.shape)
    sources += [mask, _of_heads(p, sinks, x, "sinks"), _of_heads(p, slopes, x, "slopes")]
    while sources[-1] is None:
        sources.pop()
    return p.op("soft_max", sources, x.shape, scale=scale)


def _of_heads(p: Graph, operand: Value | Tensor | None, x: Value, what: str) -> Value | None:
    """Return one number per head, broadcast to the rows; None without an operand."""
    if operand is None:
        return None
    value = rows(p, operand, what)
    n_heads = x.shape[-3] if x.ndim > 2 else 1
    if value.shape != (n_heads,):
        raise ArgumentError(f"{what} {value.shape} for x {x.shape}: expected ({n_heads},), one of each head")
    return value[:, None, None].broadcast_to(*x.shape[:-1], 1)
