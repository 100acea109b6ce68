# SPDX-License-Identifier: MIT
"""Rows made to probabilities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi.contract import MAX_K
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def alibi_slopes(n_heads: int, max_bias: float) -> npt.NDArray[np.float32]:
    """The slopes of ALiBi, (n_heads,) float32, as ggml has them for its ``max_bias``.

    Raises:
        ArgumentError: no heads, or a bias that is not above 0.
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
        mask: float32 or float16, of a shape that can be broadcast to that of x; its rows have K numbers. Those of 0 and
            -infinity cost least.
        scale: from -2^64 to 2^64.
        sinks: (H,) float32: another number in each sum, without a result.
        slopes: (H,) float32: what a head's mask is multiplied with, as ``alibi_slopes`` has them; 1 if it is None.

    Returns:
        float32, of the shape of x. -infinity in x or in the mask makes a 0. A row with NaN or infinity is NaN, so is
        one that is masked as a whole and has no sink.

    Accuracy: docs/math.md, SOFT_MAX: NMSE below 3e-9 against float64, each number at most 3e-4 off, relative, down to
    the smallest. Products with scale and slopes beyond 5678 count as that. ggml's SOFT_MAX.
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
    """One number beside each row."""
    if operand is None:
        return None
    value = rows(p, operand, what)
    n_heads = x.shape[-3] if x.ndim > 2 else 1
    if value.shape != (n_heads,):
        raise ArgumentError(f"{what} {value.shape} for x {x.shape}: expected ({n_heads},), one of each head")
    return value[:, None, None].broadcast_to(*x.shape[:-1], 1)
