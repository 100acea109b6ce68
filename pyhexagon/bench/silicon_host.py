# SPDX-License-Identifier: MIT
"""The probes of ``bench silicon`` that the host measures: votes, memory, coherence, round trips."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np

from pyhexagon._ffi import contract
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.bench.silicon_probes import BUFFER_BYTES, FEWER, Prediction, clock_probe
from pyhexagon.device import Device
from pyhexagon.doctor import ping_pong
from pyhexagon.errors import DspMemoryError, HexagonError
from pyhexagon.kernels import probe
from pyhexagon.ops.builder import Builder
from pyhexagon.process.session import Session
from pyhexagon.program.graph import Value

VOTES: Final = {
    "low": Prediction(0.3, 0.8, "GHz"),
    "balanced": Prediction(0.6, 1.4, "GHz"),
    "burst": Prediction(1.2, 1.4, "GHz"),
    "performance": Prediction(1.2, 1.4, "GHz"),
}
"""The clock predicted for each vote, in the order in which they are tried."""

_IDLES: Final = (0.0, 1e-3, 10e-3)  # seconds before a round trip
_ROUND_TRIPS: Final = 50
_IDLE_ROUND_TRIPS: Final = 10
_MAPPINGS: Final = 5
_LOADS: Final = 20
_CALLS: Final = 64  # ops of a program
_RUNS: Final = 20
_HEAP_MIB: Final = (1, 2, 4, 8, 16, 32, 64)


class Mode(NamedTuple):
    """A way to make round trips.

    Attributes:
        options: of ``Device``.
        predictions: microseconds without idling, and after it.
    """

    name: str
    options: dict[str, Any]
    predictions: tuple[Prediction, Prediction]


MODES: Final = (
    Mode("invoke", {"transport": "invoke"}, (Prediction(60, 150, "us"), Prediction(60, 350, "us"))),
    Mode("dspqueue", {"transport": "dspqueue"}, (Prediction(30, 90, "us"), Prediction(30, 290, "us"))),
    Mode(
        "invoke without QoS",
        {"transport": "invoke", "latency": "qos", "latency_us": 0},
        (Prediction(60, 150, "us"), Prediction(150, 1000, "us")),
    ),
    Mode(
        "invoke poll",
        {"transport": "invoke", "latency": "poll"},
        (Prediction(20, 100, "us"), Prediction(20, 100, "us")),
    ),
)


def clock(device: Device) -> float | None:
    """Return the DSP's clock in GHz under load, in 0.1 s; None without a counter, as where no DSP computes."""
    probe = clock_probe("clock", VOTES["performance"])
    repeats = probe.repeats // FEWER if device._library.is_loopback else probe.repeats
    return probe.figure(device._session.probe(contract.PROBES[probe.kind], probe.threads, repeats))


def mapping(device: Device) -> float:
    """Return the microseconds to map a MiB: the median."""
    seconds = []
    for _ in range(_MAPPINGS):
        buffer = SharedMemory(device._library, BUFFER_BYTES)
        start = time.perf_counter()
        device._session.map(buffer)
        seconds.append(time.perf_counter() - start)
        device._session.unmap(buffer)
        buffer.free()
    return median(seconds) * 1e6 / (BUFFER_BYTES >> 20)


def heap(session: Session) -> float:
    """Return the largest block in MiB that the heap of the DSP process holds, of some sizes; 0 for none."""
    largest = 0
    for size in _HEAP_MIB:
        try:
            session.try_heap(size << 20)
        except DspMemoryError:
            break
        largest = size
    return float(largest)


def stale_lines(device: Device) -> float:
    """Return the number of wrong cache lines of some copies of 4 MiB by the DSP, between the same two buffers."""
    return float(sum(len(ping_pong.wrong_lines(got, pattern)) for pattern, got in ping_pong.rounds(device)))


def kernel_load(device: Device) -> float:
    """Return the microseconds to load a user kernel: the median. A load is a message and the DSP's loader."""
    return median(probe.load_once(device)[1] for _ in range(_LOADS)) * 1e6


def kernel_call(device: Device) -> float:
    """Return the microseconds of a CALL of a user kernel, over one vector, beyond those of a built-in op."""
    kernel = probe.kernel(device)
    try:
        call = _repeated(device, np.dtype(np.int32), lambda p, x: p.call(kernel, x, mask=1))
        neg = _repeated(device, np.dtype(np.float32), lambda p, x: p.neg(x))
    finally:
        kernel.close()
    return (call - neg) / _CALLS


def _repeated(device: Device, dtype: np.dtype[Any], op: Callable[[Builder, Value], Value]) -> float:
    """Return the microseconds that the DSP takes for a program of equal ops on one source, so unfused: the median."""
    with device.program() as p:
        x = p.input((1, 32), dtype)
        p.output(*(op(p, x) for _ in range(_CALLS)))
        program = p.compile()
    zeros = np.zeros(x.shape, dtype)
    return median(program.run_with_report(zeros)[1].dsp_nanoseconds for _ in range(_RUNS)) / 1e3


def vote(session: Session, name: str) -> float:
    """Vote for clocks and return the code of the answer: 0 if it was granted."""
    try:
        session.set_power(contract.POWER[name])
    except HexagonError as error:
        if error.code is None:
            raise
        return float(error.code & 0xFFFFFFFF)
    return 0.0


def round_trips(device: Device) -> Iterator[tuple[float, float]]:
    """Yield seconds of idling and microseconds of an echo behind them, as this package sees it: the median."""
    for idle in _IDLES:
        yield idle, median(echoes(device._session, idle)) * 1e6


def echoes(session: Session, idle: float) -> Iterator[float]:
    """Yield the seconds of each of some echoes, ``idle`` seconds apart."""
    for _ in range(_IDLE_ROUND_TRIPS if idle else _ROUND_TRIPS):
        time.sleep(idle)
        start = time.perf_counter()
        session.ping()
        yield time.perf_counter() - start
