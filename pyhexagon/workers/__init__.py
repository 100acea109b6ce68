# SPDX-License-Identifier: MIT
"""Processes that compute with untrusted input: chat templates, and code that is highlighted.

A worker (main.py) answers texts with one program: it has no environment, and limits of CPU time and memory. It
lives as long as this process, so that a text costs no start of Python. A worker serves one thread at a time; threads
that find none idle start another one. A worker ends when its program breaks a limit, when it becomes large, when its
text is interrupted or cancelled, or when its pipe closes, which the end of this process does in any case.

There are no locks, which Ctrl-C could leave held: lists give a worker to one thread only, as ``pop`` is atomic.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

_MAIN: Final = str(Path(__file__).with_name("main.py"))
_MAX_IDLE: Final = 4

_idle: list[_Worker] = []  # the most recently used one is the last
_all: weakref.WeakSet[_Worker] = weakref.WeakSet()


class WorkerEnded(Exception):
    """A worker ended without an answer; the message says why."""


class Cancellation:
    """Ends the workers that answer a text for somebody who does not wait any more. Thread-safe."""

    def __init__(self) -> None:
        self.is_cancelled = False
        self.workers: set[_Worker] = set()

    def cancel(self) -> None:
        """End the workers, and let further texts fail."""
        self.is_cancelled = True  # first: a worker that is added from now on is not asked
        for worker in list(self.workers):
            worker.kill()


_cancellation: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


@contextmanager
def cancelled_by(cancellation: Cancellation) -> Iterator[None]:
    """Let texts of this thread be cancelled until the end of a ``with`` statement."""
    token = _cancellation.set(cancellation)
    try:
        yield
    finally:
        _cancellation.reset(token)


def ask(program: Path, arguments: object, value: str, *, cpu_seconds: float, max_bytes: int) -> dict[str, Any]:
    """Return a program's answer: its "text", or the "problem" that it has with the value.

    Args:
        program: a Python file with a function ``prepare``, see main.py.
        arguments: of ``prepare``, expressible in JSON.
        value: a line of JSON.
        cpu_seconds: limit of CPU time.
        max_bytes: limit of memory.

    Raises:
        WorkerEnded: a limit was broken, or the text was cancelled.
    """
    limits = {"seconds": cpu_seconds, "bytes": max_bytes}
    setup = json.dumps({"program": str(program), "arguments": arguments, "path": sys.path, **limits})
    cancellation = _cancellation.get() or Cancellation()
    worker = _taken(setup)
    try:
        answer = _answer(worker, value, cancellation)
        if answer is None and worker.is_used and not worker.broke_a_limit:  # it may have died while it was idle
            worker.close()
            worker = _Worker(setup)
            answer = _answer(worker, value, cancellation)
        if answer is None:
            raise WorkerEnded(f"it takes more than {cpu_seconds:g} seconds of CPU time" if worker.broke_a_limit
                              else worker.reason())  # fmt: skip
    except BaseException:  # Ctrl-C, too: its answer may still come
        worker.close()
        raise
    if answer.pop("is_last"):
        worker.close()
    else:
        _give_back(worker)
    return answer


def _answer(worker: _Worker, value: str, cancellation: Cancellation) -> dict[str, Any] | None:
    """Return a worker's answer; None if it ends without one."""
    cancellation.workers.add(worker)
    try:
        if cancellation.is_cancelled:
            raise WorkerEnded("nobody waits for it")
        return worker.ask(value)
    finally:
        cancellation.workers.discard(worker)


class _Worker:
    """A process that answers texts with one program.

    Args:
        setup: the first line that it reads.

    Attributes:
        is_used: whether it has answered a text before the present one.
    """

    def __init__(self, setup: str) -> None:
        self.setup, self.is_used, self._n_texts = setup, False, 0
        self._socket, its = socket.socketpair()
        with its:
            self._process = subprocess.Popen(
                [sys.executable, "-I", _MAIN], stdin=its.fileno(), stdout=its.fileno(), stderr=subprocess.DEVNULL,
                env={}, start_new_session=True,  # Ctrl-C of a terminal is not for it
            )  # fmt: skip
        _all.add(self)

    def ask(self, value: str) -> dict[str, Any] | None:
        """Return the answer to a line; None if the process ends without one."""
        self.is_used, first = self._n_texts > 0, self._n_texts == 0
        self._n_texts += 1
        try:
            self._socket.sendall(f"{self.setup}\n{value}\n".encode() if first else f"{value}\n".encode())
            with self._socket.makefile("rb") as stream:
                line = stream.readline()
        except (BrokenPipeError, ConnectionResetError):
            line = b""
        return json.loads(line) if line.endswith(b"\n") else None

    @property
    def broke_a_limit(self) -> bool:
        """Whether the process ended because of the limit of CPU time; waits for its end."""
        return self._process.wait() == -signal.SIGPROF

    def reason(self) -> str:
        """Say why the process ended."""
        status = self._process.wait()
        return signal.strsignal(-status) or f"signal {-status}" if status < 0 else f"exit status {status}"

    def kill(self) -> None:
        """End the process, from any thread; the thread that asks it gets no answer."""
        self._process.kill()

    def close(self) -> None:
        """End the process. Again is a no-op."""
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def leave(self) -> None:
        """In a child process made by fork: the worker is the parent's, and ends with the parent."""
        self._socket.close()
        self._process.returncode = 0  # not a child of this process

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.close()


def _taken(setup: str) -> _Worker:
    """Return an idle worker of a program, or a new one."""
    others, found = list[_Worker](), None
    while found is None and (worker := _pop(-1)):
        if worker.setup == setup:
            found = worker
        else:
            others.append(worker)
    _idle.extend(reversed(others))
    return found or _Worker(setup)


def _give_back(worker: _Worker) -> None:
    _idle.append(worker)
    while len(_idle) > _MAX_IDLE and (oldest := _pop(0)):
        oldest.close()


def _pop(at: int) -> _Worker | None:
    try:
        return _idle.pop(at)
    except IndexError:  # other threads took the last ones
        return None


def _close_all() -> None:
    while worker := _pop(-1):
        worker.close()


def _after_fork() -> None:
    for worker in list(_all):
        worker.leave()
    _idle.clear()
    _all.clear()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork)
