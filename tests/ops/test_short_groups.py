# SPDX-License-Identifier: MIT
"""K whose blocks of 32 are no whole groups of four: SmolLM2 has 18, Nemotron 3 Nano 4B has 98.

Kernels read what lies behind a tile's last block as the rest of its group where that can be read, and pad a copy of the
group elsewhere.
"""

from __future__ import annotations

import numpy as np
import pytest
import weights
from conftest import Faults
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

from ops.cases import make, mixed_activations, mixed_bytes
from ops.checks import first_difference
from ops.placed import EDGES, run
from pyhexagon import Device

ROWS = (1, 2, 3, 6)
DTYPES = pytest.mark.parametrize(
    "dtype", [one for one in weights.TYPES if GGML_QUANT_SIZES[one][0] <= 32], ids=lambda dtype: dtype.name
)


@DTYPES
@pytest.mark.parametrize(
    "vtcm",
    [0, pytest.param(256 << 10, marks=pytest.mark.long), 4 << 20],
    ids=["no VTCM", "256 KiB", "4 MiB"],
)
def test_a_group_that_is_not_whole_gives_the_specified_bits(qemu: str, faults: Faults, dtype: Q, vtcm: int) -> None:
    """Of nine tiles, threads have four, one, or a part along K; no tile follows the last one in memory."""
    faults.set("vtcm", vtcm)
    rng = np.random.default_rng([int(dtype), vtcm])
    cases = []
    for n, n_blocks in ((576, 2), (576, 18), (320, 35), (65, 98)):
        x = mixed_activations(ROWS[-1], 32 * n_blocks, rng)
        x[1, 7] = np.nan
        x[2] *= np.float32(2.0**-100)  # the scales of some blocks become 0
        cases.append(make("short group", dtype, mixed_bytes(dtype, n, 32 * n_blocks, rng), x))
    tried = [(case, m) for case in cases for m in ROWS]
    for threads in (1, 4):
        with Device("loopback:qemu", threads=threads) as device:
            for edge in EDGES:
                results, _ = run(device, edge, "hvx", [case.rows(m) for case, m in tried])
                for (case, m), got in zip(tried, results, strict=True):
                    assert not first_difference(got, case.want[:m]), f"{case.name}, first {m} rows, {edge}"


@DTYPES
def test_a_group_that_is_not_whole_takes_no_more_packets_than_a_whole_one(qemu: str, dtype: Q) -> None:
    packets: list[int] = []
    with Device("loopback:qemu", threads=1) as device:
        for n_blocks in (20, 18):
            rng = np.random.default_rng(int(dtype))
            weight = device.pack(dtype, mixed_bytes(dtype, 768, 32 * n_blocks, rng), (768, 32 * n_blocks))
            with device.program() as p:
                p.output(p.matmul(p.input((1, 32 * n_blocks)), weight))
            x = mixed_activations(1, 32 * n_blocks, rng)
            program = p.compile()
            program.run(x)
            packets.append(program.run_with_report(x)[1].ops[0].packets or 0)
    assert 0 < packets[1] <= packets[0]
