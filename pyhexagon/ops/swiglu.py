# SPDX-License-Identifier: MIT
"""Gated linear unit with SiLU."""

from __future__ import annotations

from pyhexagon.ops.elementwise import binary, gate_and_up
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def swiglu(p: Graph, gate: Value | Tensor, up: Value | Tensor | None = None) -> Value:
    """``silu(gate) * up`` with ``silu(x) = x / (1 + exp(-x))``.

    Args:
        gate, up: float32, of shapes that can be broadcast together, in at most 4 dimensions. Without ``up``, the first
            half of each row of ``gate`` is the gate, and the second half is ``up``.

    Returns:
        float32, of the shape that both are broadcast to.

    Accuracy: docs/math.md, 11; NMSE 1.4e-9, worst relative error 4e-4 down to gate = -60. ggml's SWIGLU.
    """
    gate, up = gate_and_up(p, gate, up)
    return binary(p, "swiglu", gate, up, ("gate", "up"))
