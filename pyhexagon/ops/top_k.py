# SPDX-License-Identifier: MIT
"""The indices of the largest elements of a row."""

from __future__ import annotations

from gguf import GGMLQuantizationType as Type

from pyhexagon._ffi.contract import MAX_K
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def top_k(p: Graph, x: Value | Tensor, k: int) -> Value:
    """Return the indices of the k largest elements of each row, largest first: the experts of a token, for example.

    Args:
        x: (..., K) float32, K at most 1,048,576.
        k: 1 to K.

    Returns:
        (..., k) int32, the first of equal elements first. NaN of either sign counts as larger than all numbers; -0
        equals 0.

    Accuracy: exact. ggml's TOP_K, which does not define the order.
    """
    x = rows(p, x, "x")
    n = x.shape[-1] if x.ndim else 0
    if not 1 <= k <= n <= MAX_K:
        raise ArgumentError(f"top_k of x {x.shape}, k = {k}: expected x (..., K), K up to {MAX_K:,}, and k from 1 to K")
    return p.op("top_k", [x], (*x.shape[:-1], k), Type.I32)
