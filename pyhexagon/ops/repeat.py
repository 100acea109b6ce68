# SPDX-License-Identifier: MIT
"""A value over and over."""

from __future__ import annotations

from collections.abc import Sequence

from pyhexagon.arguments import checked_shape
from pyhexagon.errors import ArgumentError
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def repeat(p: Graph, x: Value | Tensor, shape: Sequence[int]) -> Value:
    """``x`` over and over in every dimension until it fills `shape`, as ``numpy.tile`` does.

    Where a length is 1 only, ``x.broadcast_to(shape)`` says the same and copies nothing.

    Args:
        x: of any type that rows have, in at most 4 dimensions, of any strides.
        shape: as many lengths as x has, or more, the first of which are new; each of the others a multiple of x's.

    Returns:
        The same type, of this shape.

    Accuracy: exact. ggml's REPEAT.
    """
    x = p.value(x, "x")
    if x.is_weight or x.is_cache:
        raise ArgumentError(f"repeat of {x!r}, which has no rows", hint="p.get_rows(w, ids) gives rows of it")
    shape = checked_shape(shape)
    n_new = len(shape) - x.ndim
    if n_new < 0 or any(large % n if n else large for large, n in zip(shape[n_new:], x.shape, strict=True)):
        raise ArgumentError(f"repeat of x {x.shape} to {shape}: expected multiples of its lengths")
    return p.op("repeat", [x], shape, x.gguf_type)
