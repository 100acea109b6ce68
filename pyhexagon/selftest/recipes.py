# SPDX-License-Identifier: MIT
"""The cases of every op. A new elementwise op gets some from its row; any other op needs a few lines in OPS.

Together they run every kernel: each type of weights, rows and caches, one and several rows and threads, round and odd
lengths, and each operand that may be omitted. scripts/record_selftest.py records the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, product
from math import prod
from typing import Any, Final

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Q

from pyhexagon import cache
from pyhexagon._ffi import contract
from pyhexagon.elements import ELEMENTS
from pyhexagon.op_cases import elementwise
from pyhexagon.program.graph import Value
from pyhexagon.selftest import seeds
from pyhexagon.selftest.case_builder import CaseBuilder, Recipe

Cases = Iterator[tuple[str, str, Callable[[CaseBuilder], Value | Sequence[Value]]]]  # type, name, build

# Of weights. The place of a type decides its seeds: append new types.
TYPES: Final = tuple(
    Q[name]
    for name in (
        "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4",
        "F16", "BF16", "F32", "NVFP4", "IQ2_S", "IQ3_XXS",
    )
)  # fmt: skip
_FLOAT_ROWS: Final = [dtype.name for dtype in ELEMENTS if dtype != Q.I32]
_MASKED: Final = -np.inf
# Few and many tiles per thread, GEMV and GEMM, K from one block to more than HVX quantises at once.
_N_M: Final = ((1, 1), (64, 2), (33, 5), (65, 4), (127, 33), (1600, 1), (70, 7), (130, 16), (65, 2), (31, 3), (40, 1))
_K: Final = {
    1: (1, 31, 33, 64, 300, 512, 1056, 1100, 353, 1183, 95),
    32: (32, 64, 160, 288, 96, 576, 1056, 2144, 352, 1184, 224),
    64: (64, 128, 320, 192, 128, 576, 1088, 2176, 448, 1216, 256),
    256: (256, 512, 1280, 768, 512, 1536, 1280, 2304, 1792, 1024, 256),
}


def all_recipes() -> Iterator[Recipe]:
    """Yield the cases of all ops of idl/ops.h, in its order.

    Raises:
        LookupError: an op has no case.
    """
    for row in contract.OPS.values():
        if row.name in OPS:
            cases = OPS[row.name]()
        elif row.kind in ("UNARY", "BINARY"):
            cases = _elementwise(row.name)
        else:
            raise LookupError(f"OPS in pyhexagon/selftest/recipes.py lacks {row.name!r}: its cases")
        for dtype, name, build in cases:
            yield Recipe(row.name, dtype, name, build)


# --- Element by element ---


def _elementwise(op: str) -> Cases:
    n, (first, *others) = contract.OPS[op].least, elementwise.entries(contract.OPS[op])

    def call(g: CaseBuilder, *values: Value, entry: elementwise.Elementwise = first) -> Value:
        result: Value = getattr(g.p, op)(*values, **entry.params)
        return result

    def of_rows(entry: elementwise.Elementwise) -> Callable[[CaseBuilder], Value]:
        return lambda g: call(g, *(g.floats(5, 130) for _ in range(n)), entry=entry)

    yield "", "5 rows of 130", of_rows(first)
    yield "", "1000 of any bits", lambda g: call(g, *(g.bits(1000) for _ in range(n)))
    if n == 1:
        yield "", "a part of each row", lambda g: call(g, g.floats(4, 3, 67)[:, 1:, 3:])
    else:
        yield "", "a row for all", lambda g: call(g, g.floats(4, 6, 140), g.floats(140))
        yield "", "one for each row", lambda g: call(g, g.floats(4, 6, 140), g.floats(6, 1))
        yield "", "one for all, first", lambda g: call(g, g.floats(1), g.floats(4, 6, 141)[..., 1:])
    for entry in others:
        yield "", f"5 rows of 130, {entry}", of_rows(entry)


def _scale() -> Cases:
    yield from _elementwise("scale")
    yield "", "without a bias", lambda g: g.p.scale(g.floats(5, 130), 0.75)


def _swiglu_oai() -> Cases:
    yield from _elementwise("swiglu_oai")
    endless = np.tile(np.array([np.inf, -np.inf, 1], np.float32), 50)
    yield "", "infinity, without a limit", lambda g: g.p.swiglu_oai(g.floats(150), g.array(endless), limit=np.inf)


# --- Products ---


def products() -> Iterator[tuple[Q, int, int, int, int]]:
    """Yield the type of the weight, N, K, M, and a seed."""
    numbers = count(1)
    for dtype in TYPES:
        for (n, m), k in zip(_N_M, _K[gguf.GGML_QUANT_SIZES[dtype][0]], strict=True):
            yield dtype, n, k, m, next(numbers)


def _mul_mat() -> Cases:
    def build(dtype: Q, n: int, k: int, m: int, seed: int) -> Callable[[CaseBuilder], Value]:
        def call(g: CaseBuilder) -> Value:
            weight = g.weight(dtype.name, n, k, seed=2 * seed)
            return g.p.matmul(g.array(seeds.activations(m, k, 2 * seed + 1)), weight)

        return call

    for dtype, n, k, m, seed in products():
        yield dtype.name, f"weight ({n}, {k}), x ({m}, {k})", build(dtype, n, k, m, seed)
    yield "F16", "two long rows", lambda g: g.p.matmul(g.floats(2, 650), g.weight("F16", 70, 650))


def _mul_mat_id() -> Cases:
    def build(name: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.mul_mat_id(g.floats(3, 4, 256), g.weight(name, 5, 70, 256), g.ids(3, 4, below=5))

    for dtype in TYPES:
        yield dtype.name, "3 tokens, 4 of 5 experts", build(dtype.name)
    yield "Q4_K", "one token, the same x for all", lambda g: g.p.mul_mat_id(
        g.floats(1, 1, 512), g.weight("Q4_K", 8, 64, 512), g.ids(1, 3, below=8)
    )


# --- Rows ---


def _add_id() -> Cases:
    yield "", "3 tokens, 4 of 5 rows", lambda g: g.p.add_id(g.floats(3, 4, 130), g.floats(5, 130), g.ids(3, 4, below=5))


def _rms_norm() -> Cases:
    yield "", "5 rows of 130", lambda g: g.p.rms_norm(g.floats(5, 130))
    yield "", "with a weight", lambda g: g.p.rms_norm(g.floats(3, 1024), g.floats(1024), eps=2.0**-20)
    yield "", "a weight for each row, any bits", lambda g: g.p.rms_norm(g.bits(6, 64), g.floats(6, 64))
    yield "", "rows of 96 and of 200, weights of any bits", lambda g: [
        g.p.rms_norm(g.floats(4, n), g.bits(n)) for n in (96, 200)
    ]
    yield "", "5 rows of 2052, of which threads share one", lambda g: g.p.rms_norm(g.floats(5, 2052), g.bits(2052))
    yield "", "2 rows of 4100, which threads share step by step", lambda g: g.p.rms_norm(g.floats(2, 4100))


def _norm() -> Cases:
    yield "", "5 rows of 130", lambda g: g.p.norm(g.floats(5, 130))
    yield "", "with weight and bias", lambda g: g.p.norm(g.floats(3, 1024), g.floats(1024), g.floats(1024))
    yield "", "of any bits", lambda g: g.p.norm(g.bits(6, 64), g.floats(6, 64), g.bits(6, 64))
    yield "", "rows at any address, with weight and bias", lambda g: g.p.norm(
        g.floats(3, 131)[:, 1:], g.floats(130), g.floats(130)
    )
    yield "", "5 rows of 2052, of which two threads decide one", lambda g: g.p.norm(
        g.floats(5, 2052), g.floats(2052), g.bits(2052)
    )
    yield "", "7 rows of 1100, of which three threads decide one each", lambda g: g.p.norm(
        g.floats(7, 1100), g.floats(1100), g.bits(1100)
    )
    yield "", "2 rows of 4100, which two threads decide each", lambda g: g.p.norm(g.floats(2, 4100))
    yield "", "3 rows of 4100, which threads share step by step", lambda g: g.p.norm(g.floats(3, 4100))
    yield "", "without a variance", lambda g: g.p.norm(g.array(np.full((2, 64), 3, np.float32)), eps=0)


def _l2_norm() -> Cases:
    yield "", "5 rows of 130", lambda g: g.p.l2_norm(g.floats(5, 130))
    yield "", "any bits", lambda g: g.p.l2_norm(g.bits(6, 64), eps=2.0**-20)
    yield "", "5 rows of 2052, of which threads share one", lambda g: g.p.l2_norm(g.floats(5, 2052))
    yield "", "2 rows of 4100, which threads share step by step", lambda g: g.p.l2_norm(g.floats(2, 4100))


def _hadamard() -> Cases:
    yield "", "blocks of 64, 5 rows of 192", lambda g: g.p.hadamard(g.floats(5, 192), 64)
    yield "", "blocks of 32, 128 and 256", lambda g: [g.p.hadamard(g.floats(3, 256), n) for n in (32, 128, 256)]
    yield "", "any bits", lambda g: g.p.hadamard(g.bits(6, 64))
    yield "", "one block of 32, of 64 and of 128", lambda g: [g.p.hadamard(g.floats(1, n), n) for n in (32, 64, 128)]


def _of_rows(op: str) -> Callable[[], Cases]:
    def call(g: CaseBuilder, x: Value) -> Value:
        result: Value = getattr(g.p, op)(x)
        return result

    def cases() -> Cases:
        yield "", "5 rows of 130", lambda g: call(g, g.floats(5, 130))
        yield "", "rows of 1 and of 2000", lambda g: [call(g, g.floats(7, 1)), call(g, g.floats(2000))]
        yield "", "any bits", lambda g: call(g, g.bits(6, 64))

    return cases


def _concat() -> Cases:
    def build(name: str) -> Callable[[CaseBuilder], Sequence[Value]]:
        def call(g: CaseBuilder) -> Sequence[Value]:
            x = g.rows(name, 5, 160)
            return [g.p.concat([x, g.rows(name, 5, 96), x]), g.p.concat([x, g.rows(name, 2, 160)], 0)]

        return call

    for dtype in ELEMENTS:
        yield dtype.name, "rows and columns", build(dtype.name)


def _repeat() -> Cases:
    def build(name: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.repeat(g.rows(name, 3, 160), (2, 6, 480))

    for dtype in ELEMENTS:
        yield dtype.name, "rows and columns", build(dtype.name)


def _ssm_conv() -> Cases:
    yield "", "7 tokens, 4 taps", lambda g: g.p.ssm_conv(g.floats(2, 10, 300), g.floats(4, 300))
    yield "", "of any bits", lambda g: g.p.ssm_conv(g.bits(6, 512), g.floats(3, 512))


def _gated_delta_net() -> Cases:
    def call(g: CaseBuilder, v: Value, n_tokens: int, n_heads: int, n_keys: int) -> Sequence[Value]:
        q, k = (g.floats(n_tokens, n_heads, n_keys) for _ in range(2))
        decays, betas = (g.floats(n_tokens, n_heads) for _ in range(2))
        state = g.floats(n_heads, n_keys, v.shape[-1])
        decays = g.p.neg(g.p.sqr(decays))
        return [g.p.cpy(one) for one in g.p.gated_delta_net(q, k, v, g=decays, beta=betas, state=state)]

    yield "", "3 tokens, 2 heads", lambda g: call(g, g.floats(3, 2, 64), 3, 2, 32)
    yield "", "of any bits", lambda g: call(g, g.bits(2, 3, 45), 2, 3, 33)


def _top_k() -> Cases:
    yield "", "8 of 128, 5 rows", lambda g: g.p.top_k(g.floats(5, 128), 8)
    yield "", "40 of 20000", lambda g: g.p.top_k(g.floats(20000), 40)
    yield "", "300 of any 2000 bits", lambda g: g.p.top_k(g.bits(3, 2000), 300)
    yield "", "40 of 20000, at any address", lambda g: g.p.top_k(g.floats(20001)[1:], 40)
    yield "", "40 of 20000 negative ones", lambda g: g.p.top_k(g.p.neg(g.p.sqr(g.floats(20000))), 40)


def _argsort() -> Cases:
    yield "", "5 rows of 130", lambda g: g.p.argsort(g.floats(5, 130))
    yield "", "any 2000 bits, descending", lambda g: g.p.argsort(g.bits(3, 2000), descending=True)


def _rope() -> Cases:
    def call(g: CaseBuilder, x: Value, positions: Value, *shape: int, **options: Any) -> Value:
        turns = g.array(seeds.words(shape[-1], prod(shape)).reshape(shape).view(np.int32) & 0x7FFFFFFF)
        return g.p.rope(x, positions, turns, **options)

    def positions(g: CaseBuilder, *shape: int) -> Value:
        return g.ids(*shape, below=131072)

    yield "", "normal", lambda g: call(g, g.floats(3, 4, 64), positions(g, 3), 2, 32, mode="normal")
    yield "", "neox, a part of each row", lambda g: call(
        g, g.floats(5, 2, 100), positions(g, 5), 2, 40, mode="neox", scale=1.25
    )
    yield "", "neox, 4 positions a token", lambda g: call(
        g, g.floats(3, 2, 128), positions(g, 4, 3), 8, 64, mode="neox"
    )
    yield "", "any bits", lambda g: call(g, g.bits(2, 3, 32), positions(g, 2), 2, 16, mode="normal")


def _soft_max() -> Cases:
    def mask(g: CaseBuilder, dtype: type, n: int, k: int) -> Value:
        return g.array(np.where(np.arange(k) <= np.arange(n)[:, None] + k // 2, 0, _MASKED).astype(dtype))

    yield "", "5 rows of 130", lambda g: g.p.soft_max(g.floats(5, 130))
    yield "", "a mask", lambda g: g.p.soft_max(g.floats(2, 5, 200), mask(g, np.float32, 5, 200), scale=0.125)
    yield "", "a mask of float16, slopes, sinks", lambda g: g.p.soft_max(
        g.floats(4, 3, 96), mask(g, np.float16, 3, 96), scale=0.25, slopes=g.floats(4), sinks=g.floats(4)
    )
    yield "", "any bits", lambda g: g.p.soft_max(g.bits(8, 40))


def _get_rows() -> Cases:
    def of_weight(name: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.get_rows(g.weight(name, 130, 256), g.ids(2, 5, below=130))

    def of_rows(name: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.get_rows(g.rows(name, 20, 130), g.ids(7, below=20))

    for dtype in TYPES:
        yield dtype.name, "weight (130, 256)", of_weight(dtype.name)
    for name in ("F32", "F16"):
        yield name, "rows (20, 130)", of_rows(name)


def _set_rows() -> Cases:
    def build(name: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.set_rows(g.p.cpy(g.floats(12, 96), name), g.floats(20, 96), g.ids(20, below=12))

    for name in _FLOAT_ROWS:
        yield name, "20 rows into 12", build(name)


def _cpy() -> Cases:
    def build(source: str, target: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.cpy(g.rows(source, 5, 160), target)

    def of_any_bits(target: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.cpy(g.bits(30, 32), target)

    for source, target in product(_FLOAT_ROWS, _FLOAT_ROWS):
        yield source, f"as {target}", build(source, target)
    yield "I32", "as I32", build("I32", "I32")
    for name in ("F16", "Q8_0", "Q4_0"):
        yield "F32", f"any bits, as {name}", of_any_bits(name)
    yield "F32", "transposed", lambda g: g.p.cpy(g.floats(7, 33).T)


# --- Attention ---

def _append(
    g: CaseBuilder,
    kind: str,
    n_tokens: int,
    n_heads: int,
    head_size: int,
    *,
    any_bits: bool = False,
    n_pages: int = 2,
    small: int = 0,
) -> tuple[Value, Value]:
    """Append tokens to a new cache; return the cache and its page table, which uses the pages in reverse order.

    Args:
        small: the number of tokens, from the first on, with small keys.
    """
    pages = g.array(np.arange(n_pages, dtype=np.int32)[::-1].copy())
    positions = g.array(np.arange(n_tokens, dtype=np.int32))
    k = g.floats(n_tokens, n_heads, head_size)
    v = (g.bits if any_bits else g.floats)(n_tokens, n_heads, head_size)
    if small:
        sizes = np.where(np.arange(n_tokens) < small, np.float32(2.0**-12), np.float32(1))
        k = g.p.mul(k, g.array(sizes.reshape(-1, 1, 1)))
    kv_cache = g.pages(kind, n_pages, n_heads, head_size)
    return g.p.cache_append(k, v, kv_cache, pages=pages, positions=positions), pages


def _attend_by_groups(kind: str, size: int, small: int) -> Callable[[CaseBuilder], Sequence[Value]]:
    """Attend with the last of 100 tokens, by 1 to 4 heads per KV head."""

    def call(g: CaseBuilder) -> Sequence[Value]:
        tokens, pages = _append(g, kind, 100, 1, size, small=small)
        last = g.array(np.array([99], np.int32))
        groups = (g.floats(1, n, size) for n in range(1, 5))
        return [g.p.flash_attn_ext(q, tokens, pages=pages, positions=last) for q in groups]

    return call


def _attend_far(kind: str, n: int) -> Callable[[CaseBuilder], Sequence[Value]]:
    """Attend with the last of n tokens, by few heads: threads split the positions of one head."""

    def call(g: CaseBuilder) -> Sequence[Value]:
        tokens, pages = _append(g, kind, n, 1, 80, n_pages=-(-n // 64))
        last = g.array(np.array([n - 1], np.int32))
        return [
            g.p.flash_attn_ext(q, tokens, pages=pages, positions=last) for q in (g.floats(1, 3, 80), g.bits(1, 2, 80))
        ]

    return call


def _attend(kind: str, m: int, n: int, heads: tuple[int, int, int], **options: Any) -> Callable[[CaseBuilder], Value]:
    """Attend with the last m of n tokens; ``heads`` are heads, KV heads and head size."""

    def call(g: CaseBuilder) -> Value:
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


def _flash_attn_ext() -> Cases:
    for kind in cache.KINDS:
        name = kind.upper()
        yield name, "head of 64, group of 4, one row", _attend(kind, 1, 100, (8, 2, 64))
        yield name, "head of 128, group of 1, 3 rows", _attend(kind, 3, 70, (2, 2, 128))
        yield name, "head of 256, group of 7, 20 rows", _attend(kind, 20, 127, (7, 1, 256))
        yield name, "head of 80, both ways, window", _attend(kind, 40, 90, (4, 2, 80), lengths=True, window=31)
        yield name, "head of 32, sinks, window", _attend(kind, 64, 128, (2, 1, 32), sinks=True, window=50, scale=0.25)
        yield name, "head of 64, softcap", _attend(kind, 3, 70, (4, 2, 64), softcap=5.0)
        yield name, "head of 64, sinks and slopes", _attend(kind, 7, 90, (6, 2, 64), sinks=True, slopes=True)
        yield name, "head of 96, slopes, a mask", _attend(kind, 2, 100, (5, 1, 96), slopes=True, mask=True)
        for size, (small, what) in product((32, 64, 128), ((100, "small"), (64, "large behind small"), (0, "large"))):
            yield name, f"head of {size}, groups of 1 to 4, {what} logits", _attend_by_groups(kind, size, small)
        yield name, "600 tokens, one KV head", _attend_far(kind, 600)
        yield name, "1000 tokens, one KV head", _attend_far(kind, 1000)  # more than two threads prepare q


def _cache_append() -> Cases:
    def build(kind: str, *shape: int, any_bits: bool) -> Callable[[CaseBuilder], Value | Sequence[Value]]:
        def call(g: CaseBuilder) -> Sequence[Value]:
            written, _ = _append(g, kind, 128, *shape, any_bits=any_bits)
            _copy_to_read(g, written, kind, *shape)
            return ()

        return call

    for kind in cache.KINDS:
        yield kind.upper(), "two pages, head of 64", build(kind, 2, 64, any_bits=False)
        yield kind.upper(), "two pages, head of 80, any bits", build(kind, 1, 80, any_bits=True)


def _cache_copy() -> Cases:
    def build(kind: str) -> Callable[[CaseBuilder], Sequence[Value]]:
        def call(g: CaseBuilder) -> Sequence[Value]:
            written, _ = _append(g, kind, 128, 3, 32)
            pairs = g.array(np.array([[0, 1], [-1, 0]], np.int32))
            _copy_to_read(g, g.p.cache_copy(written, written, pairs), kind, 3, 32)
            return ()

        return call

    for kind in cache.KINDS:
        yield kind.upper(), "a page over the other", build(kind)


def _copy_to_read(g: CaseBuilder, source: Value, kind: str, n_heads: int, head_size: int) -> None:
    """Copy pages to a cache that the host reads."""
    pairs = np.array([(page, page) for page in range(source.shape[0])], np.int32)
    g.p.cache_copy(source, g.pages_to_read(kind, len(pairs), n_heads, head_size), g.array(pairs))


OPS: Final[dict[str, Callable[[], Cases]]] = {
    "mul_mat": _mul_mat,
    "mul_mat_id": _mul_mat_id,
    "add_id": _add_id,
    "scale": _scale,
    "swiglu_oai": _swiglu_oai,
    "rms_norm": _rms_norm,
    "norm": _norm,
    "l2_norm": _l2_norm,
    "hadamard": _hadamard,
    "sum_rows": _of_rows("sum_rows"),
    "mean": _of_rows("mean"),
    "concat": _concat,
    "repeat": _repeat,
    "argmax": _of_rows("argmax"),
    "gated_delta_net": _gated_delta_net,
    "ssm_conv": _ssm_conv,
    "top_k": _top_k,
    "argsort": _argsort,
    "rope": _rope,
    "soft_max": _soft_max,
    "get_rows": _get_rows,
    "set_rows": _set_rows,
    "cpy": _cpy,
    "flash_attn_ext": _flash_attn_ext,
    "cache_append": _cache_append,
    "cache_copy": _cache_copy,
}
