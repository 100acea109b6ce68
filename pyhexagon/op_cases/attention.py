# SPDX-License-Identifier: MIT
"""The cases of attention and of its cache: recorded ones, and the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np

from pyhexagon import cache
from pyhexagon.op_cases.case import Build, CaseList

_NMSE: Final = {"f16": 1e-6, "q8_0": 5e-4, "q4_0": 6e-2}  # against unquantised keys and values


def flash_attn_ext(cases: CaseList) -> None:
    for kind in cache.KINDS:

        def record(name: str, build: Build, dtype: str = kind.upper()) -> None:
            cases.record_bits(name, build, dtype)

        record("head of 64, group of 4, one row", _attend(kind, 1, 100, (8, 2, 64)))
        record("head of 128, group of 1, 3 rows", _attend(kind, 3, 70, (2, 2, 128)))
        record("head of 256, group of 7, 20 rows", _attend(kind, 20, 127, (7, 1, 256)))
        record("head of 80, both ways, window", _attend(kind, 40, 90, (4, 2, 80), lengths=True, window=31))
        record("head of 32, sinks, window", _attend(kind, 64, 128, (2, 1, 32), sinks=True, window=50, scale=0.25))
        record("head of 64, softcap", _attend(kind, 3, 70, (4, 2, 64), softcap=5.0))
        record("head of 64, sinks and slopes", _attend(kind, 7, 90, (6, 2, 64), sinks=True, slopes=True))
        record("head of 96, slopes, a mask", _attend(kind, 2, 100, (5, 1, 96), slopes=True, mask=True))
        for size, (small, what) in product((32, 64, 128), ((100, "small"), (64, "large behind small"), (0, "large"))):
            record(f"head of {size}, groups of 1 to 4, {what} logits", partial(_attend_by_groups, kind, size, small))
        for size in (32, 64, 128):  # prefill, whose loops do not prefetch
            record(f"head of {size}, groups of 1 to 4, 2 rows", partial(_attend_by_groups, kind, size, 100, m=2))
        record("head of 512, groups of 1 to 4", partial(_attend_by_groups, kind, 512, 100))
        record("600 tokens, one KV head", partial(_attend_far, kind, 600))
        record("1000 tokens, one KV head", partial(_attend_far, kind, 1000))  # more than two threads prepare q
        for size, group, n in product((64, 80, 128, 256), (1, 4, 7), (113, 512)):
            _compare(cases, kind, (2, group, size), n, 1 + n % 7)
        for m, has_sinks, window in product((1, 3, 32, 75), (False, True), (0, 40)):
            _compare(cases, kind, (2, 4, 64), 200, m, has_sinks=has_sinks, window=window)
        for heads, n, m in (
            ((1, 4, 64), 2048, 1), ((8, 4, 64), 2048, 1), ((1, 7, 64), 2048, 1), ((1, 1, 64), 2048, 1),
            ((8, 1, 64), 2048, 1), ((3, 4, 64), 1024, 1), ((1, 4, 128), 8192, 1), ((1, 4, 64), 512, 64),
        ):  # fmt: skip
            name = f"head {heads[2]}, {heads[0]} KV heads of {heads[1]}, {n} tokens, {m} rows"
            cases.measure(name, partial(_measured, kind, heads, n, m), kind.upper())


def cache_append(cases: CaseList) -> None:
    def build(kind: str, n_heads: int, head_size: int, any_bits: bool, g: Any) -> Any:
        written, _ = _append(g, kind, 128, n_heads, head_size, v=g.bits if any_bits else g.floats)
        return _copy_to_read(g, written, kind, n_heads, head_size)

    def measured(kind: str, size: int, g: Any) -> tuple[()]:
        _append_in_order(g, kind, 64, 1, size)
        return ()

    for kind in cache.KINDS:
        cases.record_bits("two pages, head of 64", partial(build, kind, 2, 64, False), kind.upper())
        cases.record_bits("two pages, head of 80, any bits", partial(build, kind, 1, 80, True), kind.upper())
    for kind, size in product(cache.KINDS, (64, 128)):
        cases.measure(f"64 tokens, head {size}", partial(measured, kind, size), kind.upper())


def cache_copy(cases: CaseList) -> None:
    def build(kind: str, g: Any) -> Any:
        written, _ = _append(g, kind, 128, 3, 32)
        pairs = g.array(np.array([[0, 1], [-1, 0]], np.int32))
        return _copy_to_read(g, g.p.cache_copy(written, written, pairs), kind, 3, 32)

    def measured(kind: str, g: Any) -> tuple[()]:
        kv_cache = g.pages(kind, 2, 8, 64)
        g.p.cache_copy(kv_cache, kv_cache, g.array(np.array([[0, 1]], np.int32)))
        return ()

    for kind in cache.KINDS:
        cases.record_bits("a page over the other", partial(build, kind), kind.upper())
        cases.measure("a page of 8 heads of 64", partial(measured, kind), kind.upper())


def _append(
    g: Any,
    kind: str,
    n_tokens: int,
    n_heads: int,
    head_size: int,
    *,
    k: Any = None,
    v: Any = None,
    small: int = 0,
) -> tuple[Any, Any]:
    """Append tokens to a new cache; return the cache and its page table, which uses the pages in reverse order.

    Args:
        k, v: draw keys and values of a shape; None: g.floats.
        small: the number of tokens, from the first on, with small keys.
    """
    n_pages = max(2, -(-n_tokens // cache.PAGE_TOKENS))
    pages = g.array(np.arange(n_pages, dtype=np.int32)[::-1].copy())
    positions = g.array(np.arange(n_tokens, dtype=np.int32))
    shape = n_tokens, n_heads, head_size
    keys, values = (k or g.floats)(*shape), (v or g.floats)(*shape)
    if small:
        factors = np.where(np.arange(n_tokens) < small, np.float32(2.0**-12), np.float32(1))
        keys = g.p.mul(keys, g.array(factors.reshape(-1, 1, 1)))
    kv_cache = g.pages(kind, n_pages, n_heads, head_size)
    return g.p.cache_append(keys, values, kv_cache, pages=pages, positions=positions), pages


def _attend_by_groups(kind: str, size: int, small: int, g: Any, m: int = 1) -> Any:
    """Attend with the last m of 100 tokens, by 1 to 4 heads per KV head."""
    tokens, pages = _append(g, kind, 100, 1, size, small=small)
    last = g.array(np.arange(100 - m, 100, dtype=np.int32))
    groups = (g.floats(m, n, size) for n in range(1, 5))
    return [g.p.flash_attn_ext(q, tokens, pages=pages, positions=last) for q in groups]


def _attend_far(kind: str, n: int, g: Any) -> Any:
    """Attend with the last of n tokens, by few heads: threads split the positions of one head."""
    tokens, pages = _append(g, kind, n, 1, 80)
    last = g.array(np.array([n - 1], np.int32))
    return [g.p.flash_attn_ext(q, tokens, pages=pages, positions=last) for q in (g.floats(1, 3, 80), g.bits(1, 2, 80))]


def _attend(kind: str, m: int, n: int, heads: tuple[int, int, int], **options: Any) -> Build:
    """Attend with the last m of n tokens; ``heads`` are heads, KV heads and head size."""

    def call(g: Any) -> Any:
        n_heads, kv_heads, size = heads
        tokens, pages = _append(g, kind, n, kv_heads, size)
        arguments = dict(options)
        arguments |= {name: g.floats(n_heads) for name in ("sinks", "slopes") if arguments.pop(name, False)}
        if arguments.pop("mask", False):
            arguments["mask"] = g.floats(m, pages.shape[-1] * cache.PAGE_TOKENS)
        if arguments.pop("lengths", False):
            arguments["lengths"] = g.array(np.array([n], np.int32))
        positions = g.array(np.arange(n - m, n, dtype=np.int32))
        return g.p.flash_attn_ext(g.floats(m, n_heads, size), tokens, pages=pages, positions=positions, **arguments)

    return call


def _compare(cases: CaseList, kind: str, heads: tuple[int, int, int], n: int, m: int, **options: Any) -> None:
    """Add a comparison of attention of the last m of n tokens; ``heads`` are KV heads, heads of each, and head size."""
    kv_heads, group, size = heads
    has_sinks, window = options.get("has_sinks", False), options.get("window", 0)
    n_heads = kv_heads * group

    def build(g: Any) -> Any:
        tokens, pages = _append(g, kind, n, kv_heads, size, k=partial(g.normal, seed=1), v=partial(g.normal, seed=2))
        q, sinks = g.normal(m, n_heads, size), g.normal(n_heads, seed=3) if has_sinks else None
        positions = g.array(np.arange(n - m, n, dtype=np.int32))
        return g.p.flash_attn_ext(q, tokens, pages=pages, positions=positions, window=window, sinks=sinks)

    name = f"head {size}, {kv_heads} x {group} heads, {n} tokens, {m} rows"
    name += ", sinks" * has_sinks + f", window {window}" * bool(window)
    cases.compare(name, build, kind.upper(), limit=_NMSE[kind])


def _append_in_order(g: Any, kind: str, n: int, n_heads: int, size: int) -> tuple[Any, Any]:
    """Append n tokens, a multiple of a page, to a new cache; return the cache and its page table."""
    pages = g.array(np.arange(n // cache.PAGE_TOKENS, dtype=np.int32))
    kv_cache = g.pages(kind, pages.size, n_heads, size)
    k, v = g.floats(n, n_heads, size), g.floats(n, n_heads, size)
    return g.p.cache_append(k, v, kv_cache, pages=pages, positions=g.array(np.arange(n, dtype=np.int32))), pages


def _measured(kind: str, heads: tuple[int, int, int], n: int, m: int, g: Any) -> Any:
    """Attend with the last m of n tokens; ``heads`` are KV heads, heads of each, and head size."""
    kv_heads, group, size = heads
    tokens, pages = _append_in_order(g, kind, n, kv_heads, size)
    q, positions = g.floats(m, kv_heads * group, size), g.array(np.arange(n - m, n, dtype=np.int32))
    return g.p.flash_attn_ext(q, tokens, pages=pages, positions=positions)


def _copy_to_read(g: Any, source: Any, kind: str, n_heads: int, head_size: int) -> tuple[()]:
    """Copy pages to a cache that the host reads; return no other results."""
    pairs = np.array([(page, page) for page in range(source.shape[0])], np.int32)
    g.p.cache_copy(source, g.pages_to_read(kind, len(pairs), n_heads, head_size), g.array(pairs))
    return ()
