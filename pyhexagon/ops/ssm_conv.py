# SPDX-License-Identifier: MIT
"""Causal depthwise convolution along time, as in state space models and gated delta nets."""

from __future__ import annotations

from gguf import GGMLQuantizationType as Type

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor

_CHUNK = 256  # channels per row, so that one token's channels are spread over all threads


def ssm_conv(
    p: Graph,
    x: Value | Tensor,
    weight: Value | Tensor,
    *,
    state: Value | Tensor | None = None,
    slots: tuple[Value | Tensor, Value | Tensor] | None = None,
) -> Value:
    """``sum(x[..., j : j + T, :] * weight[j] for j in range(J))``: each channel convolved over J tokens.

    Args:
        x: (T + J - 1, C) float32, or (B, T + J - 1, C): the last J - 1 tokens before, then T new ones. With ``state``:
            (B, T, C), the new tokens of B sequences, T at least 1.
        weight: (J, C) float32, J at least 1, with ``state`` at least 2; GGUF stores it transposed.
        state: a table of N slots, (N, J - 1, C) float32, a tensor of the device or the result of an op: the last J - 1
            tokens of sequences. The op updates it in place.
        slots: of the table: the one that each sequence reads, and the one that it writes, (B,) int32 each; as for
            ``gated_delta_net``, but no sequence may write the slot that it reads.

    Returns:
        (T, C) float32, or (B, T, C).

    Accuracy: docs/math.md, 19: each product and sum as in MUL and ADD, in the order of j. ggml's SSM_CONV, which takes
    both operands transposed.
    """
    x, weight = rows(p, x, "x"), rows(p, weight, "weight")
    table = None if state is None else rows(p, state, "state")
    ids = [rows(p, numbers, "slots", "int32") for numbers in slots or ()]
    if bool(ids) != (table is not None):
        raise ArgumentError("ssm_conv with a state takes slots, and without one takes none")
    n_taps = weight.shape[0] if weight.ndim == 2 else 0
    n_before = 0 if ids else n_taps - 1  # tokens in x before the new ones
    if x.ndim not in ((3,) if ids else (2, 3)) or n_taps < (2 if ids else 1):
        raise _shape_error(x, weight, table)
    *batch, n_tokens, n_channels = x.shape
    if weight.shape[1] != n_channels or n_tokens < (1 if ids else n_before):
        raise _shape_error(x, weight, table)
    if table is not None and (table.ndim != 3 or table.shape[1:] != (n_taps - 1, n_channels)):
        raise _shape_error(x, weight, table)
    for numbers in ids:
        if numbers.shape != tuple(batch):
            raise ArgumentError(f"slots {numbers.shape} of {batch[0]} sequences: expected ({batch[0]},)")
    split = (n_channels // _CHUNK, _CHUNK) if n_channels % _CHUNK == 0 and n_channels else (1, n_channels)
    shape = (*batch, n_tokens - n_before)
    sources = [x.reshape(*batch, n_tokens, *split), weight.reshape(n_taps, *split), *ids]
    return p.op("ssm_conv", sources, (*shape, *split), Type.F32, table).reshape(*shape, n_channels)


def _shape_error(x: Value, weight: Value, state: Value | None) -> ArgumentError:
    if state is None:
        return ArgumentError(f"ssm_conv of x {x.shape}, weight {weight.shape}: expected (..., T + J - 1, C) and (J, C)")
    return ArgumentError(
        f"ssm_conv of x {x.shape}, weight {weight.shape}, state {state.shape}: expected (B, T, C), (J, C) and "
        "(N, J - 1, C), T at least 1, J at least 2"
    )
