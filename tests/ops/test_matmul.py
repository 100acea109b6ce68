# SPDX-License-Identifier: MIT
"""MUL_MAT on every engine, through every transport, with every set of kernels: the bits of docs/arithmetic.md.

Each result is compared with tests/oracle.py, so results that pass are also equal to each other: ref and hvx of one
skel, host and QEMU. tests/ops/placed.py places the tensors.
"""

from __future__ import annotations

import numpy as np
import pytest
import weights
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

from ops.cases import FLOATS, ODD_K, ODD_M, ODD_N, RANDOM_SEEDS, adversarial, long_rows, odd_size, random_case
from ops.checks import Checker, kernels_of
from ops.placed import EDGES, F32, Edge, Product, Weight, run
from pyhexagon import Device, quants

OPS_IN_A_BATCH = 20
DTYPES = pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)


@pytest.fixture
def edge(device: Device) -> Edge:
    """The tensors end at an unmapped page in one pass and start at one in the other; each transport tests one."""
    return "ends" if device._session.transport.name == "dspqueue" else "starts"


@DTYPES
def test_odd_sizes_give_the_specified_bits(checker: Checker, dtype: Q, edge: Edge) -> None:
    """In QEMU the reference multiplies the largest weight with a few rows: that takes longer than all else here."""
    for n in ODD_N:
        for k in ODD_K[dtype]:
            is_slow = checker.device.name == "loopback:qemu" and (n, k) == (ODD_N[-1], ODD_K[dtype][-1])
            cases = [(odd_size(dtype, n, k), m) for m in ODD_M]
            checker.check(edge, cases, most_ref=5 if is_slow else ODD_M[-1])


def test_random_cases_give_the_specified_bits(checker: Checker, edge: Edge) -> None:
    cases = [random_case(seed) for seed in RANDOM_SEEDS]
    for first in range(0, len(cases), OPS_IN_A_BATCH):
        checker.check(edge, [(case, len(case.x)) for case in cases[first : first + OPS_IN_A_BATCH]])


@DTYPES
def test_special_values_give_the_specified_bits(checker: Checker, dtype: Q, edge: Edge) -> None:
    checker.check(edge, [(case, len(case.x)) for case in adversarial(dtype)])


@DTYPES
def test_the_longest_rows_give_the_specified_bits(checker: Checker, dtype: Q, edge: Edge) -> None:
    checker.check(edge, [(long_rows(dtype), 2)])


@pytest.mark.long
@DTYPES
def test_tiles_that_no_repacker_writes_do_no_harm(dtype: Q) -> None:
    """Random bytes as tiles: the same bits everywhere for integer types, and no fault for any type."""
    rng = np.random.default_rng(int(dtype))
    products = []
    for n, n_blocks in ((1, 1), (65, 3), (200, 9)):
        k = n_blocks * max(GGML_QUANT_SIZES[dtype][0], 32)
        tiles = rng.integers(0, 256, quants.tile_bytes(dtype, n, k), np.uint8)
        x = rng.integers(0, 1 << 32, (6, k), np.uint32).view(np.float32)
        x[:3] = rng.standard_normal((3, k), dtype=np.float32)
        products.append(Product(Weight(dtype, n, k, tiles), x))
    results: list[list[F32]] = []
    for engine in ("loopback", "loopback:qemu"):
        with Device(engine) as device:
            for kernels in kernels_of(device):
                results += [run(device, edge, kernels, products)[0] for edge in EDGES]
    if dtype not in FLOATS:
        for other in results[1:]:
            for got, want in zip(other, results[0], strict=True):
                np.testing.assert_array_equal(got.view(np.uint32), want.view(np.uint32))
