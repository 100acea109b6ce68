# SPDX-License-Identifier: MIT
"""A mixture of experts: ``y[t][u] = experts[ids[t][u]] @ x[t][u]``, each product as in docs/arithmetic.md."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi.contract import MAX_EXPERTS, OpCode
from pyhexagon.arguments import I32, float32_array, numbers
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import check_weight
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.graph import Batch


def add(batch: Batch, x: npt.ArrayLike | Tensor, experts: Tensor, ids: npt.ArrayLike | Tensor) -> Tensor:
    """Adds it to a batch: x (..., K) or (..., 1 or U, K), experts (E, N, K), ids (..., U), result (..., U, N)."""
    check_weight(batch, experts)
    if experts.ndim != 3:
        raise ArgumentError(f"experts {experts.shape}: expected a weight (E, N, K)")
    n_experts, n, k = experts.shape
    if n_experts > MAX_EXPERTS:
        raise ArgumentError(f"experts {experts.shape}: {n_experts} experts, at most {MAX_EXPERTS} are taken")
    x = x if isinstance(x, Tensor) else float32_array(x)
    ids = ids if isinstance(ids, Tensor) else _checked(ids, n_experts)
    *tokens, n_used = ids.shape or (0,)
    per_token = x.shape[len(tokens) : -1]
    if not ids.shape or x.shape not in ((*tokens, k), (*tokens, 1, k), (*tokens, n_used, k)):
        raise ArgumentError(
            f"mul_mat_id with experts {experts.shape}, x {x.shape} and ids {ids.shape}: expected ids (..., U) "
            f"and x (..., {k}), (..., 1, {k}) or (..., U, {k})"
        )
    x = batch.activations(x)
    x.row_shape()
    ids = batch.operand(ids, I32, "ids of experts")
    y = batch.device.empty((*tokens, n_used, n))
    n_tokens = prod(tokens)
    sources = [(experts, experts.shape), (x, (n_tokens, prod(per_token), k)), (ids, (n_tokens, n_used))]
    batch.add(OpCode.MUL_MAT_ID, sources, (y, (n_tokens, n_used, n)))
    return y


def _checked(ids: npt.ArrayLike, n_experts: int) -> npt.NDArray[np.int32]:
    """The ids as int32, which loses nothing: they must be experts'."""
    array = numbers(ids, "ids", "integers")
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"ids of dtype {array.dtype}: expected integers")
    wrong = np.argwhere((array < 0) | (array >= n_experts))
    if len(wrong):
        at = tuple(wrong[0].tolist())
        raise ArgumentError(f"ids[{', '.join(map(str, at))}] is {array[at]}: experts are 0 to {n_experts - 1}")
    return array.astype(np.int32)
