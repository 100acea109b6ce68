# SPDX-License-Identifier: MIT
"""Activations times a weight: ``y[m][n] = sum over k of x[m][k] * w[n][k]``; docs/arithmetic.md is the formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from pyhexagon._ffi.contract import OpCode
from pyhexagon.errors import ArgumentError
from pyhexagon.tensor import Tensor, float32_array

if TYPE_CHECKING:
    from pyhexagon.graph import Batch


def add(batch: Batch, x: npt.ArrayLike | Tensor, w: Tensor) -> Tensor:
    """Adds ``x @ w.T`` to a batch: x (..., K), w (N, K), result (..., N)."""
    n, k = _weight_shape(batch, w)
    x = x if isinstance(x, Tensor) else float32_array(x)
    if not x.shape or x.shape[-1] != k:
        raise ArgumentError(f"x @ w.T with w {w.shape} and x {x.shape}: expected x (..., {k})")
    shape = (*x.shape[:-1], n)
    x = batch.activations(x)
    rows, _ = x.row_shape()
    y = batch.device.empty(shape)
    batch.add(OpCode.MUL_MAT, [(w, n, k), (x, rows, k)], (y, rows, n))
    return y


def add_from_left(batch: Batch, w: Tensor, x: npt.ArrayLike | Tensor) -> Tensor:
    """Adds ``w @ x`` to a batch: w (N, K), x (K,) or (K, M), result (N,) or (N, M)."""
    n, k = _weight_shape(batch, w)
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
    batch.add(OpCode.MUL_MAT, [(w, n, k), (x, rows, k)], (y, rows, n))
    return y


def _weight_shape(batch: Batch, w: Tensor) -> tuple[int, int]:
    if not isinstance(w, Tensor) or not w.is_weight:
        raise ArgumentError(
            f"the weight of a product is {w!r}" if isinstance(w, Tensor) else f"the weight of a product is {type(w)}",
            hint="make one with device.weight(array) or device.load(file, name)",
        )
    if w.device is not batch.device:
        raise ArgumentError(f"{w!r} lies on another device")
    n, k = w.shape
    return n, k
