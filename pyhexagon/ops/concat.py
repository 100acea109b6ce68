# SPDX-License-Identifier: MIT
"""Concatenation."""

from __future__ import annotations

from collections.abc import Sequence

from pyhexagon._ffi.contract import MAX_SRC
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.cpy import cpy
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def concat(p: Graph, values: Sequence[Value | Tensor], axis: int = -1) -> Value:
    """``numpy.concatenate(values, axis)``.

    Args:
        values: 2 to 8 values of one row type and at most 4 dimensions, with any strides; their lengths may differ along
            `axis` only, where at least one is above 0.
        axis: the axis to concatenate along; negative axes count from the end.

    Returns:
        The same type.

    Accuracy: exact. ggml's CONCAT.
    """
    parts = [p.value(value, "values") for value in values]
    if not 2 <= len(parts) <= MAX_SRC:
        raise ArgumentError(f"concat of {len(parts)} values: expected 2 to {MAX_SRC}")
    first = parts[0]
    dimension = axis + first.ndim if axis < 0 else axis
    if not 0 <= dimension < first.ndim:
        raise ArgumentError(f"concat of {first!r} along axis {axis}, which it does not have")
    for part in parts:
        if part.is_weight or part.is_cache:
            raise ArgumentError(f"concat of {part!r}, which has no rows", hint="p.get_rows(w, ids) gives rows of it")
        others = [[n for i, n in enumerate(value.shape) if i != dimension] for value in (first, part)]
        if part.gguf_type != first.gguf_type or part.ndim != first.ndim or others[0] != others[1]:
            raise ArgumentError(f"concat of {first!r} and {part!r} along axis {axis}: one type, other lengths equal")
    length = sum(part.shape[dimension] for part in parts)
    parts = [part for part in parts if part.shape[dimension]]
    if not parts:
        raise ArgumentError(f"concat of {first!r} and others along axis {axis}, where none has any length")
    if len(parts) == 1:
        return cpy(p, parts[0])
    shape = (*first.shape[:dimension], length, *first.shape[dimension + 1 :])
    return p.op("concat", parts, shape, first.gguf_type, axis=first.ndim - 1 - dimension)
