# SPDX-License-Identifier: MIT
"""Products with a weight: ``y[m][n] = sum over k of x[m][k] * w[n][k]``."""

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
        w: a weight (N, K), or (A, N, K) or (B, A, N, K), of any type that the DSP takes; ``Device.matmul`` says how its
            matrices are matched with those of x.

    Returns:
        (..., N) float32.

    Accuracy: docs/arithmetic.md. Blocks of 32 activations are quantized to int8, for float weights to 14 bits; sums are
    integers that are rounded at fixed places, so all engines give the same bits. NMSE against float64, of normal
    activations: about 3e-5 with Q8_0, 6e-8 with F16. ggml's MUL_MAT.
    """
    weight_operand(w)
    x = rows(p, x, "x")
    n, beside = w.shape[-2], _shape_beside(w, x.shape)
    check_products("matmul", (*x.shape[:-1], n), w.shape[-1])
    y = p.op("mul_mat", [p.value(w), x.reshape(beside)], (*beside[:-1], n))
    return y.reshape(*x.shape[:-1], n)


def rows(p: Graph, x: Value | Tensor, what: str, dtype: str = "float32") -> Value:
    """An operand whose elements lie side by side in each row.

    Raises:
        ArgumentError: it is a weight, of another dtype, or its rows lie otherwise.
    """
    value = p.value(x, what)
    if value.is_weight or value.is_cache or value.dtype != dtype:
        raise ArgumentError(f"{what} is {value!r}: expected an array, a tensor or a value of {dtype}")
    if value.ndim and value.shape[-1] > 1 and value.view.strides[-1] != value.storage.itemsize:
        raise ArgumentError(
            f"{what} is {value!r}, whose elements of a row do not lie side by side", hint="view it otherwise"
        )
    return value


def _shape_beside(w: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of x in at most 4 dimensions, of which as many are the weight's as it has."""
    k = w.shape[-1]
    if not shape or shape[-1] != k:
        raise ArgumentError(f"x @ w.T with w {w.shape} and x {shape}: expected x (..., {k})")
    if w.ndim == 2:
        return prod(shape[:-1]), k
    beside = (1,) * (w.ndim - len(shape)) + shape
    beside = (prod(beside[: -w.ndim]), *beside[-w.ndim :]) if w.ndim < MAX_DIMS else beside
    matrices = w.shape[:-2]
    if len(beside) > MAX_DIMS or any(b % a for a, b in zip(matrices[::-1], beside[-3::-1], strict=False)):
        multiples = ", ".join("any number" if a == 1 else f"a multiple of {a}" for a in matrices)
        raise ArgumentError(
            f"x @ w.T with w {w.shape} and x {shape}: expected x ({'' if w.ndim == MAX_DIMS else '..., '}"
            f"{multiples}, M, {k})"
        )
    return beside
