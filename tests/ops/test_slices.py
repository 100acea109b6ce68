# SPDX-License-Identifier: MIT
"""Every partition of a matmul: tiles over threads, rows computed together, blocks summed together.

The HVX kernels have separate loops for several tiles or several rows at a time, for whole groups of blocks and for
remainders; docs/arithmetic.md guarantees that the result does not depend on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
import weights
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

from ops.cases import FLOATS, Case, make, mixed_activations, mixed_bytes
from ops.checks import Checker
from ops.placed import EDGES, Edge
from pyhexagon import Device

N = 321  # six tiles
ROWS = (1, 2, 3, 4, 7, 16)
BLOCKS_OF_32 = (*range(1, 42), 63, 64, 65, 127, 128, 129)
SUPER_BLOCKS = (*range(1, 14), 16, 17)


@pytest.fixture(scope="module", params=[1, 3, 4])
def device(request: pytest.FixtureRequest, qemu: str) -> Iterator[Device]:
    with Device("loopback:qemu", threads=request.param) as device:
        yield device


@cache
def cases(dtype: Q) -> tuple[Case, ...]:
    rng = np.random.default_rng(int(dtype))
    if dtype in FLOATS:
        lengths = [32 * n + (0, -1, 1)[n % 3] for n in BLOCKS_OF_32 if n % 4 != 2]
    else:
        block = GGML_QUANT_SIZES[dtype][0]
        lengths = [block * n for n in (BLOCKS_OF_32 if block == 32 else SUPER_BLOCKS)]
    return tuple(
        make("slices", dtype, mixed_bytes(dtype, N, k, rng), mixed_activations(ROWS[-1], k, rng)) for k in lengths
    )


@pytest.mark.long
@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
def test_no_cut_shows_in_the_result(device: Device, checker: Checker, dtype: Q) -> None:
    checker.kernels = ("hvx",)  # ref does not partition
    every = 1 if device.info().threads == 1 else 3  # the same loops sum blocks; threads split tiles, not blocks
    for i, case in enumerate(cases(dtype)[::every]):
        edge: Edge = EDGES[i % 2]
        checker.check(edge, [(case, m) for m in ROWS])
