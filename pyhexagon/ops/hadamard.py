# SPDX-License-Identifier: MIT
"""Rotation by a Hadamard matrix, which spreads a few large elements over all."""

from __future__ import annotations

from typing import Final

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor

SIZES: Final = (32, 64, 128, 256)


def hadamard(p: Graph, x: Value | Tensor, n: int | None = None) -> Value:
    """Multiply each n elements of a row by the orthonormal Hadamard matrix: a rotation, and its own inverse.

    Args:
        x: (..., K) float32, K a multiple of n.
        n: 32, 64, 128 or 256; by default the largest of them that divides K.

    Returns:
        (..., K) float32. NaN or infinity makes its block of n elements NaN.

    Accuracy: docs/math.md, HADAMARD: NMSE below 1e-11 against float64. ggml's MUL_MAT by such a matrix.
    """
    x = rows(p, x, "x")
    size = size_for(x.shape[-1]) if n is None and x.ndim else n
    if not x.ndim or size not in SIZES or x.shape[-1] % size:
        raise ArgumentError(f"hadamard of x {x.shape} by n = {n}: expected x (..., K), K a multiple of n, n in {SIZES}")
    return p.op("hadamard", [x], x.shape, n=size)


def size_for(n_elements: int) -> int | None:
    """Return the largest block size that divides ``n_elements``, or None."""
    return max((size for size in SIZES if n_elements % size == 0), default=None)
