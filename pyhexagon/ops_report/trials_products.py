# SPDX-License-Identifier: MIT
"""Trials of matmuls and of attention, with the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

from pyhexagon import cache
from pyhexagon.bench import blocks
from pyhexagon.ops_report.trial import Trial
from pyhexagon.ops_report.trials_elementwise import normal
from pyhexagon.quants import tile_types

_FLOATS: Final = (Q.F32, Q.F16, Q.BF16)
_LIMIT: Final = 3e-4  # ggml's limit is 5e-4; activations have 8 bits
_LIMIT_OF_FLOATS: Final = 1e-5  # with float weights activations have 16 bits: docs/arithmetic.md
_CACHE_LIMITS: Final = {"f16": 1e-6, "q8_0": 5e-4, "q4_0": 6e-2}  # against unquantised keys and values
_PAGE: Final = cache.PAGE_TOKENS


def trials() -> Iterator[Trial]:
    """Yield the trials of this module."""
    yield from _mul_mat()
    yield from _mul_mat_id()
    yield from _attention()


def _weight(g: Any, dtype: Q, shape: tuple[int, ...]) -> Any:
    """Return a weight with random codes and ordinary scales."""
    return g.packed(blocks.random_blocks(dtype, prod(shape[:-1]), shape[-1], 0), dtype.name, shape)


def _mul_mat() -> Iterator[Trial]:
    def trial(dtype: Q, w: tuple[int, ...], x: tuple[int, ...]) -> Trial:
        def build(g: Any) -> Any:
            weight = _weight(g, dtype, w)
            return g.p.matmul(g.array(normal(*x)), weight)

        name = f"weight {'x'.join(map(str, w))}, x {'x'.join(map(str, x))}"
        return Trial("mul_mat", dtype.name, name, build, _LIMIT_OF_FLOATS if dtype in _FLOATS else _LIMIT)

    for dtype in tile_types():
        for m in range(1, 10):
            yield trial(dtype, (16, 256), (m, 256))
        yield trial(dtype, (16, 3 * GGML_QUANT_SIZES[dtype][0]), (16, 3 * GGML_QUANT_SIZES[dtype][0]))
        yield trial(dtype, (129, 1024), (17, 1024))
        for matrices, repeats in (((1, 3), (1, 1)), ((1, 3), (1, 2)), ((2, 3), (1, 2)), ((2, 3), (2, 2))):
            beside = tuple(n * times for n, times in zip(matrices, repeats, strict=True))
            yield trial(dtype, (*matrices, 16, 256), (*beside, 16, 256))
    for dtype in _FLOATS:
        for n, m, k in ((64, 2, 128), (83, 2, 128), (64, 77, 77), (1, 1, 1056), (128, 1, 1057), (67, 1, 67)):
            yield trial(dtype, (n, k), (m, k))


def _mul_mat_id() -> Iterator[Trial]:
    def trial(dtype: Q, shape: tuple[int, int, int], n_used: int, m: int, one_x: bool) -> Trial:
        n_experts, n, k = shape

        def build(g: Any) -> Any:
            weight, x = _weight(g, dtype, shape), g.array(normal(m, 1 if one_x else n_used, k))
            rng = np.random.default_rng(m)
            ids = np.stack([rng.permutation(n_experts)[:n_used] for _ in range(m)]).astype(np.int32)
            return g.p.mul_mat_id(x, weight, g.array(ids))

        name = f"{n_used} of {n_experts}, weight {n}x{k}, {m} tokens" + ", one x" * one_x
        return Trial("mul_mat_id", dtype.name, name, build, _LIMIT_OF_FLOATS if dtype in _FLOATS else _LIMIT)

    for dtype in tile_types():
        yield trial(dtype, (4, 64, 3 * GGML_QUANT_SIZES[dtype][0]), 2, 16, False)
        yield trial(dtype, (4, 128, 256), 2, 1, False)
        yield trial(dtype, (4, 128, 256), 2, 32, False)
    for n_experts, n_used, one_x, m in product((4, 8), (1, 4), (False, True), (1, 5, 33)):
        for dtype in (Q.F32, Q.Q4_0, Q.Q4_K):
            yield trial(dtype, (n_experts, 64, 256), n_used, m, one_x)


def _attention() -> Iterator[Trial]:
    def trial(kind: str, size: int, heads: tuple[int, int], n: int, m: int, **options: Any) -> Trial:
        kv_heads, group = heads
        has_sinks, window = options.get("sinks", False), options.get("window", 0)
        n_heads, n_pages = kv_heads * group, -(-n // _PAGE)

        def build(g: Any) -> Any:
            q, k, v = g.array(normal(m, n_heads, size)), *(g.array(normal(n, kv_heads, size, seed=i)) for i in (1, 2))
            pages = g.array(np.arange(n_pages, dtype=np.int32)[::-1].copy())
            written, at = g.array(np.arange(n, dtype=np.int32)), g.array(np.arange(n - m, n, dtype=np.int32))
            kv_cache = g.pages(kind, n_pages, kv_heads, size)
            tokens = g.p.cache_append(k, v, kv_cache, pages=pages, positions=written)
            sinks = g.array(normal(n_heads, seed=3)) if has_sinks else None
            return g.p.flash_attn_ext(q, tokens, pages=pages, positions=at, window=window, sinks=sinks)

        words = f"head {size}, {kv_heads} x {group} heads, {n} tokens, {m} rows"
        words += ", sinks" * has_sinks + f", window {window}" * bool(window)
        return Trial("flash_attn_ext", kind.upper(), words, build, _CACHE_LIMITS[kind])

    for kind in cache.KINDS:
        for size, group, n in product((64, 80, 128, 256), (1, 4, 7), (113, 512)):
            yield trial(kind, size, (2, group), n, 1 + n % 7)
        for m, has_sinks, window in product((1, 3, 32, 75), (False, True), (0, 40)):
            yield trial(kind, 64, (2, 4), 200, m, sinks=has_sinks, window=window)
