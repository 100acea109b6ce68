# SPDX-License-Identifier: MIT
"""Attention over a cache of keys and values."""

from __future__ import annotations

from math import inf

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.cache_append import cache_operand, paged
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def flash_attn_ext(
    p: Graph,
    q: Value | Tensor,
    cache: Value | Tensor,
    *,
    pages: Value | Tensor,
    positions: Value | Tensor,
    sequences: Value | Tensor | None = None,
    lengths: Value | Tensor | None = None,
    sinks: Value | Tensor | None = None,
    scale: float | None = None,
    window: int = 0,
) -> Value:
    """``softmax(scale * q @ k.T) @ v`` for each row and head, over what the row sees of its sequence.

    A row sees positions up to its own; with ``lengths``, all of its sequence. It does not depend on the other rows, on
    which pages hold the sequence, or on what else is in them.

    Args:
        q: (M, H, D) float32; H a multiple of the cache's KV heads, D that of the cache or up to 31 less. Head h reads
            KV head h // (H / KV heads).
        cache: (P, KV heads, D), of ``pyhexagon.cache``; pass the result of ``cache_append`` to see what that wrote.
        pages: (S, N) int32, or (N,) for one sequence: which pages hold it; only those that are seen matter.
        positions: (M,) int32; a row with a negative one sees nothing, and is 0.
        sequences: (M,) int32 of 0 to S - 1; by default all are 0.
        lengths: (S,) int32, how many tokens a sequence has: then rows see both ways.
        sinks: (H,) float32: a logit of each head that takes part in the softmax, and has no value. They are not scaled.
        scale: finite and not negative; 1 / sqrt(D) if it is None.
        window: a row sees so many positions, the last of which is its own; both ways, half as many on either side. 0:
            all of them.

    Returns:
        (M, H, D) float32. Rows with a NaN or an infinity in q, a NaN as sink, or that see a token with one, are NaN.

    Numbers that are out of range end the run with BatchError.

    Accuracy: docs/attention.md; about 1.4 times the NMSE of llama.cpp's scheme. ggml's FLASH_ATTN_EXT.
    """
    q, cache = rows(p, q, "q"), cache_operand(p, cache)
    _, n_heads, n_dims = cache.shape
    if q.ndim != 3 or not q.shape[1] or q.shape[1] % n_heads or not n_dims - 32 < q.shape[2] <= n_dims:
        raise ArgumentError(f"q {q.shape} over {cache!r}: expected (M, a multiple of {n_heads}, {n_dims})")
    scale = q.shape[2] ** -0.5 if scale is None else scale
    if not 0 <= scale < inf:
        raise ArgumentError(f"scale is {scale!r}: expected a number that is finite and not negative")
    if not 0 <= window < 1 << 31:
        raise ArgumentError(f"window is {window!r}: expected a number of positions, or 0")
    numbers = paged(p, q.shape[0], pages, positions, sequences)
    table = numbers[0]
    if lengths is not None:
        lengths = rows(p, lengths, "lengths", "int32")
        n_sequences = table.shape[0] if table is not None and table.ndim == 2 else 1
        if lengths.shape != (n_sequences,):
            raise ArgumentError(f"lengths {lengths.shape} for {n_sequences} sequences: expected ({n_sequences},)")
    if sinks is not None:
        sinks = rows(p, sinks, "sinks")
        if sinks.shape != (q.shape[1],):
            raise ArgumentError(f"sinks {sinks.shape} for {q.shape[1]} heads: expected ({q.shape[1]},)")
    return p.op("flash_attn_ext", [q, cache, *numbers, lengths, sinks], q.shape, scale=scale, window=window)
