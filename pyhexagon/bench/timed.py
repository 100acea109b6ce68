# SPDX-License-Identifier: MIT
"""Wrappers around a session's transport that measure time and count bytes; and a tracer that keeps reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pyhexagon.device import Device
from pyhexagon.process.session import Session
from pyhexagon.process.transport import Area
from pyhexagon.program import wire
from pyhexagon.program.report import Report

if TYPE_CHECKING:
    from typing_extensions import Self


class TimedTransport:
    """Replaces a session's transport within a ``with`` statement.

    Attributes:
        start, end: when the last request was sent and answered, in seconds of ``time.perf_counter``.
        microseconds: summed over all requests.
        sent: the last request: its area, its size, and the size of its response.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._transport = session.transport
        self.start = self.end = self.microseconds = 0.0
        self.sent: tuple[Area, int, int] | None = None

    @property
    def name(self) -> str:
        return self._transport.name

    def run(self, area: Area, request_size: int, response_size: int, sequence: int, timeout: float) -> None:
        self.sent = area, request_size, response_size
        self.start = time.perf_counter()
        self._transport.run(area, request_size, response_size, sequence, timeout)
        self.end = time.perf_counter()
        self.microseconds += (self.end - self.start) * 1e6

    def echo(self, timeout: float) -> None:
        self._transport.echo(timeout)

    def __enter__(self) -> Self:
        self._session.opened.transport = self
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._session.opened.transport = self._transport


class CountedTransport(TimedTransport):
    """Also keeps the sizes and responses of requests.

    Attributes:
        request_bytes, response_bytes: summed over all requests.
        responses: one per request.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.request_bytes = self.response_bytes = 0
        self.responses: list[wire.Response] = []

    def run(self, area: Area, request_size: int, response_size: int, sequence: int, timeout: float) -> None:
        super().run(area, request_size, response_size, sequence, timeout)
        self.request_bytes += request_size
        self.response_bytes += response_size
        self.responses.append(wire.Response.of(area.response(response_size).tobytes()))


class Reports:
    """A tracer that keeps the reports of runs, and the facts about the ops of each, in order."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.described: list[list[dict[str, Any]]] = []

    def span(self, name: str, **arguments: object) -> AbstractContextManager[None]:
        return nullcontext()

    def prepare(self, session: Session, device: str, timeout: float) -> None:
        pass

    def request(
        self,
        session: Session,
        marks: tuple[int, int, int, int],
        report: Report,
        describe: Callable[[int], dict[str, object]],
    ) -> None:
        self.reports.append(report)
        self.described.append([describe(index) for index in range(len(report.ops))])

    def failed(self, start: int, n_ops: int, error: BaseException) -> None:
        pass


@contextmanager
def traced(device: Device) -> Iterator[Reports]:
    """Keep the reports of what a device runs until the end of a ``with`` statement."""
    device._tracer = tracer = Reports()
    try:
        yield tracer
    finally:
        device._tracer = None
