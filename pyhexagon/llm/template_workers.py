# SPDX-License-Identifier: MIT
"""The processes that render chat templates.

A worker (rendering.py) renders the texts of one template: it has no environment, and limits of CPU time and memory. It
lives as long as this process, so that a text costs no start of Python. A worker serves one thread at a time; threads
that find none idle start another one. A worker ends when its template breaks a limit, when it becomes large, when its
text is interrupted, or when its pipe closes, which the end of this process does in any case.

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
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pyhexagon.errors import ArgumentError

_PROGRAM: Final = str(Path(__file__).with_name("rendering.py"))
_CPU_SECONDS: Final = 5  # for a text; the first one of a worker includes the compiler's
_BYTES: Final = 512 << 20
_MAX_IDLE: Final = 4

_idle: list[_Worker] = []  # the most recently used one is the last
_all: weakref.WeakSet[_Worker] = weakref.WeakSet()


def render(source: str, names: Mapping[str, str], values: str) -> str:
    """Return the text that a template makes.

    Args:
        source: the template.
        names: strings that it may use.
        values: its variables, a JSON object.

    Raises:
        ArgumentError: the template fails or breaks a limit.
    """
    setup = json.dumps({"source": source, "names": names, "path": sys.path, "seconds": _CPU_SECONDS, "bytes": _BYTES})
    worker = _taken(setup)
    try:
        answer = worker.ask(values)
        if answer is None and worker.is_used and not worker.broke_a_limit:  # it may have died while it was idle
            worker = _Worker(setup)
            answer = worker.ask(values)
        if answer is None:
            raise ArgumentError(f"the chat template does not end well: {worker.reason()}")
    except BaseException:  # Ctrl-C, too: its answer may still come
        worker.close()
        raise
    if answer["is_last"]:
        worker.close()
    else:
        _give_back(worker)
    if "text" not in answer:
        raise ArgumentError(f"the chat template does not take these messages: {answer['problem']}")
    return str(answer["text"])


class _Worker:
    """A process that renders one template.

    Args:
        setup: the first line that it reads.

    Attributes:
        is_used: whether it has rendered a text before the present one.
    """

    def __init__(self, setup: str) -> None:
        self.setup, self.is_used, self._n_texts = setup, False, 0
        self._socket, its = socket.socketpair()
        with its:
            self._process = subprocess.Popen(
                [sys.executable, "-I", _PROGRAM], stdin=its.fileno(), stdout=its.fileno(), stderr=subprocess.DEVNULL,
                env={}, start_new_session=True,  # Ctrl-C of a terminal is not for it
            )  # fmt: skip
        _all.add(self)

    def ask(self, values: str) -> dict[str, Any] | None:
        """Return the answer to a line; None if the process ends without one."""
        self.is_used, first = self._n_texts > 0, self._n_texts == 0
        self._n_texts += 1
        try:
            self._socket.sendall(f"{self.setup}\n{values}\n".encode() if first else f"{values}\n".encode())
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
        if self.broke_a_limit:
            return f"it takes more than {_CPU_SECONDS} seconds of CPU time"
        status = self._process.wait()
        return signal.strsignal(-status) or f"signal {-status}" if status < 0 else f"exit status {status}"

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
    """Return an idle worker of a template, or a new one."""
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
