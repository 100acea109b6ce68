# SPDX-License-Identifier: MIT
"""The indices that sort each row."""

from __future__ import annotations

from gguf import GGMLQuantizationType as Type

from pyhexagon._ffi.contract import MAX_K
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def argsort(p: Graph, x: Value | Tensor, *, descending: bool = False) -> Value:
    """``numpy.argsort(x, axis=-1, stable=True)``.

    Args:
        x: (..., K) float32, K from 1 to 1,048,576.
        descending: sort the largest first. Equal elements stay in the order of their indices.

    Returns:
        (..., K) int32. NaN, of either sign, counts as larger than all numbers; -0 equals 0.

    Accuracy: exact. ggml's ARGSORT, which does not define the order of equal elements. If you only need the largest
    elements, ``top_k`` costs a fraction.
    """
    x = rows(p, x, "x")
    if not x.ndim or not 0 < x.shape[-1] <= MAX_K:
        raise ArgumentError(f"argsort of x {x.shape}: expected x (..., K), K from 1 to {MAX_K:,}")
    return p.op("argsort", [x], x.shape, Type.I32, descending=int(descending))
