# SPDX-License-Identifier: MIT
"""Matmuls on a DSP whose heap has no large blocks: they process fewer rows at a time, or report what is missing."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType as Q

from ops.cases import mixed_activations, mixed_bytes
from pyhexagon import Device, DspMemoryError

N, K, M = 64, 2048, 700
"""Quantised, the rows take 1.9 MB."""


@pytest.fixture(params=["loopback", "loopback:qemu"])
def name(request: pytest.FixtureRequest) -> str:
    if request.param == "loopback:qemu":
        request.getfixturevalue("qemu")
    return str(request.param)


def product(name: str, experts: int, m: int = M, k: int = K) -> bytes:
    rng = np.random.default_rng(0)
    x = mixed_activations(m, k, rng)
    raw = mixed_bytes(Q.Q4_K, N * experts, k, rng)
    with Device(name, threads=2) as device, device.program() as p:
        if experts == 1:
            p.output(p.matmul(p.input(x.shape), device.pack(Q.Q4_K, raw, (N, k))))
            (y,) = p.compile().run(x)
        else:
            w = device.pack(Q.Q4_K, raw, (experts, N, k))
            ids = np.arange(2 * m, dtype=np.int32).reshape(m, 2) % experts
            p.output(p.mul_mat_id(p.input((m, 1, k)), w, p.input(ids.shape, np.int32)))
            (y,) = p.compile().run(x.reshape(m, 1, k), ids)
        return y.numpy().tobytes()


@pytest.mark.parametrize("experts", [1, 4])
def test_rows_that_the_heap_has_no_room_for_are_taken_in_parts(name: str, faults: Faults, experts: int) -> None:
    want = product(name, experts)
    for n_bytes in (1 << 20, 400_000):
        faults.set("heap", n_bytes)
        assert product(name, experts) == want


@pytest.mark.parametrize("experts", [1, 2])
def test_no_room_for_one_row_is_an_error(name: str, faults: Faults, experts: int) -> None:
    faults.set("heap", 100_000)
    with pytest.raises(DspMemoryError, match="PHX_E_NO_MEMORY"):
        product(name, experts, 2, 24 * 4096)
