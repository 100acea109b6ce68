# SPDX-License-Identifier: MIT
"""Attention over a KV cache."""

from __future__ import annotations

from math import inf
from typing import Final

from pyhexagon._ffi.contract import OF_HEADS
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.cache_append import cache_operand, paged
from pyhexagon.ops.concat import concat
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.program.limits import check_products
from pyhexagon.tensor import Tensor

SOFTCAP_LEAST: Final = 2.0**-10
SOFTCAP_MOST: Final = 4096.0


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
    softcap: float = 0.0,
    slopes: Value | Tensor | None = None,
    mask: Value | Tensor | None = None,
) -> Value:
    """``softmax(scale * q @ k.T) @ v`` for each row and head, over the tokens of its sequence that the row sees.

    A row sees the positions up to its own; with ``lengths``, its whole sequence. The result does not depend on other
    rows, on the pages that hold the sequence, or on other content of these pages.

    Args:
        q: (M, H, D) float32; H a multiple of the cache's KV heads, D that of the cache or up to 31 less. Head h reads
            KV head h // (H / KV heads).
        cache: (P, KV heads, D), of ``pyhexagon.cache``; pass the result of ``cache_append`` to see the new tokens.
        pages: (S, N) int32, or (N,) for one sequence: the page table; only the entries of visible pages matter.
        positions: (M,) int32; a row with a negative position sees nothing, and its result is 0.
        sequences: (M,) int32 of 0 to S - 1; by default all are 0.
        lengths: (S,) int32, the number of tokens of each sequence: enables bidirectional attention.
        sinks: (H,) float32: an attention sink per head, a logit in the softmax without a value. It is not scaled.
        scale: finite and not negative; None means 1 / sqrt(D).
        window: sliding window: the number of visible positions, the last of which is the row's own; bidirectional:
            half of it on either side. 0 means no window.
        softcap: c, from 1/1024 to 4096: logits first become ``c * tanh(logit / c)``; 0 means no cap.
        slopes: (H,) float32, as from ``alibi_slopes``: per head, -slope times the distance of two positions is added
            to a logit; with a mask, slope times the mask instead.
        mask: (M, T) float32 or float16, added to the logits: column t is position t. -infinity hides a position; no
            mask makes more positions visible. A row that sees nothing is 0. T must cover all visible positions.

    Returns:
        (M, H, D) float32. Rows are NaN if q has a NaN or an infinity, a sink is NaN, or a visible token has one; so are
        heads with such a slope, and rows with a NaN or +infinity in the mask.

    Numbers that are out of range end the run with ProgramError.

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
    if not (softcap == 0 or SOFTCAP_LEAST <= softcap <= SOFTCAP_MOST):
        raise ArgumentError(f"softcap is {softcap!r}: expected 0, or a number from {SOFTCAP_LEAST} to {SOFTCAP_MOST}")
    per_head = [
        _of_heads(p, q.shape[1], name, value)
        for name, value in (("sinks", sinks), ("slopes", slopes))
        if value is not None
    ]
    of_heads = concat(p, per_head) if len(per_head) == 2 else per_head[0] if per_head else None
    sources = [q, cache, *numbers, lengths, of_heads, _mask(p, q.shape[0], mask)]
    kind = "SLOPES" if sinks is None and slopes is not None else "SINKS" if slopes is None else "SINKS_AND_SLOPES"
    params = {"scale": scale, "window": window, "softcap": softcap, "slopes": OF_HEADS[kind]}
    if table is not None:
        check_products("flash_attn_ext", q.shape, table.shape[-1] * 64)  # 64 tokens per page
    return p.op("flash_attn_ext", sources, q.shape, **params)


def _of_heads(p: Graph, n_heads: int, name: str, operand: Value | Tensor) -> Value:
    value = rows(p, operand, name)
    if value.shape != (n_heads,):
        raise ArgumentError(f"{name} {value.shape} for {n_heads} heads: expected ({n_heads},)")
    return value


def _mask(p: Graph, n_rows: int, operand: Value | Tensor | None) -> Value | None:
    if operand is None:
        return None
    value = p.value(operand, "mask")
    value = rows(p, value, "mask", "float16" if value.dtype == "float16" else "float32")
    if value.ndim != 2 or value.shape[0] != n_rows or not value.shape[1]:
        raise ArgumentError(f"mask {value.shape} for {n_rows} rows: expected ({n_rows}, positions)")
    return value
