# SPDX-License-Identifier: MIT
"""The index of a row's largest element."""

from __future__ import annotations

from gguf import GGMLQuantizationType as Type

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def argmax(p: Graph, x: Value | Tensor) -> Value:
    """``numpy.argmax(x, axis=-1)``: the most likely token, for example.

    Args:
        x: (..., K) float32, K at least 1.

    Returns:
        (...) int32: the first of equal elements. NaN of either sign counts as larger than all numbers, as in NumPy; -0
        equals 0.

    Accuracy: exact. ggml's ARGMAX.
    """
    x = rows(p, x, "x")
    if not x.ndim or not x.shape[-1]:
        raise ArgumentError(f"argmax of x {x.shape}: expected x (..., K), K at least 1")
    return p.op("argmax", [x], (*x.shape[:-1], 1), Type.I32).reshape(x.shape[:-1])
