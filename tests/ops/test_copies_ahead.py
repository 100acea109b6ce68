# SPDX-License-Identifier: MIT
"""Prefetching of weights: when copies begin, from QEMU's log of each thread, block by block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType as Q

from ops.cases import mixed_activations, mixed_bytes
from pyhexagon import Device
from pyhexagon.kernels.cycles import Functions, Log, QemuLogs
from pyhexagon.program.program import Program

N, K = 512, 2048
COPY, QUANTISE, NORM = "start_first", "hvx_quantise", "phx_rms_norm_hvx"
FETCH, FETCH_REST, MULTIPLY = "fetch_next", "await_fetched", "hvx_multiply"
FETCHES = "fetch_more"
"""The places of the instructions, for both."""
L2FETCH = 0xA6800000
"""Of a box that is described by 64 bits: the highest 11 bits of the instruction."""
_RUN = re.compile(r"^Trace (\d+).*\[[0-9a-f]+/([0-9a-f]+)/")


class Order:
    """The functions that the threads of a device run, in order: one name per run of blocks."""

    def __init__(self, device: Device, logs: QemuLogs) -> None:
        (self._path,) = (path for path in logs.folder.iterdir() if path.stat().st_size)
        self._skel = Path(device.info().skel)
        self.l2fetches: dict[str, int] = {}
        """Such instructions that were translated, by function."""

    def of(self, program: Program, *inputs: np.ndarray) -> dict[str, list[str]]:
        """Run a program and return its functions by thread."""
        before = self._path.stat().st_size
        program.run(*inputs)
        log = Log(self._path)
        log.costs()
        functions = Functions(self._skel, log.words)
        self.l2fetches = Counter(
            functions.name(address) or "" for address, word in log.words.items() if word & 0xFFE00000 == L2FETCH
        )
        threads: dict[str, list[str]] = {}
        with self._path.open(encoding="ascii", errors="replace") as file:
            file.seek(before)
            for match in filter(None, map(_RUN.match, file)):
                name = functions.name(int(match[2], 16))
                ran = threads.setdefault(match[1], [])
                if name and (not ran or ran[-1] != name):
                    ran.append(name)
        return threads


@pytest.fixture(params=[1, 4], ids=["1 thread", "4 threads"])
def traced(request: pytest.FixtureRequest, qemu: str, faults: Faults) -> Iterator[tuple[Device, QemuLogs]]:
    faults.set("vtcm", 2 << 20)
    with QemuLogs() as logs, Device("loopback:qemu", threads=request.param) as device:
        yield device, logs


@pytest.fixture(params=[1, 4], ids=["1 thread", "4 threads"])
def without_vtcm(request: pytest.FixtureRequest, qemu: str, faults: Faults) -> Iterator[tuple[Device, QemuLogs]]:
    faults.set("vtcm", 0)
    with QemuLogs() as logs, Device("loopback:qemu", threads=request.param) as device:
        yield device, logs


def two_products(device: Device) -> Program:
    """Return a program of two matmuls with a norm between them."""
    rng = np.random.default_rng(0)
    first, second = (device.pack(Q.Q4_0, mixed_bytes(Q.Q4_0, n, k, rng), (n, k)) for n, k in ((N, K), (N, N)))
    with device.program() as p:
        p.output(p.matmul(p.rms_norm(p.matmul(p.input((1, K)), first)), second))
    return p.compile()


def test_copies_begin_before_activations_are_quantised(traced: tuple[Device, QemuLogs]) -> None:
    device, logs = traced
    program, x = two_products(device), mixed_activations(1, K, np.random.default_rng(1))
    program.run(x)
    quantising = [ran for ran in Order(device, logs).of(program, x).values() if QUANTISE in ran]
    assert quantising
    for ran in quantising:
        assert ran.index(COPY) < ran.index(QUANTISE)


def test_the_next_product_s_copies_begin_while_this_one_ends(traced: tuple[Device, QemuLogs]) -> None:
    device, logs = traced
    program, x = two_products(device), mixed_activations(1, K, np.random.default_rng(1))
    for _ in range(2):  # the first run builds tables
        program.run(x)
    threads = Order(device, logs).of(program, x).values()
    (ran,) = (ran for ran in threads if NORM in ran)
    assert ran[: ran.index(NORM)].count(COPY) == 2
    assert COPY not in ran[ran.index(NORM) :]
    assert sum(ran.count(COPY) for ran in threads) == 2 * len([ran for ran in threads if COPY in ran])


def test_without_vtcm_tiles_are_fetched_before_activations_are_quantised(without_vtcm: tuple[Device, QemuLogs]) -> None:
    device, logs = without_vtcm
    program, x = two_products(device), mixed_activations(1, K, np.random.default_rng(1))
    program.run(x)
    order = Order(device, logs)
    threads = order.of(program, x).values()
    assert order.l2fetches[FETCHES]
    quantising = [ran for ran in threads if QUANTISE in ran]
    assert quantising
    for ran in quantising:
        assert ran.index(FETCH) < ran.index(QUANTISE)
    assert not any(COPY in ran for ran in threads)


@pytest.mark.parametrize("m", [1, 8])
def test_without_vtcm_the_next_piece_is_fetched_while_one_is_multiplied(
    without_vtcm: tuple[Device, QemuLogs], m: int
) -> None:
    device, logs = without_vtcm
    n, k = 1024, 4096
    rng = np.random.default_rng(2)
    with device.program() as p:
        p.output(p.matmul(p.input((m, k)), device.pack(Q.Q8_0, mixed_bytes(Q.Q8_0, n, k, rng), (n, k))))
    program, x = p.compile(), mixed_activations(m, k, rng)
    program.run(x)
    order = Order(device, logs)
    threads = [ran for ran in order.of(program, x).values() if MULTIPLY in ran]
    assert len(threads) == device.info().threads
    assert order.l2fetches[FETCHES]
    for ran in threads:
        assert all(ran[i + 1] == FETCHES for i, name in enumerate(ran) if name == FETCH)
        steps = [name for name, _ in groupby(name for name in ran if name in (FETCH, FETCH_REST, MULTIPLY))]
        pieces = steps.count(FETCH_REST)
        assert pieces > 2
        assert steps == [FETCH, *[FETCH_REST, FETCH, MULTIPLY] * (pieces - 1), FETCH_REST, MULTIPLY]
