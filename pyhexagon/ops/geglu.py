# SPDX-License-Identifier: MIT
"""Gated linear unit with GELU."""

from __future__ import annotations

from pyhexagon.ops.elementwise import binary, gate_and_up
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def geglu(p: Graph, gate: Value | Tensor, up: Value | Tensor | None = None) -> Value:
    """``gelu(gate) * up``; see ``gelu``.

    Args:
        gate, up: float32, of shapes that can be broadcast together, in at most 4 dimensions. Without ``up``, the first
            half of each row of ``gate`` is the gate, and the second half is ``up``.

    Returns:
        float32, of the shape that both are broadcast to.

    Accuracy: docs/math.md, 11; NMSE 1.9e-9, worst relative error 3e-4 down to gate = -10. ggml's GEGLU.
    """
    gate, up = gate_and_up(p, gate, up)
    return binary(p, "geglu", gate, up, ("gate", "up"))
