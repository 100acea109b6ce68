# SPDX-License-Identifier: MIT
"""``pyhexagon tune``: measure which vote, number of threads, prefetch, transport and CPU share are best on this board.

Five steps, each with the choices of the steps before it: the vote for clocks and the number of threads by two probes
(the rate of DMA from memory, on which decode depends, and of a product's inner loop, on which prefill depends), dcfetch
by the same loop over rows that HVX has just stored, transport and latency mode by the round trip of an echo after a
millisecond of idling, then the CPU's share of the rows by matmuls of one row. No board has run it yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np
from gguf import GGMLQuantizationType

from pyhexagon._ffi import contract
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.bench.blocks import random_blocks
from pyhexagon.bench.silicon_host import echoes
from pyhexagon.bench.silicon_probes import BUFFER_BYTES, FEWER, TICKS_PER_SECOND
from pyhexagon.device import Device
from pyhexagon.errors import HexagonError
from pyhexagon.process import profile
from pyhexagon.process.resources import short_code
from pyhexagon.process.session import Session
from pyhexagon.program.switches import check_stages

SCHEMA: Final = "pyhexagon-tune-1"
CLOSE: Final = 0.97
"""A candidate with at least this part of the best of each rate is as good as the best."""

_POWERS: Final = ("low", "balanced", "performance", "burst")  # lowest clocks first
_TRANSPORTS: Final = (("dspqueue", "qos"), ("invoke", "qos"), ("invoke", "poll"))  # least CPU time first
_DMA, _LOOP, _STORED, _ROUND_TRIP = "DMA GB/s", "Q4_0 loops/ms", "stored rows loops/ms", "round trip us"
_WEIGHTS: Final = "weights GB/s"
_SHARES: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)  # least CPU time first
_N_MATMULS: Final = 4  # of one row in a message
_SIZE, _SMALL_SIZE = 4096, 512  # of their weights, in Q4_0; on a loopback
_N_RUNS: Final = 15
_IDLE: Final = 1e-3
_SETTLE: Final = 0.05  # seconds after a vote
_TIMEOUT: Final = 60.0


class _Probe(NamedTuple):
    kind: str
    repeats: int  # on a board
    size: int
    unit: float  # of work per second


_PROBES: Final = {
    _DMA: _Probe("DMA", 512, 1 << 18, 1e9),
    _LOOP: _Probe("LOOP_Q4_0", 2048, 32, 1e3),
}
_DCFETCH: Final = {
    False: {_STORED: _Probe("STORED_Q4_0", 2048, 32, 1e3)},
    True: {_STORED: _Probe("DCFETCH_Q4_0", 2048, 32, 1e3)},
}


class Line(NamedTuple):
    """A candidate and its figures.

    Attributes:
        knob: "power", "threads", "dcfetch", "transport" or "cpu_share".
        options: the options of ``Device`` that it stands for.
        figures: by their names with units; empty if it was refused or failed.
        detail: why there are no figures.
        chosen: whether it is the best of its knob.
    """

    knob: str
    options: Mapping[str, Any]
    figures: Mapping[str, float]
    detail: str = ""
    chosen: bool = False


def run(device: str | None, starting: Callable[[str], None]) -> dict[str, Any]:
    """Measure, choose, and write the profile if the device may have one.

    Args:
        starting: called with the name of each candidate.

    Returns:
        "schema", "device", "loopback", "scripted"; "lines", each a ``Line`` as an object; "choice", the options chosen;
        "profile", the path of the profile, or null on a loopback.
    """
    with Device(device, power="low", transport="invoke", profile=False, timeout=_TIMEOUT) as opened:
        check_stages(opened.switches)
        info, target = opened.info(), opened._target
        is_tuned = profile.is_for(opened._library, target)
        lines = _choose(_powers(opened, starting))
    choice = _chosen(lines)
    with Device(device, transport="invoke", profile=False, timeout=_TIMEOUT, **choice) as opened:
        lines += _choose(_threads(opened, starting))
        lines += _choose(_dcfetch(opened, _chosen(lines).get("threads", opened.info().threads), starting))
    choice = _chosen(lines)
    lines += _choose(_transports(device, choice, starting))
    lines += _choose(_shares(device, _chosen(lines), starting))
    choice = _chosen(lines)
    shown = [line._asdict() for line in lines]
    return {
        "schema": SCHEMA,
        "device": info.device,
        "loopback": info.loopback,
        "scripted": info.loopback and is_tuned,
        "lines": shown,
        "choice": choice,
        "profile": str(profile.store(target, choice, shown)) if is_tuned else None,
    }


def _chosen(lines: Sequence[Line]) -> dict[str, Any]:
    return {name: value for line in lines if line.chosen for name, value in line.options.items()}


def _choose(candidates: Iterator[Line]) -> list[Line]:
    """Mark the first candidate, the least costly one, whose every figure is close to the best; else the one whose
    worst figure is best. Mark none if none has figures."""
    lines = list(candidates)
    measured = [line for line in lines if line.figures]
    if not measured:
        return lines
    best = {name: max(_rate(name, line.figures[name]) for line in measured) for name in measured[0].figures}

    def score(line: Line) -> float:
        return min(_rate(name, line.figures[name]) / best[name] for name in best)

    winner = next((line for line in measured if score(line) >= CLOSE), max(measured, key=score))
    return [line._replace(chosen=line is winner) for line in lines]


def _rate(name: str, figure: float) -> float:
    return 1 / figure if name == _ROUND_TRIP else figure


# --- Candidates ---


def _powers(device: Device, starting: Callable[[str], None]) -> Iterator[Line]:
    session, n_threads = device._session, device.info().threads
    for power in _POWERS:
        starting(f"power {power}")
        options = {"power": power}
        try:
            session.set_power(contract.POWER[power])
            time.sleep(_SETTLE)
            yield Line("power", options, _rates(device, n_threads, _PROBES))
        except HexagonError as error:
            yield Line("power", options, {}, f"refused: {short_code(error)}")


def _threads(device: Device, starting: Callable[[str], None]) -> Iterator[Line]:
    for n_threads in range(1, device.info().threads + 1):
        starting(f"threads {n_threads}")
        yield _measured(device, "threads", n_threads, n_threads, _PROBES)


def _dcfetch(device: Device, n_threads: int, starting: Callable[[str], None]) -> Iterator[Line]:
    for dcfetch, probes in _DCFETCH.items():
        starting(f"dcfetch {dcfetch}")
        yield _measured(device, "dcfetch", dcfetch, n_threads, probes)


def _measured(device: Device, knob: str, value: int, n_threads: int, probes: Mapping[str, _Probe]) -> Line:
    try:
        return Line(knob, {knob: value}, _rates(device, n_threads, probes))
    except HexagonError as error:
        return Line(knob, {knob: value}, {}, f"failed: {error}")


def _rates(device: Device, n_threads: int, probes: Mapping[str, _Probe]) -> dict[str, float]:
    """Return the rates of probes, of all threads together.

    Raises:
        HexagonError: a probe fails, or takes no time.
    """
    session: Session = device._session
    buffer = SharedMemory(device._library, BUFFER_BYTES)
    session.map(buffer)
    try:
        rates = {}
        for name, probe in probes.items():
            repeats = max(1, probe.repeats // FEWER) if device._library.is_loopback else probe.repeats
            records = session.probe(contract.PROBES[probe.kind], n_threads, repeats, probe.size, buffer.fd)
            seconds = max(record.ticks for record in records) / TICKS_PER_SECOND
            if not seconds:
                raise HexagonError(f"probe {probe.kind}: it took less than a tick of the DSP's timer")
            rates[name] = sum(record.work for record in records) / seconds / probe.unit
        return rates
    finally:
        session.unmap(buffer)
        buffer.free()


def _transports(device: str | None, choice: Mapping[str, Any], starting: Callable[[str], None]) -> Iterator[Line]:
    for transport, latency in _TRANSPORTS:
        starting(f"{transport}, {latency}")
        options: dict[str, Any] = {"transport": transport, "latency": latency}
        try:
            with Device(device, profile=False, timeout=_TIMEOUT, **options, **choice) as opened:
                vote = opened.info().votes["latency"]
                if latency == "poll" and vote != "poll":
                    yield Line("transport", options, {}, f"not available: {vote}")
                    continue
                yield Line("transport", options, {_ROUND_TRIP: median(echoes(opened._session, _IDLE)) * 1e6})
        except HexagonError as error:
            yield Line("transport", options, {}, f"failed: {error}")


def _shares(device: str | None, choice: Mapping[str, Any], starting: Callable[[str], None]) -> Iterator[Line]:
    for share in _SHARES:
        starting(f"cpu_share {share:g}")
        options: dict[str, Any] = {"cpu_share": share}
        try:
            with Device(device, profile=False, timeout=_TIMEOUT, **options, **choice) as opened:
                yield Line("cpu_share", options, {_WEIGHTS: _weight_rate(opened)})
        except HexagonError as error:
            yield Line("cpu_share", options, {}, f"failed: {error}")


def _weight_rate(device: Device) -> float:
    """Return the GB/s of weights that matmuls of one row read, as in decode."""
    size = _SMALL_SIZE if device._library.is_loopback else _SIZE
    blocks = random_blocks(GGMLQuantizationType.Q4_0, size, size, seed=0)
    p, seconds = device.program(), []
    x = p.input((1, size))
    for _ in range(_N_MATMULS):
        p.output(p.matmul(x, device.pack(GGMLQuantizationType.Q4_0, blocks, (size, size))))
    program = p.compile()
    row = np.random.default_rng(0).standard_normal((1, size), np.float32)
    for _ in range(_N_RUNS):
        start = time.perf_counter()
        program.run(row)
        seconds.append(time.perf_counter() - start)
    return _N_MATMULS * blocks.nbytes / median(seconds) / 1e9
