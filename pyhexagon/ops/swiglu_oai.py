# SPDX-License-Identifier: MIT
"""Clamped gated linear unit of gpt-oss."""

from __future__ import annotations

from pyhexagon.ops.elementwise import binary, gate_and_up
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def swiglu_oai(
    p: Graph, gate: Value | Tensor, up: Value | Tensor | None = None, *, alpha: float = 1.702, limit: float = 7.0
) -> Value:
    """``x / (1 + exp(-alpha * x)) * (1 + y)`` with ``x = min(gate, limit)`` and ``y = clip(up, -limit, limit)``.

    Args:
        gate, up: float32, of shapes that can be broadcast together, in at most 4 dimensions. Without ``up``, the first
            half of each row of ``gate`` is the gate, and the second half is ``up``.
        alpha, limit: taken as float32; a limit of infinity disables clamping.

    Returns:
        float32, of the shape that both are broadcast to.

    Accuracy: docs/math.md, 11; NMSE 4e-9, worst relative error 3e-4 where up is not near -1. ggml's SWIGLU_OAI.
    """
    gate, up = gate_and_up(p, gate, up)
    return binary(p, "swiglu_oai", gate, up, ("gate", "up"), alpha=alpha, limit=limit)
