# SPDX-License-Identifier: MIT
"""What all programs of a device share: its memory and sessions, how runs are made by default, and who watches them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol
from weakref import WeakKeyDictionary

from pyhexagon._ffi import contract
from pyhexagon.memory.buffer import Pin
from pyhexagon.memory.memory import Memory
from pyhexagon.process.session import Session
from pyhexagon.program import wire
from pyhexagon.program.numbers import Numbers
from pyhexagon.program.report import Report
from pyhexagon.program.switches import Switches


class Tracer(Protocol):
    """What is told of runs while a timeline is drawn."""

    def span(self, name: str, **arguments: object) -> AbstractContextManager[None]:
        """Something that the host does within a ``with`` statement."""

    def prepare(self, session: Session, device: str, timeout: float) -> None:
        """A request will go to this session."""

    def request(
        self,
        session: Session,
        marks: tuple[int, int, int, int],
        report: Report,
        describe: Callable[[int], dict[str, object]],
    ) -> None:
        """A request was answered."""

    def failed(self, start: int, n_ops: int, error: BaseException) -> None:
        """A request was refused or not answered."""


class Runner:
    """Attributes:
    memory: where sessions and buffers are.
    name: of the device.
    kernels: which ops may use, a name of ``contract.KERNELS``.
    switches: to find a wrong op.
    timeout: seconds, for a run that does not say.
    tracer: who watches, if anybody does.
    """

    def __init__(self, memory: Memory, name: str, kernels: str, timeout: float, switches: Switches) -> None:
        self.memory = memory
        self.name = name
        self.kernels = kernels
        self.timeout = timeout
        self.switches = switches
        self.tracer: Tracer | None = None
        self._lock = threading.Lock()
        self._numbers: WeakKeyDictionary[Session, Numbers] = WeakKeyDictionary()

    def numbers(self, session: Session) -> Numbers:
        """The numbers of a session's programs."""
        with self._lock:
            return self._numbers.setdefault(session, Numbers())

    def drop_idle(self, session: Session, timeout: float) -> bool:
        """Makes the DSP forget all programs that do not run at present; returns whether there were any."""
        idle: Sequence[int] = self.numbers(session).idle()
        for number in idle:
            request = wire.request(contract.DROP, number)
            session.run(request.message, request.response_bytes, timeout, Pin(()))
        return bool(idle)
