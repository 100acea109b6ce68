# SPDX-License-Identifier: MIT
"""Activations times a weight: ``y[m][n] = sum over k of x[m][k] * w[n][k]``; docs/arithmetic.md is the formula."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy.typing as npt

from pyhexagon._ffi.contract import MAX_DIMS, OpCode
from pyhexagon.arguments import float32_array
from pyhexagon.errors import ArgumentError
from pyhexagon.tensor import Tensor, result_tensor, weight_operand

if TYPE_CHECKING:
    from pyhexagon.graph import Batch


def add(batch: Batch, x: npt.ArrayLike | Tensor, w: Tensor, out: Tensor | None = None) -> Tensor:
    """Adds ``x @ w.T`` to a batch: x (..., K), w (N, K) or with leading dimensions, result or out (..., N)."""
    check_weight(batch, w)
    x = x if isinstance(x, Tensor) else float32_array(x)
    *leading, k = _shape_beside(w, x.shape)
    n = w.shape[-2]
    x = batch.activations(x)
    x.row_shape()
    y = result_tensor(batch.device, (*x.shape[:-1], n), out, x)
    batch.add(OpCode.MUL_MAT, [(w, w.shape), (x, (*leading, k))], (y, (*leading, n)))
    return y


def add_from_left(batch: Batch, w: Tensor, x: npt.ArrayLike | Tensor) -> Tensor:
    """Adds ``w @ x`` to a batch: w (N, K), x (K,) or (K, M), result (N,) or (N, M)."""
    check_weight(batch, w)
    if w.ndim != 2:
        raise ArgumentError(f"w @ x with w {w.shape}: expected one matrix (N, K)", hint="use device.matmul(x, w)")
    n, k = w.shape
    x = x if isinstance(x, Tensor) else float32_array(x)
    if x.ndim not in (1, 2) or x.shape[0] != k:
        raise ArgumentError(f"w @ x with w {w.shape} and x {x.shape}: expected x ({k},) or ({k}, M)")
    shape = (n, *x.shape[1:])
    if isinstance(x, Tensor):
        x = batch.activations(x)
        rows, _ = x.row_shape(transposed=True)
    else:
        x = batch.activations(x.T)
        rows, _ = x.row_shape()
    y = batch.device.empty(shape, column_major=True)
    batch.add(OpCode.MUL_MAT, [(w, w.shape), (x, (rows, k))], (y, (rows, n)))
    return y


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


def check_weight(batch: Batch, w: Tensor) -> None:
    """Raises unless w is a weight on the batch's device."""
    if weight_operand(w).device is not batch.device:
        raise ArgumentError(f"{w!r} lies on another device")
