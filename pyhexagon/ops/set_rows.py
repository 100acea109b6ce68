# SPDX-License-Identifier: MIT
"""Writing rows of a matrix by index."""

from __future__ import annotations

from pyhexagon.elements import ELEMENTS
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def set_rows(p: Graph, table: Value | Tensor, x: Value | Tensor, ids: Value | Tensor) -> Value:
    """Write ``table[ids] = x``, converted to the table's type: tokens into a cache, for example.

    Later ops of the program see the new rows, and so do reads of the tensor after the run.

    Args:
        table: (R, K) or (..., R, K), a tensor of the device or the result of an op; of any type but int32.
        x: (I, K) float32, or (..., I, K) with the leading dimensions of the table.
        ids: int32 of 0 to R - 1, (I,) for all matrices or (..., I). The DSP checks them at each run; an invalid id
            raises ProgramError, and the rows before it may be written. For equal ids the last row wins, with any number
            of threads.

    Returns:
        The table with its new content.

    Accuracy: as ``cpy``. ggml's SET_ROWS.
    """
    table = p.value(table, "table")
    x, ids = rows(p, x, "x"), rows(p, ids, "ids", "int32")
    has_rows = not table.is_weight and not table.is_cache and table.dtype != "int32"
    if not has_rows or table.view.strides[-1:] != (ELEMENTS[table.gguf_type].nbytes,):
        raise ArgumentError(f"rows of {table!r} cannot be set: expected float or quantised rows")
    *leading, _, k = table.shape if table.ndim > 1 else (0, 0)
    n = ids.shape[-1] if ids.ndim else 0
    if table.ndim < 2 or x.shape != (*leading, n, k) or ids.shape not in ((n,), (*leading, n)):
        raise ArgumentError(
            f"set_rows of a table {table.shape} with x {x.shape}, ids {ids.shape}: expected (..., R, K), (..., I, K) "
            f"and (I,) or (..., I)"
        )
    if not x.size:
        return table
    return p.op_into("set_rows", [x, ids.broadcast_to((*leading, n))], table)
