# SPDX-License-Identifier: MIT
"""Matmul of a mixture of experts: ``y[t][u] = experts[ids[t][u]] @ x[t][u]``."""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi.contract import MAX_EXPERTS
from pyhexagon.arguments import numbers
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.program.limits import check_products
from pyhexagon.tensor import Tensor, weight_operand


def mul_mat_id(p: Graph, x: Value | Tensor, experts: Tensor, ids: Value | Tensor) -> Value:
    """Multiply each token's activations by the experts selected for it.

    Args:
        x: float32: (..., K) or (..., 1, K), the same for all experts of a token, or (..., U, K).
        experts: a weight (E, N, K) of at most 4096 experts.
        ids: (..., U) int32 of 0 to E - 1; the DSP checks them at each run.

    Returns:
        (..., U, N) float32.

    Accuracy: docs/arithmetic.md, as ``matmul``. ggml's MUL_MAT_ID.
    """
    weight_operand(experts)
    if experts.ndim != 3:
        raise ArgumentError(f"experts {experts.shape}: expected a weight (E, N, K)")
    n_experts, n, k = experts.shape
    if n_experts > MAX_EXPERTS:
        raise ArgumentError(f"experts {experts.shape}: {n_experts} experts, the maximum is {MAX_EXPERTS}")
    x, ids = rows(p, x, "x"), rows(p, ids, "ids", "int32")
    *tokens, n_used = ids.shape or (0,)
    per_token = x.shape[len(tokens) : -1]
    if not ids.shape or x.shape not in ((*tokens, k), (*tokens, 1, k), (*tokens, n_used, k)):
        raise ArgumentError(
            f"mul_mat_id with experts {experts.shape}, x {x.shape} and ids {ids.shape}: expected ids (..., U) "
            f"and x (..., {k}), (..., 1, {k}) or (..., U, {k})"
        )
    n_tokens = prod(tokens)
    sources = [p.value(experts), x.reshape(n_tokens, prod(per_token), k), ids.reshape(n_tokens, n_used)]
    check_products("mul_mat_id", (n_tokens, n_used, n), k)
    return p.op("mul_mat_id", sources, (n_tokens, n_used, n)).reshape(*tokens, n_used, n)


def checked_ids(ids: npt.ArrayLike, n_experts: int) -> npt.NDArray[np.int32]:
    """Return the ids as int32; raise ArgumentError unless they are integers of 0 to n_experts - 1."""
    array = numbers(ids, "ids", "integers")
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"ids of dtype {array.dtype}: expected integers")
    wrong = np.argwhere((array < 0) | (array >= n_experts))
    if len(wrong):
        at = tuple(wrong[0].tolist())
        raise ArgumentError(f"ids[{', '.join(map(str, at))}] is {array[at]}: experts are 0 to {n_experts - 1}")
    return array.astype(np.int32)
