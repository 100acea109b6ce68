# SPDX-License-Identifier: MIT
"""Repetition of a value."""

from __future__ import annotations

from collections.abc import Sequence

from pyhexagon.arguments import checked_shape
from pyhexagon.errors import ArgumentError
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def repeat(p: Graph, x: Value | Tensor, shape: Sequence[int]) -> Value:
    """Repeat ``x`` in every dimension until it fills `shape`, like ``numpy.tile``.

    Where only lengths of 1 are repeated, ``x.broadcast_to(shape)`` does the same without a copy.

    Args:
        x: of any row type, in at most 4 dimensions, with any strides.
        shape: at least as many lengths as x has; additional ones come first, the others are multiples of x's.

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
