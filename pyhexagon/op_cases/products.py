# SPDX-License-Identifier: MIT
"""The cases of matmuls: recorded ones, and the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count, product
from typing import Any, Final

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Q

from pyhexagon import quants
from pyhexagon.op_cases import seeds
from pyhexagon.op_cases.case import ROWS, CaseList, K, normal, sizes

# Of weights. The place of a type decides its seeds: append new types.
TYPES: Final = tuple(
    Q[name]
    for name in (
        "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4",
        "F16", "BF16", "F32", "NVFP4", "IQ2_S", "IQ3_XXS",
    )
)  # fmt: skip
NMSE: Final = 3e-4  # ggml's limit is 5e-4; activations have 8 bits
_FLOATS: Final = dict.fromkeys((Q.F32, Q.F16, Q.BF16), 1e-5)  # activations have 16 bits: docs/arithmetic.md
# Few and many tiles per thread, GEMV and GEMM, K from one block to more than HVX quantises at once.
_N_M: Final = ((1, 1), (64, 2), (33, 5), (65, 4), (127, 33), (1600, 1), (70, 7), (130, 16), (65, 2), (31, 3), (40, 1))
_K: Final = {
    1: (1, 31, 33, 64, 300, 512, 1056, 1100, 353, 1183, 95),
    32: (32, 64, 160, 288, 96, 576, 1056, 2144, 352, 1184, 224),
    64: (64, 128, 320, 192, 128, 576, 1088, 2176, 448, 1216, 256),
    256: (256, 512, 1280, 768, 512, 1536, 1280, 2304, 1792, 1024, 256),
}

# N = K and M of weights that are larger than any cache: GEMM, GEMV.
LARGE: Final = ((8192, 5), (16384, 1))


def recorded_products() -> Iterator[tuple[Q, int, int, int, int]]:
    """Yield the type of the weight, N, K, M, and a seed."""
    numbers = count(1)
    for dtype in TYPES:
        for (n, m), k in zip(_N_M, _K[gguf.GGML_QUANT_SIZES[dtype][0]], strict=True):
            yield dtype, n, k, m, next(numbers)


def mul_mat(cases: CaseList) -> None:
    def record(dtype: Q, n: int, k: int, m: int, seed: int) -> None:
        def build(g: Any) -> Any:
            weight = g.weight(dtype.name, n, k, seed=2 * seed)
            return g.p.matmul(g.array(seeds.activations(m, k, 2 * seed + 1)), weight)

        name = f"weight ({n}, {k}), x ({m}, {k})"
        if n * m == 1:  # the terms of a single result may cancel
            cases.record_bits(name, build, dtype.name)
        else:
            cases.record(name, build, dtype.name, limit=_FLOATS.get(dtype))

    def compare(dtype: Q, w: tuple[int, ...], x: tuple[int, ...]) -> None:
        def call(g: Any) -> Any:
            weight = g.weight(dtype.name, *w)
            return g.p.matmul(g.array(normal(*x)), weight)

        cases.compare(f"weight {sizes(w)}, x {sizes(x)}", call, dtype.name, limit=_FLOATS.get(dtype))

    for recorded in recorded_products():
        record(*recorded)
    cases.record(
        "two long rows", lambda g: g.p.matmul(g.floats(2, 650), g.weight("F16", 70, 650)), "F16", limit=_FLOATS[Q.F16]
    )
    cases.record(
        "rows that begin between vectors",
        lambda g: g.p.matmul(g.floats(3, 160)[:, 5:133], g.weight("Q8_0", 70, 128)),
        "Q8_0",
    )
    for dtype in TYPES:
        for m in range(1, 10):
            compare(dtype, (16, 256), (m, 256))
        compare(dtype, *[(16, 3 * gguf.GGML_QUANT_SIZES[dtype][0])] * 2)
        compare(dtype, (129, 1024), (17, 1024))
        for matrices, repeats in (((1, 3), (1, 1)), ((1, 3), (1, 2)), ((2, 3), (1, 2)), ((2, 3), (2, 2))):
            leading = tuple(n * times for n, times in zip(matrices, repeats, strict=True))
            compare(dtype, (*matrices, 16, 256), (*leading, 16, 256))
    for dtype in _FLOATS:
        for n, m, k in ((64, 2, 128), (83, 2, 128), (64, 77, 77), (1, 1, 1056), (128, 1, 1057), (67, 1, 67)):
            compare(dtype, (n, k), (m, k))
    for (n, m), dtype in product(LARGE, quants.supported()):
        call = partial(_large, dtype.name, n, m)
        name = f"weight {n}x{n}, x {m}x{n}"
        cases.compare(name, call, dtype.name, limit=_FLOATS.get(dtype), is_large=True)
    for name, m in product(("Q4_0", "Q8_0", "Q4_K", "Q6_K"), (1, ROWS)):
        cases.measure(f"{m}x{K}, weight {K}x{K}", partial(_measured, name, m), name)


def _large(name: str, n: int, m: int, g: Any) -> Any:
    return g.large_product(normal(m, n), name, n, n)


def _measured(name: str, m: int, g: Any) -> Any:
    return g.p.matmul(g.floats(m, K), g.weight(name, K, K))


def mul_mat_id(cases: CaseList) -> None:
    def build(name: str, g: Any) -> Any:
        return g.p.mul_mat_id(g.floats(3, 4, 256), g.weight(name, 5, 70, 256), g.ids(3, 4, below=5))

    def measured(m: int, g: Any) -> Any:
        return g.p.mul_mat_id(g.floats(m, 1, 1024), g.weight("Q4_K", 8, 1024, 1024), g.ids(m, 2, below=8))

    def compare(dtype: Q, shape: tuple[int, int, int], n_used: int, m: int, one_x: bool) -> None:
        n_experts, n, k = shape

        def call(g: Any) -> Any:
            weight, x = g.weight(dtype.name, *shape), g.array(normal(m, 1 if one_x else n_used, k))
            rng = np.random.default_rng(m)
            ids = np.stack([rng.permutation(n_experts)[:n_used] for _ in range(m)]).astype(np.int32)
            return g.p.mul_mat_id(x, weight, g.array(ids))

        name = f"{n_used} of {n_experts}, weight {n}x{k}, {m} tokens" + ", one x" * one_x
        cases.compare(name, call, dtype.name, limit=_FLOATS.get(dtype))

    for dtype in TYPES:
        cases.record("3 tokens, 4 of 5 experts", partial(build, dtype.name), dtype.name, limit=_FLOATS.get(dtype))
    cases.record(
        "one token, the same x for all",
        lambda g: g.p.mul_mat_id(g.floats(1, 1, 512), g.weight("Q4_K", 8, 64, 512), g.ids(1, 3, below=8)),
        "Q4_K",
    )
    for dtype in TYPES:
        compare(dtype, (4, 64, 3 * gguf.GGML_QUANT_SIZES[dtype][0]), 2, 16, False)
        compare(dtype, (4, 128, 256), 2, 1, False)
        compare(dtype, (4, 128, 256), 2, 32, False)
    for n_experts, n_used, one_x, m in product((4, 8), (1, 4), (False, True), (1, 5, 33)):
        for dtype in (Q.F32, Q.Q4_0, Q.Q4_K):
            compare(dtype, (n_experts, 64, 256), n_used, m, one_x)
    for m in (1, ROWS):
        cases.measure(f"{m} tokens, 2 of 8, weight 1024x1024", partial(measured, m), "Q4_K")
