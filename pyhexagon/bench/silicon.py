# SPDX-License-Identifier: MIT
"""``bench silicon``: measure what the project only assumes about the hardware, each figure beside its prediction.

The skel runs most probes (dsp/probes), the host the others (silicon_host.py). On a loopback every probe runs, but its
figures say nothing about a DSP: no line has a verdict then, unless the loopback is a scripted board (its option
``rates``). No board has run it yet.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Final

from pyhexagon._ffi import contract
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.bench import silicon_host, thermals
from pyhexagon.bench.sensors import Sensors
from pyhexagon.bench.silicon_probes import BUFFER_BYTES, FEWER, DspProbe, Prediction, clock_probe, dma_probe, dsp_probes
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.version import VERSION

SCHEMA: Final = "pyhexagon-bench-silicon-1"
FIELDS: Final = ("probe", "low", "high", "measured", "unit", "verdict", "detail")

AS_PREDICTED: Final = "as predicted"
LOWER: Final = "lower than predicted"
HIGHER: Final = "higher than predicted"
NO_COUNTER: Final = "no counter"
NO_DSP: Final = "no DSP"

_SETTLE: Final = 0.05  # seconds after a vote
_TIMEOUT: Final = 60.0

Line = dict[str, Any]
"""A line of the result, with ``FIELDS``; ``measured`` is None where it failed, ``detail`` then says why."""


def run(
    device: str | None,
    power: str,
    starting: Callable[[str], None],
    *,
    seconds: float = 0.0,
    open_file: Callable[[], AbstractContextManager[GGUFFile]] | None = None,
) -> dict[str, Any]:
    """Run all probes.

    Args:
        power: the vote in effect while probes run, as for ``Device``.
        starting: called with the name of each probe.
        seconds: to decode tokens of a model, for thermals; 0 leaves them out.
        open_file: opens that model's file.

    Returns:
        The result, in the form of ``SCHEMA``: facts about device and package, "sensors" before and after, and "lines".
    """
    start, sensors = time.perf_counter(), Sensors()
    before = sensors.read()
    with Device(device, power=power, timeout=_TIMEOUT, profile=False) as opened:
        info = opened.info()
        is_scripted = info.loopback and bool(opened._library.loopback_has_rates())
        judged = not info.loopback or is_scripted
        lines = list(_lines(opened, info.loopback, starting))
    for mode in silicon_host.MODES:
        lines += _round_trips(device, power, mode, starting)
    if seconds and open_file:
        starting("thermals")
        with Device(device, power=power, timeout=_TIMEOUT, profile=False) as opened:
            lines.append(_thermals(list(thermals.decode(opened, open_file, seconds, sensors))))
    if not judged:
        lines = [line if line["measured"] is None else line | {"verdict": NO_DSP} for line in lines]
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "device": info.device,
        "loopback": info.loopback,
        "scripted": is_scripted,
        "arch": info.arch,
        "threads": info.threads,
        "vtcm_bytes": info.vtcm_bytes,
        "power": power,
        "seconds": time.perf_counter() - start,
        "sensors": {"before": before, "after": sensors.read()},
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


def _line_of(name: str, predicted: Prediction, measure: Callable[[], float]) -> Line:
    try:
        return _line(name, predicted, measure())
    except HexagonError as error:
        return _failed(name, predicted, error)


def _lines(device: Device, is_loopback: bool, starting: Callable[[str], None]) -> Iterator[Line]:
    """Yield the lines of one open device."""
    session = device._session
    buffer = SharedMemory(device._library, BUFFER_BYTES)
    session.map(buffer)
    try:
        for probe in dsp_probes(device.info().threads):
            starting(probe.name)
            yield _of_probe(device, probe, buffer.fd, is_loopback)
        for name, clock in silicon_host.VOTES.items():
            starting(f"vote {name}")
            yield _line_of(f"vote {name}", Prediction(0, 0, "AEE code"), partial(silicon_host.vote, session, name))
            time.sleep(_SETTLE)
            yield _of_probe(device, clock_probe(f"vote {name} clock", clock), buffer.fd, is_loopback)
            probe = dma_probe(f"vote {name} dma", device.info().threads, is_slow=name == "low")
            yield _of_probe(device, probe, buffer.fd, is_loopback)
    finally:
        session.unmap(buffer)
        buffer.free()
    starting("map")
    yield _line_of("map", Prediction(50, 200, "us/MiB"), partial(silicon_host.mapping, device))
    starting("heap")
    yield _line_of("heap", Prediction(16, 64, "MiB"), partial(silicon_host.heap, session))
    starting("stale lines")
    yield _line_of("stale lines", Prediction(0, 0, "lines"), partial(silicon_host.stale_lines, device))
    starting("kernel load")
    yield _line_of("kernel load", Prediction(150, 2000, "us"), partial(silicon_host.kernel_load, device))
    starting("kernel call")
    yield _line_of("kernel call", Prediction(0.15, 0.8, "us"), partial(silicon_host.kernel_call, device))


def _of_probe(device: Device, probe: DspProbe, fd: int, is_loopback: bool) -> Line:
    repeats = max(1, probe.repeats // FEWER) if is_loopback else probe.repeats
    try:
        records = device._session.probe(contract.PROBES[probe.kind], probe.threads, repeats, probe.size, fd)
    except HexagonError as error:
        return _failed(probe.name, probe.predicted, error)
    return _line(probe.name, probe.predicted, probe.figure(records), [record._asdict() for record in records])


def _round_trips(
    device: str | None, power: str, mode: silicon_host.Mode, starting: Callable[[str], None]
) -> Iterator[Line]:
    """Yield the time of an echo after various times of idling."""
    starting(mode.name)
    try:
        with Device(device, power=power, timeout=_TIMEOUT, profile=False, **mode.options) as opened:
            vote = opened.info().votes["latency"]
            if mode.options.get("latency") == "poll" and vote != "poll":
                raise HexagonError(f"poll mode is not available: {vote}")
            for idle, microseconds in silicon_host.round_trips(opened):
                yield _line(f"{mode.name} after {idle * 1e3:g} ms", mode.predictions[idle > 0], microseconds)
    except HexagonError as error:
        yield _failed(mode.name, mode.predictions[0], error)


def _thermals(samples: list[dict[str, Any]]) -> Line:
    """Return the last speed of decoding in percent of the first one."""
    part = samples[-1]["tokens_per_second"] / samples[0]["tokens_per_second"] * 100
    return _line(f"decode after {samples[-1]['seconds']:.0f} s", Prediction(90, 110, "%"), part, samples)
