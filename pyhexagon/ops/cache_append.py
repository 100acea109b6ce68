# SPDX-License-Identifier: MIT
"""Keys and values, put into a cache."""

from __future__ import annotations

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor

MAX_PAGES = 16384  # of a sequence: about a million tokens


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
    """Puts keys and values of M tokens into their places: position % 64 of page ``pages[sequence][position // 64]``.

    What is written depends on the token alone: any order of tokens, in any pieces, gives the same bytes. A token that
    holds a NaN or an infinity makes every row NaN that sees it.

    Args:
        k, v: (M, H, D) float32: H and D of the cache, D perhaps up to 31 less.
        cache: (P, H, D), of ``pyhexagon.cache``.
        pages: (S, N) int32, or (N,) for one sequence: numbers of pages, of which only those that are written to matter.
        positions: (M,) int32; where negative, the token is left out.
        sequences: (M,) int32 of 0 to S - 1; by default all are 0.

    Returns:
        The cache, for ops that shall see what was written.

    Numbers that are out of range end the run with BatchError before anything is written.

    Accuracy: docs/attention.md; as the cache's type has it. ggml's SET_ROWS into a cache.
    """
    k, v, cache = rows(p, k, "k"), rows(p, v, "v"), cache_operand(p, cache)
    _, n_heads, n_dims = cache.shape
    if k.shape != v.shape or k.ndim != 3 or k.shape[1] != n_heads or not n_dims - 32 < k.shape[2] <= n_dims:
        raise ArgumentError(f"k {k.shape} and v {v.shape} for {cache!r}: expected both (M, {n_heads}, {n_dims})")
    numbers = paged(p, k.shape[0], pages, positions, sequences)
    return p.op_into("cache_append", [k, v, *numbers], cache) if k.size else cache


def cache_operand(p: Graph, cache: Value | Tensor) -> Value:
    """Raises ArgumentError for anything else."""
    value = p.value(cache, "cache")
    if not value.is_cache:
        raise ArgumentError(f"cache is {value!r}: expected one of keys and values", hint="pyhexagon.cache makes one")
    return value


def paged(
    p: Graph,
    n_rows: int,
    pages: Value | Tensor,
    positions: Value | Tensor,
    sequences: Value | Tensor | None,
) -> list[Value | None]:
    """Pages, positions and sequences as the ops take them."""
    table, places = rows(p, pages, "pages", "int32"), rows(p, positions, "positions", "int32")
    owners = None if sequences is None else rows(p, sequences, "sequences", "int32")
    if table.ndim not in (1, 2) or not 0 < table.shape[-1] <= MAX_PAGES or not table.shape[0]:
        raise ArgumentError(f"pages {table.shape}: expected (S, N), N from 1 to {MAX_PAGES:,}")
    for what, numbers in (("positions", places), ("sequences", owners)):
        if numbers is not None and numbers.shape != (n_rows,):
            raise ArgumentError(f"{what} {numbers.shape} for {n_rows} rows: expected ({n_rows},)")
    return [table, places, owners]
