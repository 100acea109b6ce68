# SPDX-License-Identifier: MIT
"""The state that all programs of a device share: memory, sessions, default options, tracer."""

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
from pyhexagon.program.sharing import Sharing
from pyhexagon.program.switches import Switches


class Tracer(Protocol):
    """The receiver of events while a timeline is recorded."""

    def span(self, name: str, **arguments: object) -> AbstractContextManager[None]:
        """Record the time of a ``with`` block on the host."""

    def prepare(self, session: Session, device: str, timeout: float) -> None:
        """Prepare for a request to this session."""

    def request(
        self,
        session: Session,
        marks: tuple[int, int, int, int],
        report: Report,
        describe: Callable[[int], dict[str, object]],
    ) -> None:
        """Record an answered request."""

    def failed(self, start: int, n_ops: int, error: BaseException) -> None:
        """Record a request that was refused or not answered."""


class Runner:
    """Attributes:
    memory: the device's sessions and buffers.
    name: the device's name.
    kernels: the kernels that ops use, a name of ``contract.KERNELS``.
    switches: the debugging switches.
    timeout: seconds, for runs without their own.
    tracer: receives the events of runs, or None.
    sharing: how CPU threads take part in products, or None.
    dcfetch: whether matmuls prefetch activations into the DSP's L1 cache.
    """

    def __init__(
        self,
        memory: Memory,
        name: str,
        kernels: str,
        timeout: float,
        switches: Switches,
        *,
        sharing: Sharing | None = None,
        dcfetch: bool = False,
    ) -> None:
        self.memory = memory
        self.name = name
        self.kernels = kernels
        self.timeout = timeout
        self.switches = switches
        self.sharing = sharing
        self.dcfetch = dcfetch
        self.tracer: Tracer | None = None
        self._lock = threading.Lock()
        self._numbers: WeakKeyDictionary[Session, Numbers] = WeakKeyDictionary()

    def numbers(self, session: Session) -> Numbers:
        """Return the program numbers of a session."""
        with self._lock:
            return self._numbers.setdefault(session, Numbers())

    def drop_idle(self, session: Session, timeout: float) -> bool:
        """Make the DSP drop all programs that are not running; return whether there were any."""
        idle: Sequence[int] = self.numbers(session).idle()
        for number in idle:
            request = wire.request(contract.DROP, number)
            session.run(request.message, request.response_bytes, timeout, Pin(()))
        return bool(idle)
