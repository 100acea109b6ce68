# SPDX-License-Identifier: MIT
"""``bench silicon``: measure what the project only assumes about the hardware, each figure beside its prediction.

The skel runs most probes (dsp/probes); round trips, mappings and votes are measured here. On a loopback every probe
runs, but its figures say nothing about a DSP: no line has a verdict then, unless the loopback is a scripted board (its
option ``rates``). No board has run it yet.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

from pyhexagon._ffi import contract
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.bench.silicon_probes import BUFFER_BYTES, DspProbe, Prediction, dsp_probes
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.process.session import Session
from pyhexagon.version import VERSION

SCHEMA: Final = "pyhexagon-bench-silicon-1"
FIELDS: Final = ("probe", "low", "high", "measured", "unit", "verdict", "detail")

AS_PREDICTED: Final = "as predicted"
LOWER: Final = "lower than predicted"
HIGHER: Final = "higher than predicted"
NO_COUNTER: Final = "no counter"
NO_DSP: Final = "no DSP"

FEWER: Final = 200  # a loopback runs so many times fewer repeats
_ROUND_TRIPS: Final = 50
_IDLE: Final = {0.0: (60.0, 150.0), 1e-3: (60.0, 350.0), 10e-3: (60.0, 350.0)}  # seconds before each: us of an invoke
_QUEUED: Final = {0.0: (30.0, 90.0), 1e-3: (30.0, 290.0), 10e-3: (30.0, 290.0)}  # us of a dspqueue round trip
_IDLE_ROUND_TRIPS: Final = 10
_MAPPINGS: Final = 5
_TIMEOUT: Final = 60.0

Line = dict[str, Any]
"""A line of the result, with ``FIELDS``; ``measured`` is None where it failed, ``detail`` then says why."""


def run(device: str | None, power: str, starting: Callable[[str], None]) -> dict[str, Any]:
    """Run all probes.

    Args:
        power: the vote in effect while probes run, as for ``Device``.
        starting: called with the name of each probe.

    Returns:
        The result, in the form of ``SCHEMA``: facts about device and package, and "lines".
    """
    start = time.perf_counter()
    with Device(device, power=power, timeout=_TIMEOUT, profile=False) as opened:
        info = opened.info()
        is_scripted = info.loopback and bool(opened._library.loopback_has_rates())
        judged = not info.loopback or is_scripted
        lines = list(_lines(opened, info.loopback, starting))
    for transport, predictions in (("invoke", _IDLE), ("dspqueue", _QUEUED)):
        lines += _round_trips(device, transport, predictions, starting)
    if not judged:
        lines = [line if line["measured"] is None else line | {"verdict": NO_DSP} for line in lines]
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "device": opened.name,
        "loopback": info.loopback,
        "scripted": is_scripted,
        "arch": info.arch,
        "threads": info.threads,
        "vtcm_bytes": info.vtcm_bytes,
        "power": power,
        "seconds": time.perf_counter() - start,
        "lines": lines,
    }


def load(path: Path) -> dict[str, Any]:
    """Read a stored result.

    Raises:
        ArgumentError: the file is not a result of ``SCHEMA``.
    """
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        check(result)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{path}: {error}") from None
    return dict(result)


def check(result: object) -> None:
    """Raise ValueError unless ``result`` has the form of ``SCHEMA``."""
    if not isinstance(result, dict) or result.get("schema") != SCHEMA:
        raise ValueError(f"no result of bench silicon (schema {SCHEMA})")
    for line in result["lines"]:
        if tuple(line) != FIELDS:
            raise ValueError(f"a line has the fields {', '.join(line)}, not {', '.join(FIELDS)}")
        if not all(line[name] is None or isinstance(line[name], float) for name in ("low", "high", "measured")):
            raise ValueError(f"{line['probe']}: low, high and measured are numbers or null")


def verdict(predicted: Prediction, measured: float) -> str:
    """Return whether a figure lies in its predicted range."""
    return LOWER if measured < predicted.low else HIGHER if measured > predicted.high else AS_PREDICTED


# --- Lines ---


def _line(name: str, predicted: Prediction, measured: float | None, detail: object = None) -> Line:
    return {
        "probe": name,
        "low": float(predicted.low),
        "high": float(predicted.high),
        "measured": measured,
        "unit": predicted.unit,
        "verdict": NO_COUNTER if measured is None else verdict(predicted, measured),
        "detail": detail,
    }


def _failed(name: str, predicted: Prediction, error: Exception) -> Line:
    return _line(name, predicted, None, str(error)) | {"verdict": "failed"}


def _lines(device: Device, is_loopback: bool, starting: Callable[[str], None]) -> Iterator[Line]:
    """Yield the lines of one open device."""
    session = device._session
    buffer = SharedMemory(device._library, BUFFER_BYTES)
    session.map(buffer)
    try:
        for probe in dsp_probes(device.info().threads):
            starting(probe.name)
            yield _of_probe(session, probe, buffer, is_loopback)
    finally:
        session.unmap(buffer)
        buffer.free()
    starting("map")
    yield _of_mapping(device)
    yield from _votes(session, starting)


def _of_probe(session: Session, probe: DspProbe, buffer: SharedMemory, is_loopback: bool) -> Line:
    repeats = max(1, probe.repeats // FEWER) if is_loopback else probe.repeats
    try:
        records = session.probe(contract.PROBES[probe.kind], probe.threads, repeats, probe.size, buffer.fd)
    except HexagonError as error:
        return _failed(probe.name, probe.predicted, error)
    return _line(probe.name, probe.predicted, probe.figure(records), [record._asdict() for record in records])


def _of_mapping(device: Device) -> Line:
    predicted = Prediction(50, 200, "us/MiB")
    seconds = []
    try:
        for _ in range(_MAPPINGS):
            buffer = SharedMemory(device._library, BUFFER_BYTES)
            start = time.perf_counter()
            device._session.map(buffer)
            seconds.append(time.perf_counter() - start)
            device._session.unmap(buffer)
            buffer.free()
    except HexagonError as error:
        return _failed("map", predicted, error)
    return _line("map", predicted, median(seconds) * 1e6 / (BUFFER_BYTES >> 20))


def _votes(session: Session, starting: Callable[[str], None]) -> Iterator[Line]:
    """Yield for each vote whether the firmware accepts it: the code of its answer."""
    predicted = Prediction(0, 0, "AEE code")
    for name in ("low", "performance"):
        starting(f"vote {name}")
        code = 0
        try:
            session.set_power(contract.POWER[name])
        except HexagonError as error:
            if error.code is None:
                yield _failed(f"vote {name}", predicted, error)
                continue
            code = error.code & 0xFFFFFFFF
        yield _line(f"vote {name}", predicted, float(code))


def _round_trips(
    device: str | None,
    transport: str,
    predictions: dict[float, tuple[float, float]],
    starting: Callable[[str], None],
) -> Iterator[Line]:
    """Yield the time of an echo, as this package sees it, after various times of idling: the median."""
    try:
        with Device(device, transport=transport, timeout=_TIMEOUT, profile=False) as opened:
            for idle, (low, high) in predictions.items():
                name = f"{transport} after {idle * 1e3:g} ms"
                starting(name)
                times = echoes(opened._session, idle)
                yield _line(name, Prediction(low, high, "us"), median(times) * 1e6)
    except HexagonError as error:
        yield _failed(transport, Prediction(*predictions[0.0], "us"), error)


def echoes(session: Session, idle: float) -> Iterator[float]:
    """Yield the seconds of each of some echoes, ``idle`` seconds apart."""
    for _ in range(_IDLE_ROUND_TRIPS if idle else _ROUND_TRIPS):
        time.sleep(idle)
        start = time.perf_counter()
        session.ping()
        yield time.perf_counter() - start
