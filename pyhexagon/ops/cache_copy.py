# SPDX-License-Identifier: MIT
"""Copying pages of a KV cache."""

from __future__ import annotations

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.cache_append import cache_operand
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def cache_copy(p: Graph, source: Value | Tensor, cache: Value | Tensor, pairs: Value | Tensor) -> Value:
    """Copy page ``pairs[i][0]`` of source to page ``pairs[i][1]`` of cache, one pair after the other.

    Args:
        source, cache: of ``pyhexagon.cache``, with the same kind, number of KV heads and head size; may be identical.
        pairs: (N, 2) int32; pairs with a negative source page are skipped.

    Returns:
        The cache, as an operand for ops that must see the new content.

    Numbers that are out of range end the run with ProgramError before anything is written.

    Accuracy: exact. ggml's CPY of a part of a cache.
    """
    source, cache, pairs = cache_operand(p, source), cache_operand(p, cache), rows(p, pairs, "pairs", "int32")
    if source.shape[1:] != cache.shape[1:] or source.gguf_type != cache.gguf_type:
        raise ArgumentError(f"pages of {source!r} to {cache!r}: expected the same kind, KV heads and head size")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ArgumentError(f"pairs {pairs.shape}: expected (N, 2)")
    return p.op_into("cache_copy", [source, pairs], cache) if pairs.size else cache
