# SPDX-License-Identifier: MIT
"""Rows of a matrix, selected by index."""

from __future__ import annotations

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def get_rows(p: Graph, table: Value | Tensor, ids: Value | Tensor) -> Value:
    """``table[ids]`` as float32: the embeddings of tokens, for example.

    Args:
        table: (R, K), a weight of any supported type, or rows of float32 or float16; or (..., R, K) in at most 4
            dimensions, whose leading ones match those of ids.
        ids: int32 of 0 to R - 1, which the DSP checks at each run; of any shape for a table (R, K), else (..., I).

    Returns:
        (*ids.shape, K) float32.

    Accuracy: docs/math.md, 9: exact for rows; for a weight, the values of its tiles, as from ``Tensor.dequantize``.
    ggml's GET_ROWS.
    """
    table = p.value(table, "table")
    if not table.is_weight:
        table = rows(p, table, "table", "float16" if table.dtype == "float16" else "float32")
    tensor = table.storage.tensor
    if tensor is not None and len(tensor.parts) > 1:
        raise UnsupportedError(f"rows of {table!r}, which lies in {len(tensor.parts)} sessions: it must lie in one")
    ids = rows(p, ids, "ids", "int32")
    if table.ndim < 2 or (table.ndim > 2 and table.shape[:-2] != ids.shape[:-1]):
        raise ArgumentError(f"rows of a table {table.shape} by ids {ids.shape}: expected (..., R, K) and (..., I)")
    flat_ids = ids.reshape(-1) if table.ndim == 2 else ids
    k = table.shape[-1]
    return p.op("get_rows", [table, flat_ids], (*flat_ids.shape, k)).reshape(*ids.shape, k)
