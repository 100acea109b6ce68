# SPDX-License-Identifier: MIT
"""Addition of table rows selected by ids: the biases of experts."""

from __future__ import annotations

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def add_id(p: Graph, x: Value | Tensor, table: Value | Tensor, ids: Value | Tensor) -> Value:
    """``x + table[ids]``.

    Args:
        x: (U, N) or (T, U, N) float32.
        table: (R, N) float32.
        ids: (U,) or (T, U) int32 of 0 to R - 1; the DSP checks them at each run.

    Returns:
        float32, of the shape of x.

    Accuracy: docs/math.md, 3; at most 0.532 units in the last place off. ggml's ADD_ID.
    """
    x, table, ids = rows(p, x, "x"), rows(p, table, "table"), rows(p, ids, "ids", "int32")
    if x.ndim not in (2, 3) or table.shape != (*table.shape[:1], x.shape[-1]) or ids.shape != x.shape[:-1]:
        raise ArgumentError(
            f"add_id of x {x.shape}, table {table.shape} and ids {ids.shape}: "
            "expected (U, N) or (T, U, N), (R, N) and the shape of x without N"
        )
    return p.op("add_id", [x, table, ids], x.shape)
