# SPDX-License-Identifier: MIT
"""Matmuls take no more packets with a small VTCM than without: the plan picks VTCM or the cache for each weight."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType as Q

from ops.cases import mixed_activations, mixed_bytes
from pyhexagon import Device

N, K = 512, 2048
ROWS = (1, 4, 8)


def costs(device: Device, dtype: Q, raw: np.ndarray, n: int, k: int) -> tuple[list[int], list[np.ndarray], list[int]]:
    """Return the packets of the busiest thread, the bits, and the bytes moved by DMA for each number of rows."""
    packets, bits, moved = [], [], []
    weight = device.pack(dtype, raw, (n, k))
    for m in ROWS:
        with device.program() as p:
            p.output(p.matmul(p.input((m, k)), weight))
            program = p.compile()
        x = mixed_activations(m, k, np.random.default_rng(m))
        program.run(x)
        (y,), report = program.run_with_report(x)
        assert report.ops[0].packets_max_thread is not None
        packets.append(report.ops[0].packets_max_thread)
        bits.append(y.numpy().view(np.uint32).copy())
        moved.append(report.ops[0].dma_bytes)
    return packets, bits, moved


@pytest.mark.parametrize("dtype", [Q.Q4_K, Q.Q6_K, Q.Q8_0], ids=lambda dtype: dtype.name)
def test_a_small_vtcm_costs_no_more_packets_than_none(qemu: str, faults: Faults, dtype: Q) -> None:
    raw = mixed_bytes(dtype, N, K, np.random.default_rng(0))
    found = {}
    for vtcm in (0, 256 << 10, 512 << 10, 1 << 20, 2 << 20):
        faults.set("vtcm", vtcm)
        with Device("loopback:qemu", threads=4) as device:
            found[vtcm] = costs(device, dtype, raw, N, K)
    without, bits, _ = found[0]
    for vtcm, (packets, same_bits, _) in found.items():
        for m, taken, most in zip(ROWS, packets, without, strict=True):
            assert taken <= 1.02 * most, f"{vtcm >> 10} KiB, {m} rows"
        assert all(np.array_equal(a, b) for a, b in zip(bits, same_bits, strict=True))
    assert all(found[2 << 20][2])  # and a large VTCM is used
