# SPDX-License-Identifier: MIT
"""Devices of the op tests, and the matrix of comparisons, printed at the end of the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ops.checks import Checker, Matrix
from pyhexagon import Device
from pyhexagon.process.transport import NAMES

ENGINES = ("loopback", "loopback:qemu")
CONFIGURATIONS = [(engine, transport) for engine in ENGINES for transport in NAMES]
MATRIX = pytest.StashKey[Matrix]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MATRIX] = Matrix()


def pytest_sessionfinish(session: pytest.Session) -> None:
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["matrix"] = session.config.stash[MATRIX].packed()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the matrix of a pytest-xdist worker that has ended."""
    node.config.stash[MATRIX].add(getattr(node, "workeroutput", {}).get("matrix", ([], [])))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    matrix = config.stash[MATRIX]
    if matrix.accuracy:
        terminalreporter.section("accuracy against the float64 product, N = K = 1024")
        for line in matrix.accuracy:
            terminalreporter.write_line(line)
    if matrix.counts:
        terminalreporter.section("products equal to the specification, bit for bit")
        for line in matrix.lines():
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def matrix(request: pytest.FixtureRequest) -> Matrix:
    return request.config.stash[MATRIX]


@pytest.fixture(scope="module", params=CONFIGURATIONS, ids="-".join)
def device(request: pytest.FixtureRequest, qemu: str) -> Iterator[Device]:
    """Open one device for all tests of a module: a process has only four sessions."""
    engine, transport = request.param
    with Device(engine, transport=transport) as device:
        yield device


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Device]:
    """Open a device of each engine, for tests of kernels, which do not depend on the transport."""
    if request.param != "loopback":
        request.getfixturevalue("qemu")
    with Device(request.param, transport="invoke") as device:
        yield device


@pytest.fixture(scope="module")
def engines(request: pytest.FixtureRequest) -> Iterator[tuple[Device, ...]]:
    """Open a device of each engine, to compare them; with --host, only the host engine."""
    with Device("loopback") as host:
        if request.config.getoption("--host"):
            yield (host,)
            return
        request.getfixturevalue("qemu")
        with Device("loopback:qemu") as dsp:
            yield host, dsp


@pytest.fixture
def checker(device: Device, matrix: Matrix) -> Checker:
    return Checker(device, matrix)


@pytest.fixture(scope="module")
def devices(qemu: str) -> Iterator[tuple[Device, Device]]:
    """Open a device with one thread, and one with four."""
    with (
        Device("loopback:qemu", transport="invoke", threads=1) as one,
        Device("loopback:qemu", transport="invoke", threads=4) as four,
    ):
        yield one, four
