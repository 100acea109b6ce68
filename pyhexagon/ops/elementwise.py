# SPDX-License-Identifier: MIT
"""What the ops share that compute each element from one other, or from two."""

from __future__ import annotations

import numpy as np

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def unary(p: Graph, name: str, x: Value | Tensor, **params: float) -> Value:
    """An op of one float32 operand; the result has its shape."""
    x = rows(p, x, "x")
    return p.op(name, [x], x.shape, **params)


def binary(
    p: Graph, name: str, x: Value | Tensor, y: Value | Tensor, whats: tuple[str, str] = ("x", "y"), **params: float
) -> Value:
    """An op of two float32 operands; the result has the shape that both are broadcast to."""
    x, y = rows(p, x, whats[0]), rows(p, y, whats[1])
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise ArgumentError(
            f"{name} of {whats[0]} {x.shape} and {whats[1]} {y.shape}: shapes that cannot be broadcast"
        ) from None
    return p.op(name, [x.broadcast_to(shape), y.broadcast_to(shape)], shape, **params)


def gate_and_up(p: Graph, gate: Value | Tensor, up: Value | Tensor | None) -> tuple[Value, Value | Tensor]:
    """The operands of a gated unit: two, or the halves of each row of one."""
    value = rows(p, gate, "gate")
    if up is not None:
        return value, up
    if not value.ndim or value.shape[-1] % 2:
        raise ArgumentError(f"gate is {value!r}: without up, expected rows of two halves")
    half = value.shape[-1] // 2
    return value[..., :half], value[..., half:]
