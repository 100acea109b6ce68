# SPDX-License-Identifier: MIT
"""A timeline of host and DSP in the Chrome trace-event format, for https://ui.perfetto.dev.

    with device.trace("trace.json"):
        y = device.matmul(x, w)

The host is one process with a track per thread: copies of activations, uploads of weights, and each request with its
encoding, its exchange ("transport") and its parsing. Every session is another process, with a track for requests and
their ops and one for each DSP thread: from its first to its last work unit in an op; ``busy_us`` excludes waiting for
other threads.

The DSP's qtimer is not the host's clock. Round trips of empty requests give the offset between them: the DSP works
between sending and receiving, so each round trip gives an upper and a lower bound. The middle of the tightest bounds is
used; half their distance, ``error_us`` in the file, bounds the error. As the clocks drift, each request corrects the
offset as far as its own bounds require: every request is drawn inside its transport.
"""

from __future__ import annotations

import json
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from pyhexagon import files
from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.memory.buffer import Pin
from pyhexagon.process.session import Session
from pyhexagon.program import wire
from pyhexagon.program.numbers import TRANSIENT_NUMBER
from pyhexagon.program.report import Report
from pyhexagon.version import VERSION

if TYPE_CHECKING:
    from pyhexagon.device import Device

ROUND_TRIPS: Final = 16
_HOST: Final = 1  # the host's process number in the file; the sessions follow
_REQUESTS: Final = 0  # the track of a session's requests and ops; the threads follow

Event = dict[str, Any]


class Clock(NamedTuple):
    """Bounds of the host's clock minus the DSP's, in nanoseconds."""

    low: int
    high: int

    @property
    def offset(self) -> int:
        return (self.low + self.high) // 2

    @property
    def error(self) -> int:
        return (self.high - self.low + 1) // 2


def complete_event(
    track: tuple[int, int], name: str, category: str, times: tuple[float, float], arguments: Event
) -> Event:
    """Return the event of a span on the track of a process and thread; its start and duration are microseconds."""
    pid, tid = track
    ts, dur = times
    return {"ph": "X", "pid": pid, "tid": tid, "name": name, "cat": category, "ts": ts, "dur": dur, "args": arguments}


def name_events(pid: int, name: str, tid: int | None = None) -> list[Event]:
    """Return the events that name a process, or a thread of it, and sort it by its number."""
    kind = "process" if tid is None else "thread"
    facts = (("name", name), ("sort_index", pid if tid is None else tid))
    return [
        {"ph": "M", "pid": pid, "tid": tid or 0, "name": f"{kind}_{key}", "args": {key: value}} for key, value in facts
    ]


def write_events(file: BinaryIO, about: Event, events: Sequence[Event]) -> None:
    """Write a file in the trace-event format."""
    file.write(b'{"displayTimeUnit": "ns",\n"otherData": ' + json.dumps(about, allow_nan=False).encode())
    file.write(b',\n"traceEvents": [')
    separator = b"\n"
    for event in events:
        file.write(separator + json.dumps(event, allow_nan=False).encode())
        separator = b",\n"
    file.write(b"\n]}\n")


class Trace:
    """Records events within a ``with`` statement and writes them at its end, also after an exception.

    Args:
        path: the file, which is written atomically.

    Raises:
        HexagonError: at the start if the file cannot be written, at the end if writing failed. If an exception ended
            the block, that exception is raised, and a failure is a warning.
    """

    hidden = frozenset({"failed", "hidden", "prepare", "request"})

    def __init__(self, path: str | os.PathLike[str]) -> None:
        files.check(Path(path))
        self.path = Path(path).absolute()
        self._start = time.perf_counter_ns()
        self._events: list[Event] = []
        self._preparing = threading.Lock()  # one session at a time
        self._lock = threading.Lock()  # of the fields below
        self._threads: set[int] = set()
        self._sessions: dict[Session, tuple[int, Clock]] = {}
        self._clocks: list[Event] = []
        self._name(_HOST, f"host: process {os.getpid()}")

    @contextmanager
    def of(self, device: Device) -> Iterator[Trace]:
        """Trace the device within a ``with`` statement."""
        if device._tracer is not None:
            raise ArgumentError(f"{device!r} is traced already")
        device._tracer = self
        try:
            yield self
        finally:
            device._tracer = None

    # --- What happens ---

    @contextmanager
    def span(self, name: str, **arguments: object) -> Iterator[None]:
        """Record the time of a ``with`` block on this host thread."""
        start = time.perf_counter_ns()
        try:
            yield
        except BaseException as error:
            arguments["error"] = _text(error)
            raise
        finally:
            self._on_host(name, start, time.perf_counter_ns(), arguments)

    def request(
        self, session: Session, marks: tuple[int, int, int, int], report: Report, describe: Callable[[int], Event]
    ) -> None:
        """Record an answered request.

        Args:
            marks: when its call began, was sent, was answered and ended, in ``time.perf_counter_ns``.
            describe: returns further facts about an op, by its index.
        """
        start, sent, received, end = marks
        self._on_host("request", start, end, {"ops": len(report.ops), "transport": report.transport})
        self._on_host("encode", start, sent, {})
        self._on_host("transport", sent, received, {"dsp_us": report.dsp_nanoseconds / 1e3})
        self._on_host("parse", received, end, {})
        pid, clock = self._of_session(session)
        on_host = _to_host(clock, sent, received, report)

        def add(track: int, name: str, begin: int, duration: int, arguments: Event) -> None:
            self._complete((pid, track), name, (on_host(begin), on_host(begin + duration)), arguments)

        add(_REQUESTS, "request", report.dsp_start_nanoseconds, report.dsp_nanoseconds, {"ops": len(report.ops)})
        for index, op in enumerate(report.ops):
            arguments = {
                **describe(index),
                "kernels": op.kernels,
                "threads": op.n_threads,
                "packets": op.packets,
                "packets_max_thread": op.packets_max_thread,
                "hvx_instructions": op.hvx_instructions,
                "cycles": op.cycles,
                "dma_bytes": op.dma_bytes,
                "busy_us": op.busy_nanoseconds / 1e3,
                "quantise_us": op.quantise_nanoseconds / 1e3,
            }
            if op.cpu_rows or op.taken_rows:
                arguments |= {"cpu_rows": op.cpu_rows, "taken_rows": op.taken_rows}
            add(_REQUESTS, op.op, op.start_nanoseconds, op.nanoseconds, arguments)
            for number, thread in enumerate(op.threads):
                if thread.start_nanoseconds:
                    arguments = {
                        "packets": thread.packets,
                        "hvx_instructions": thread.hvx_instructions,
                        "cycles": thread.cycles,
                        "busy_us": thread.busy_nanoseconds / 1e3,
                    }
                    add(1 + number, op.op, thread.start_nanoseconds, thread.nanoseconds, arguments)

    def failed(self, start: int, n_ops: int, error: BaseException) -> None:
        """Record a request that was refused or not answered; ``start`` is when its call began."""
        self._on_host("request", start, time.perf_counter_ns(), {"ops": n_ops, "error": _text(error)})

    # --- Events ---

    def _on_host(self, name: str, start: int, end: int, arguments: Event) -> None:
        thread = threading.get_native_id()
        with self._lock:
            is_new = thread not in self._threads
            self._threads.add(thread)
        if is_new:
            self._name(_HOST, threading.current_thread().name, thread)
        self._complete((_HOST, thread), name, (start, end), arguments)

    def _complete(self, track: tuple[int, int], name: str, interval: tuple[int, int], arguments: Event) -> None:
        start, end = interval
        category = "host" if track[0] == _HOST else "dsp"
        times = (start - self._start) / 1e3, (end - start) / 1e3
        self._events.append(complete_event(track, name, category, times, arguments))

    def _name(self, pid: int, name: str, tid: int | None = None) -> None:
        self._events += name_events(pid, name, tid)

    # --- Clocks ---

    def prepare(self, session: Session, device: str, timeout: float) -> None:
        """Relate a session's clock to the host's before its first request."""
        with self._preparing:
            if session not in self._sessions:
                self._prepare(session, device, timeout)

    def _prepare(self, session: Session, device: str, timeout: float) -> None:
        clock = _relate(session, timeout)
        with self._lock:
            pid = _HOST + 1 + len(self._sessions)
            self._sessions[session] = pid, clock
        name = f"DSP: {device}, session {len(self._sessions)}"
        self._name(pid, name)
        self._name(pid, "requests and ops", _REQUESTS)
        for thread in range(session.info.n_threads):
            self._name(pid, f"thread {thread}", 1 + thread)
        self._clocks.append({
            "process": name,
            "offset_us": clock.offset / 1e3,
            "error_us": clock.error / 1e3,
            "round_trips": ROUND_TRIPS,
            "transport": session.transport.name,
        })

    def _of_session(self, session: Session) -> tuple[int, Clock]:
        with self._lock:
            return self._sessions[session]

    # --- The file ---

    def _write(self, file: BinaryIO) -> None:
        about = {
            "pyhexagon": VERSION,
            "clock": "host: time.perf_counter_ns since the start of the trace; DSP: qtimer, plus offset_us",
            "dsp_clocks": self._clocks,
        }
        write_events(file, about, list(self._events))

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.hidden]

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            files.save(self.path, self._write, is_private=True)
        except HexagonError as problem:
            if error is None:
                raise
            warnings.warn(str(problem), RuntimeWarning, stacklevel=2)


def _text(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _relate(session: Session, timeout: float) -> Clock:
    """Measure bounds of the clocks' difference with round trips of empty requests."""
    low, high = None, None
    empty = wire.empty(TRANSIENT_NUMBER)
    for _ in range(ROUND_TRIPS):
        sent = time.perf_counter_ns()
        response = wire.Response.of(session.run(empty.message, empty.response_bytes, timeout, Pin(())))
        received = time.perf_counter_ns()
        start, end = response.start_ns, response.end_ns
        low = sent - start if low is None else max(low, sent - start)
        high = received - end if high is None else min(high, received - end)
    assert low is not None
    assert high is not None
    return Clock(min(low, high), max(low, high))


def _to_host(clock: Clock, sent: int, received: int, report: Report) -> Callable[[int], int]:
    """Return a function from DSP times of a request to host times between sending and receiving."""
    start, duration = report.dsp_start_nanoseconds, report.dsp_nanoseconds
    if duration > received - sent:  # the DSP's clock runs faster
        return lambda ns: sent + (ns - start) * (received - sent) // duration
    offset = min(max(clock.offset, sent - start), received - start - duration)
    return lambda ns: ns + offset
