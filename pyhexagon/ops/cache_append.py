# SPDX-License-Identifier: MIT
"""Appending keys and values to a KV cache."""

from __future__ import annotations

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor

MAX_PAGES = 16384  # pages of a sequence: about a million tokens


def cache_append(
    p: Graph,
    k: Value | Tensor,
    v: Value | Tensor,
    cache: Value | Tensor,
    *,
    pages: Value | Tensor,
    positions: Value | Tensor,
    sequences: Value | Tensor | None = None,
) -> Value:
    """Write keys and values of M tokens to their slots: position % 64 of page ``pages[sequence][position // 64]``.

    The bytes written depend on the token alone: any order of tokens, in any chunks, gives the same bytes. A token with
    a NaN or an infinity makes every row NaN that attends to it.

    Args:
        k, v: (M, H, D) float32: H and D as in the cache; D may be up to 31 less.
        cache: (P, H, D), of ``pyhexagon.cache``.
        pages: (S, N) int32, or (N,) for one sequence: the page table; only the entries of written pages matter.
        positions: (M,) int32; tokens with a negative position are skipped.
        sequences: (M,) int32 of 0 to S - 1; by default all are 0.

    Returns:
        The cache, as an operand for ops that must see the new content.

    Numbers that are out of range end the run with ProgramError before anything is written.

    Accuracy depends on the cache's type: docs/attention.md. ggml's SET_ROWS into a cache.
    """
    k, v, cache = rows(p, k, "k"), rows(p, v, "v"), cache_operand(p, cache)
    _, n_heads, n_dims = cache.shape
    if k.shape != v.shape or k.ndim != 3 or k.shape[1] != n_heads or not n_dims - 32 < k.shape[2] <= n_dims:
        raise ArgumentError(f"k {k.shape} and v {v.shape} for {cache!r}: expected both (M, {n_heads}, {n_dims})")
    numbers = paged(p, k.shape[0], pages, positions, sequences)
    return p.op_into("cache_append", [k, v, *numbers], cache) if k.size else cache


def cache_operand(p: Graph, cache: Value | Tensor) -> Value:
    """Return the operand as a value; raise ArgumentError unless it is a KV cache."""
    value = p.value(cache, "cache")
    if not value.is_cache:
        raise ArgumentError(f"cache is {value!r}: expected a KV cache", hint="pyhexagon.cache makes one")
    return value


def paged(
    p: Graph,
    n_rows: int,
    pages: Value | Tensor,
    positions: Value | Tensor,
    sequences: Value | Tensor | None,
) -> list[Value | None]:
    """Return page table, positions and sequence numbers as op sources; None without sequences."""
    table, places = rows(p, pages, "pages", "int32"), rows(p, positions, "positions", "int32")
    owners = None if sequences is None else rows(p, sequences, "sequences", "int32")
    if table.ndim not in (1, 2) or not 0 < table.shape[-1] <= MAX_PAGES or not table.shape[0]:
        raise ArgumentError(f"pages {table.shape}: expected (S, N), N from 1 to {MAX_PAGES:,}")
    for what, numbers in (("positions", places), ("sequences", owners)):
        if numbers is not None and numbers.shape != (n_rows,):
            raise ArgumentError(f"{what} {numbers.shape} for {n_rows} rows: expected ({n_rows},)")
    return [table, places, owners]
