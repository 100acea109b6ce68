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
from ops.placed import Layout, Product, pack, run
from pyhexagon import Device
from pyhexagon._ffi import contract
from pyhexagon.kernels.cycles import Functions, Log, QemuLogs
from pyhexagon.program import wire
from pyhexagon.program.numbers import TRANSIENT_NUMBER
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


def test_tiles_that_the_op_before_writes_are_not_copied_ahead_of_it(qemu: str, faults: Faults) -> None:
    """Between two matmuls, a copy of rows overwrites the second one's weight."""
    faults.set("vtcm", 2 << 20)
    faults.set("dma", 2)  # copies as soon as they begin
    rng = np.random.default_rng(3)
    first, old, new = (pack(Q.Q4_0, mixed_bytes(Q.Q4_0, N, K, rng), N, K) for _ in range(3))
    x = mixed_activations(1, K, rng)
    none = (contract.NONE,)
    with Device("loopback:qemu", threads=1) as device:
        (want,), _ = run(device, "ends", "hvx", [Product(new, x)])
        layout = Layout(device, "ends", [Product(first, x), Product(old, x)])
        weight = layout.placed[3]
        source = layout._add_source("ends", new.tiles.view(np.float32)[None], 0, Q.F32)
        size = len(new.tiles)
        extents = size // 4, 1, 1, 1, 4, size, size, size
        tensor = contract.TENSOR.pack(Q.F32, contract.LAYOUT_ROWS, 3, weight.offset, *extents, contract.HOST_WROTE, 0)
        copied = layout._add(weight, tensor)
        words = source, *none * (contract.MAX_SRC - 1), copied, *none * (contract.MAX_DST - 1)
        copy = contract.OPS["cpy"].code, (*words, *(0,) * contract.MAX_PARAMS)
        layout._ops.insert(1, copy)
        weight.bytes[:] = new.tiles
        layout._before = [*layout._before[:3], weight.buffer.bytes.copy(), *layout._before[4:], None]
        tables = bytes(layout.encode("hvx")[contract.REQUEST.size :])
        for actions in (contract.DEFINE | contract.RUN, contract.RUN, contract.RUN | contract.DROP):
            weight.bytes[:] = old.tiles
            given = tables if actions & contract.DEFINE else b""
            answer = wire.Response.of(layout.send(wire.request(actions, TRANSIENT_NUMBER, tables=given).message))
            assert answer.status == 0, answer
            np.testing.assert_array_equal(layout._results[1].array.view(np.uint32), want.view(np.uint32))
        layout.release()
