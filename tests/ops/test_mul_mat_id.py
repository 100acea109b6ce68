# SPDX-License-Identifier: MIT
"""MUL_MAT_ID: the rows of each token times the experts that its ids name, bit for bit as in tests/oracle.py.

The reference multiplies, for each expert, the rows whose ids name it; it does not sort or split into chunks.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import oracle
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from ops.cases import mixed_activations, mixed_bytes
from ops.checks import Checker, first_difference, recorded_as
from ops.placed import EDGES, F32, I32, U8, Edge, Product, Weight, pack, run

# Experts, experts used, tokens, rows of x per token: fewer and more results than experts, one expert, one token.
SHAPES = [
    *((1, 1, 1, 1), (4, 2, 1, 1), (4, 2, 1, 2), (8, 3, 5, 1)),
    *((8, 3, 5, 3), (3, 4, 9, 2), (40, 4, 2, 4), (5, 2, 0, 1)),
]


@cache
def experts(dtype: Q, n_experts: int, n: int, k: int) -> tuple[Weight, tuple[U8, ...]]:
    rng = np.random.default_rng([int(dtype), n_experts, n, k])
    raw = tuple(mixed_bytes(dtype, n, k, rng) for _ in range(n_experts))
    tiles = np.concatenate([pack(dtype, part, n, k).tiles for part in raw])
    return Weight(dtype, n, k, tiles, (n_experts,)), raw


@cache
def product(
    dtype: Q, sizes: tuple[int, int, int, int], chosen: tuple[tuple[int, ...], ...], n_used: int
) -> tuple[Product, F32]:
    """Return an op with these ids and its golden output.

    Args:
        sizes: the number of experts, N, K, and the rows of x per token.
        chosen: the ids of each token.
        n_used: ids per token.
    """
    n_experts, n, k, n_rows = sizes
    weight, raw = experts(dtype, n_experts, n, k)
    ids = np.array(chosen, np.int32).reshape(-1, n_used)
    n_tokens = len(ids)
    x = mixed_activations(n_tokens * n_rows, k, np.random.default_rng(n_tokens)).reshape(n_tokens, n_rows, k)
    want = np.zeros((n_tokens, n_used, n), np.float32)
    for expert in np.unique(ids):
        t, u = np.nonzero(ids == expert)
        want[t, u] = oracle.matmul_exact(dtype, raw[expert], n, k, x[t, u % n_rows])
    return Product(weight, x, (n_tokens + n) % 3, ids), want


def check(checker: Checker, edge: Edge, dtype: Q, sizes: tuple[int, int, int, int], ids: I32) -> None:
    """Run one op with these ids, with every set of kernels."""
    op, want = product(dtype, sizes, tuple(map(tuple, ids.tolist())), ids.shape[1])
    n = sizes[1]
    for kernels in checker.kernels:
        (got,), ran = run(checker.device, edge, kernels, [op])
        assert ran == recorded_as(checker.device, kernels)
        assert not first_difference(got.reshape(-1, n), want.reshape(-1, n))


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_each_token_meets_its_experts(checker: Checker, edge: Edge, shape: tuple[int, int, int, int]) -> None:
    n_experts, n_used, n_tokens, n_rows = shape
    ids = np.random.default_rng(n_tokens).integers(0, n_experts, (n_tokens, n_used), np.int32)
    for n in (1, 65):
        check(checker, edge, Q.Q4_0, (n_experts, n, 64, n_rows), ids)


@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
def test_every_type_has_experts(checker: Checker, dtype: Q) -> None:
    ids = np.random.default_rng(int(dtype)).integers(0, 4, (9, 2), np.int32)
    check(checker, "ends", dtype, (4, 70, 256, 1), ids)


def test_all_tokens_may_choose_the_same_expert(checker: Checker) -> None:
    for chosen in (0, 6):
        check(checker, "starts", Q.Q8_0, (7, 33, 96, 1), np.full((11, 3), chosen, np.int32))


def test_more_tokens_than_a_chunk_are_all_computed(checker: Checker) -> None:
    """A quantised row of K = 65536 takes more than 64 KiB: 8 MiB hold fewer than 128 of them."""
    ids = np.random.default_rng(0).integers(0, 3, (70, 2), np.int32)
    checker.kernels = checker.kernels[:1]  # the tables are the same for ref, which is slow
    check(checker, "ends", Q.Q4_0, (3, 2, 65536, 2), ids)
