# SPDX-License-Identifier: MIT
"""A thread that makes a session's blocking C calls, so that whoever waits for one can have a deadline and Ctrl-C.

FastRPC's invoke blocks in the kernel, cannot be cancelled, and gives every CPU thread that calls it a DSP thread of its
own; so there is one caller for the life of a session. It is a daemon: a call that never returns does not keep the
program from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class StillRunningError(Exception):
    """The call has not returned within the time given; it goes on."""


class Call(Generic[T]):
    """One call on its way. ``wait`` may be given up and taken up again; the call itself goes on."""

    __slots__ = ("_arguments", "_done", "_error", "_function", "_value")

    def __init__(self, function: Callable[..., T], arguments: tuple[object, ...]) -> None:
        self._function = function
        self._arguments = arguments
        self._value: T | None = None
        self._error: BaseException | None = None
        self._done = threading.Lock()
        self._done.acquire()

    def run(self) -> None:
        try:
            self._value = self._function(*self._arguments)
        except BaseException as error:  # whatever it is belongs to the waiting thread
            self._error = error
        self._done.release()

    def wait(self, timeout: float) -> T:
        """The function's result, or its exception.

        Raises:
            StillRunningError: it has not returned within ``timeout`` seconds.
        """
        if not self._done.acquire(timeout=max(timeout, 0)):
            raise StillRunningError
        self._done.release()
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # it refers to this frame, and so to us
        return cast(T, self._value)


class CallThread:
    """Runs calls one after the other on a thread that is started by the first of them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: SimpleQueue[Call[Any] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def call(self, timeout: float, function: Callable[..., T], *arguments: object) -> T:
        """Runs the function on the thread and waits at most ``timeout`` seconds (else StillRunningError)."""
        if self._thread is None:
            self._thread = threading.Thread(target=_serve, args=(self._calls,), name=self._name, daemon=True)
            self._thread.start()
        call = Call(function, arguments)
        self._calls.put(call)
        return call.wait(timeout)

    def close(self, timeout: float) -> bool:
        """Ends the thread after the calls that wait; False when it is stuck in one of them."""
        if self._thread is None:
            return True
        self._calls.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()


def _serve(calls: SimpleQueue[Call[Any] | None]) -> None:
    while (call := calls.get()) is not None:
        call.run()
        del call  # do not keep its result alive while waiting for the next
