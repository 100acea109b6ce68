# SPDX-License-Identifier: MIT
"""Gated delta nets, and linear attention with a decay: the recurrent state is a matrix per head."""

from __future__ import annotations

from gguf import GGMLQuantizationType as Type

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.program.limits import check_products
from pyhexagon.tensor import Tensor

SCALE_ROWS = 2  # a state in a table has S rows of integers, then a row of exponents and a row of shifts

_MOST_KEYS = 1024


def gated_delta_net(
    p: Graph,
    q: Value | Tensor,
    k: Value | Tensor,
    v: Value | Tensor,
    *,
    g: Value | Tensor,
    beta: Value | Tensor,
    state: Value | Tensor,
    slots: tuple[Value | Tensor, Value | Tensor] | None = None,
    scale: float | None = None,
    delta_rule: bool = True,
) -> tuple[Value, Value]:
    """Run the recurrence for each head, token by token; return the results and the new state.

    ``state *= exp(g); state += outer(k, beta * (v - k @ state)); result = scale * (q @ state)``

    Args:
        q, k: (T, H, S) float32, T tokens, H heads, S up to 1,024. Use ``broadcast_to`` to share them between heads.
        v: (T, H, D) float32.
        g, beta: (T, H) float32: the logarithm of the decay, and the weight of the update.
        state: (H, S, D) float32: zeros at first, then the state returned by the previous call. With ``slots``: a table
            of N states, (N, H, S + 2, D), a tensor of the device or the result of an op. Its float32 elements hold the
            bits of integers: S rows, then an exponent and a shift for each column. Zeros are a state of zeros.
        slots: the slot of the table that each sequence reads, and the slot that it writes, which may be the same one:
            (B,) int32 each. A sequence is skipped if one is negative: its results are 0, and it writes nothing. The DSP
            checks them at each run; one that is N or more, or that a sequence writes and another one reads or writes,
            raises ProgramError, and other slots may be written.
        scale: 2^-64 to 2^64; None means 1 / sqrt(S).
        delta_rule: whether ``k @ state`` is subtracted from v. Without it this is linear attention with a decay, such
            as Mamba 2's scan: q is its C, k its B, v its x, beta its time step, and g the time step times A.

        With another leading dimension B, the operands belong to B sequences; with ``slots``, they have it.

    Returns:
        The results, (T, H, D) float32, and the new state, (H, S, D): views of one value; ``p.cpy`` separates them. With
        ``slots``: the results, (B, T, H, D), and the table with its new content, which the op updates in place. The
        bits of the results then do not depend on how many tokens a call has; without, the returned state is rounded.

    NaN, infinity or overflow in a column of the state or of v makes that column NaN; in k, g or beta, all columns.

    Accuracy: docs/math.md, 20: NMSE of results and state below 1e-11 against float64. ggml's GATED_DELTA_NET, and
    without the delta rule the recurrence of SSM_SCAN.
    """
    labels = "q", "k", "v", "g", "beta", "state"
    values = [rows(p, value, what) for value, what in zip((q, k, v, g, beta, state), labels, strict=True)]
    ids = [rows(p, value, "slots", "int32") for value in slots or ()]
    shapes = [value.shape for value in values]
    n = values[0].ndim
    if n not in ((4,) if ids else (3, 4)) or values[5].ndim != n:
        raise _shape_error(shapes)
    *batch, n_heads, n_rows, n_values = shapes[5]
    n_keys = n_rows - (SCALE_ROWS if ids else 0)
    batch = list(shapes[0][:1]) if ids else batch
    n_tokens = shapes[0][-3]
    tokens = (*batch, n_tokens, n_heads)
    wanted = [(*tokens, n_keys), (*tokens, n_keys), (*tokens, n_values), tokens, tokens, shapes[5]]
    if shapes != wanted or not n_tokens or not n_values or not 1 <= n_keys <= _MOST_KEYS:
        raise _shape_error(shapes)
    for numbers in ids:
        if numbers.shape != tuple(batch):
            raise ArgumentError(f"slots {numbers.shape} of {batch[0]} sequences: expected ({batch[0]},)")
    scale = n_keys**-0.5 if scale is None else scale
    if not 2.0**-64 <= scale <= 2.0**64:
        raise ArgumentError(f"scale is {scale!r}: expected a number from 2^-64 to 2^64")
    order = (*range(n - 3), n - 2, n - 3, n - 1)
    heads = [value.transpose(*order) for value in values[:3]]
    heads += [value.reshape(*tokens, 1).transpose(*order) for value in values[3:5]]
    length = n_tokens * n_values
    shape = (*batch, n_heads, length + (0 if ids else n_keys * n_values))
    check_products("gated_delta_net", shape, 128 * n_keys)  # about its cost
    if ids:
        table = values[5].reshape(shapes[5][0], n_heads, n_rows * n_values)
        sources = [ids[0], *heads, ids[1]]
        result = p.op("gated_delta_net", sources, shape, Type.F32, table, scale=scale, delta_rule=int(delta_rule))
        return result.reshape(*batch, n_heads, n_tokens, n_values).transpose(*order), values[5]
    result = p.op("gated_delta_net", [values[5], *heads], shape, scale=scale, delta_rule=int(delta_rule))
    answers = result[..., :length].reshape(*batch, n_heads, n_tokens, n_values).transpose(*order)
    return answers, result[..., length:].reshape(*batch, n_heads, n_keys, n_values)


def _shape_error(shapes: list[tuple[int, ...]]) -> ArgumentError:
    return ArgumentError(
        f"gated_delta_net of q, k, v, g, beta, state {', '.join(map(str, shapes))}: expected q and k (T, H, S), v "
        f"(T, H, D), g and beta (T, H), state (H, S, D), or all with B before; with slots, state (N, H, S + 2, D); "
        f"T and D at least 1, S 1 to {_MOST_KEYS}"
    )
