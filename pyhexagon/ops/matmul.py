# SPDX-License-Identifier: MIT
"""Matmul with a weight: ``y[m][n] = sum over k of x[m][k] * w[n][k]``."""

from __future__ import annotations

from math import prod

from pyhexagon._ffi.contract import MAX_DIMS
from pyhexagon.errors import ArgumentError
from pyhexagon.program.graph import Graph, Value
from pyhexagon.program.limits import check_products
from pyhexagon.tensor import Tensor, weight_operand


def matmul(p: Graph, x: Value | Tensor, w: Tensor) -> Value:
    """``x @ w.T``.

    Args:
        x: (..., K) float32. Rows with NaN or infinity give rows of NaN.
        w: a weight (N, K), or (A, N, K) or (B, A, N, K), of any supported type; ``Device.matmul`` describes how its
            matrices are matched with x's.

    Returns:
        (..., N) float32.

    Accuracy: docs/arithmetic.md. Blocks of 32 activations are quantized to int8, for float weights to 14 bits; sums are
    integers that are rounded at fixed places, so all engines give the same bits. NMSE against float64, of normal
    activations: about 3e-5 with Q8_0, 6e-8 with F16. ggml's MUL_MAT.
    """
    weight_operand(w)
    x = rows(p, x, "x")
    n, padded_shape = w.shape[-2], _broadcast_shape(w, x.shape)
    check_products("matmul", (*x.shape[:-1], n), w.shape[-1])
    y = p.op("mul_mat", [p.value(w), x.reshape(padded_shape)], (*padded_shape[:-1], n))
    return y.reshape(*x.shape[:-1], n)


def rows(p: Graph, x: Value | Tensor, what: str, dtype: str = "float32") -> Value:
    """Return an operand as a value with contiguous rows.

    Raises:
        ArgumentError: the operand is a weight, has another dtype, or its rows are not contiguous.
    """
    value = p.value(x, what)
    if value.is_weight or value.is_cache or value.dtype != dtype:
        raise ArgumentError(f"{what} is {value!r}: expected an array, a tensor or a value of {dtype}")
    if value.ndim and value.shape[-1] > 1 and value.view.strides[-1] != value.storage.itemsize:
        raise ArgumentError(
            f"{what} is {value!r}, whose rows are not contiguous", hint="copy it with p.cpy(x)"
        )
    return value


def _broadcast_shape(w: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of x in at most 4 dimensions, with as many matrix dimensions as the weight has."""
    k = w.shape[-1]
    if not shape or shape[-1] != k:
        raise ArgumentError(f"x @ w.T with w {w.shape} and x {shape}: expected x (..., {k})")
    if w.ndim == 2:
        return prod(shape[:-1]), k
    padded_shape = (1,) * (w.ndim - len(shape)) + shape
    padded_shape = (prod(padded_shape[: -w.ndim]), *padded_shape[-w.ndim :]) if w.ndim < MAX_DIMS else padded_shape
    matrices = w.shape[:-2]
    if len(padded_shape) > MAX_DIMS or any(b % a for a, b in zip(matrices[::-1], padded_shape[-3::-1], strict=False)):
        multiples = ", ".join("any number" if a == 1 else f"a multiple of {a}" for a in matrices)
        raise ArgumentError(
            f"x @ w.T with w {w.shape} and x {shape}: expected x ({'' if w.ndim == MAX_DIMS else '..., '}"
            f"{multiples}, M, {k})"
        )
    return padded_shape
