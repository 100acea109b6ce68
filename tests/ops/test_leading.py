# SPDX-License-Identifier: MIT
"""MUL_MAT with leading dimensions: which weight matrix multiplies which activations, wherever the rows lie.

The rule is ggml_mul_mat's, written here as a loop over matrices; tests/oracle.py computes each product.
"""

from __future__ import annotations

from functools import cache
from math import prod

import numpy as np
import oracle
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from ops.cases import mixed_activations, mixed_bytes
from ops.checks import first_difference, kernels_of
from ops.placed import EDGES, F32, Edge, Product, Weight, pack, run
from pyhexagon import Device

# Leading dimensions of the weight and of x: equal, shared, and both; without any; with nothing in them.
SHAPES = [
    ((3,), (3,)),
    ((1,), (4,)),
    ((2,), (6,)),
    ((2, 1), (2, 3)),
    ((1, 2), (3, 4)),
    ((2, 3), (4, 3)),
    ((2, 2), (4, 6)),
    ((1, 1), (3, 2)),
    ((2,), (3, 4)),
    ((), (3, 2)),
    ((2,), (0,)),
    ((1, 2), (0, 2)),
]
IDS = [f"{a}-{b}" for a, b in SHAPES]


@cache
def product(
    dtype: Q, leading: tuple[int, ...], x_leading: tuple[int, ...], nkm: tuple[int, int, int]
) -> tuple[Product, F32]:
    """Return a matmul and its golden output."""
    n, k, m = nkm
    rng = np.random.default_rng([int(dtype), n, m, *leading, *x_leading])
    raw = [mixed_bytes(dtype, n, k, rng) for _ in range(prod(leading))]
    x = mixed_activations(prod(x_leading) * m, k, rng).reshape(*x_leading, m, k)
    want = np.zeros((*x_leading, m, n), np.float32)
    a, b = (1, 1, *leading)[-2:], (1, 1, *x_leading)[-2:]
    for i3, i2 in np.ndindex(b):
        matrix = i3 // (b[0] // a[0]) * a[1] + i2 // (b[1] // a[1])
        rows = x.reshape(*b, m, k)[i3, i2]
        want.reshape(*b, m, n)[i3, i2] = oracle.matmul_exact(dtype, raw[matrix], n, k, rows)
    tiles = np.concatenate([pack(dtype, part, n, k).tiles for part in raw])
    return Product(Weight(dtype, n, k, tiles, leading), x, padding=m % 3), want


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize(("leading", "x_leading"), SHAPES, ids=IDS)
def test_each_matrix_of_activations_meets_its_matrix_of_weights(
    device: Device, edge: Edge, leading: tuple[int, ...], x_leading: tuple[int, ...]
) -> None:
    cases = [product(Q.Q4_0, leading, x_leading, (n, 64, m)) for n, m in ((1, 1), (65, 2), (33, 5))]
    for kernels in kernels_of(device):
        results, _ = run(device, edge, kernels, [case for case, _ in cases])
        for got, (_, want) in zip(results, cases, strict=True):
            assert not first_difference(got.reshape(-1, got.shape[-1]), want.reshape(-1, got.shape[-1]))


@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
def test_every_type_has_matrices_one_after_the_other(device: Device, dtype: Q) -> None:
    case, want = product(dtype, (3,), (6,), (70, 256, 3))
    for kernels in kernels_of(device):
        (got,), _ = run(device, "ends", kernels, [case])
        assert not first_difference(got.reshape(-1, 70), want.reshape(-1, 70))


def test_more_rows_than_a_chunk_keep_their_matrices(device: Device) -> None:
    case, want = product(Q.Q4_0, (2,), (4,), (3, 32, 700))
    for kernels in kernels_of(device):
        (got,), _ = run(device, "ends", kernels, [case])
        assert not first_difference(got.reshape(-1, 3), want.reshape(-1, 3))
