# SPDX-License-Identifier: MIT
"""Shared code of elementwise ops with one or two operands."""

from __future__ import annotations

import numpy as np

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def unary(p: Graph, name: str, x: Value | Tensor, **params: float) -> Value:
    """Add an op with one float32 operand; the result has its shape."""
    x = rows(p, x, "x")
    return p.op(name, [x], x.shape, **params)


def binary(
    p: Graph, name: str, x: Value | Tensor, y: Value | Tensor, labels: tuple[str, str] = ("x", "y"), **params: float
) -> Value:
    """Add an op with two float32 operands; the result has their broadcast shape."""
    x, y = rows(p, x, labels[0]), rows(p, y, labels[1])
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise ArgumentError(
            f"{name} of {labels[0]} {x.shape} and {labels[1]} {y.shape}: shapes that cannot be broadcast"
        ) from None
    return p.op(name, [x.broadcast_to(shape), y.broadcast_to(shape)], shape, **params)


def gate_and_up(p: Graph, gate: Value | Tensor, up: Value | Tensor | None) -> tuple[Value, Value | Tensor]:
    """Return the two operands of a gated unit; without ``up``, the two halves of each row of ``gate``."""
    value = rows(p, gate, "gate")
    if up is not None:
        return value, up
    if not value.ndim or value.shape[-1] % 2:
        raise ArgumentError(f"gate is {value!r}: without up, expected rows of two halves")
    half = value.shape[-1] // 2
    return value[..., :half], value[..., half:]
