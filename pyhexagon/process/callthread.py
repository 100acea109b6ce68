# SPDX-License-Identifier: MIT
"""A thread that makes a session's blocking C calls, so that callers can wait with a deadline and with Ctrl-C.

FastRPC's invoke blocks in the kernel, cannot be cancelled, and gives every CPU thread that calls it a DSP thread of its
own. So one thread makes the calls for the life of a session, and one more, in C, makes its requests (_ffi/invoke.py).
The thread is a daemon: a call that never returns does not keep the program from ending.

Python raises KeyboardInterrupt in the main thread only. A step that must not be split, such as opening a resource and
recording that it is open, is therefore one call on this thread: when Ctrl-C ends the wait, the call continues.
"""

from __future__ import annotations

import _thread
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class StillRunningError(Exception):
    """The call has not returned within its time limit; it continues."""


class Call(Generic[T]):
    """One call. A caller may abandon ``wait`` and wait again; the call itself continues."""

    __slots__ = ("_arguments", "_begun", "_done", "_error", "_function", "_is_done", "_value")

    def __init__(self, function: Callable[..., T], *arguments: object) -> None:
        self._function = function
        self._arguments = arguments
        self._value: T | None = None
        self._error: BaseException | None = None
        self._begun = self._is_done = False
        self._done = threading.Lock()  # not an Event: Ctrl-C can interrupt its Python code anywhere
        self._done.acquire()

    def run(self) -> None:
        """Make the call, once: an interrupted caller may have posted it again."""
        if self._begun:
            return
        self._begun = True
        try:
            self._value = self._function(*self._arguments)
        except BaseException as error:  # any exception belongs to the waiting thread
            self._error = error
        self._is_done = True
        done = self._done
        del self  # the exception refers to this frame: else both keep each other alive if nobody waits
        done.release()

    def wait(self, timeout: float) -> T:
        """Return the function's result or raise its exception. One thread at a time may wait.

        Raises:
            StillRunningError: the call has not returned within ``timeout`` seconds.
        """
        if not self._is_done and not self._done.acquire(timeout=max(timeout, 0)):
            raise StillRunningError
        error, self._error = self._error, None  # it refers to this frame, and so to this call
        if error is not None:
            try:
                raise error
            finally:
                del error
        return cast(T, self._value)


class CallThread:
    """Runs calls one after the other on one thread.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Call[Any] | _OwnerGone | None] = SimpleQueue()
        self._gone = [_OwnerGone(self, self._calls.put, _nothing)]
        arguments = (self._calls, self._gone)
        self._thread = threading.Thread(target=_serve, args=arguments, name=name, daemon=True)
        # Ctrl-C inside Thread.start() can leave its lock held, and the new thread then waits for that lock for ever.
        # Another thread calls it, where KeyboardInterrupt is not raised.
        start = Call(self._thread.start)
        try:
            _thread.start_new_thread(start.run, ())
            start.wait(threading.TIMEOUT_MAX)
        except BaseException:
            self._calls.put(None)
            raise

    @property
    def ident(self) -> int | None:
        """Return the thread's id as ``threading.get_ident`` reports it there."""
        return self._thread.ident

    def post(self, call: Call[Any]) -> None:
        """Queue a call behind the waiting ones."""
        self._calls.put(call)

    def call(self, timeout: float, function: Callable[..., T], *arguments: object) -> T:
        """Run the function on the thread and wait at most ``timeout`` seconds (else StillRunningError).

        On the thread itself, the function runs at once and without a limit.
        """
        if threading.get_ident() == self.ident:
            return function(*arguments)
        call = Call(function, *arguments)
        self._calls.put(call)
        return call.wait(timeout)

    def end_with(self, owner: object, last: Callable[[], object]) -> None:
        """Make the thread call ``last`` and end once the owner is garbage. ``last`` must not refer to the owner."""
        self._gone.append(_OwnerGone(owner, self._calls.put, last))

    def end(self) -> None:
        """End the thread after the queued calls."""
        self._calls.put(None)

    def cancel_end_with(self) -> None:
        """Cancel ``end_with``."""
        del self._gone[1:]

    def close(self, timeout: float) -> bool:
        """End the thread after the queued calls and join it; return False if a call blocks it."""
        self._calls.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()


class _OwnerGone(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that enters the queue when its owner dies. All of it is C, so Ctrl-C cannot split it."""

    __slots__ = ("last",)

    def __new__(cls, owner: object, put: Callable[[_OwnerGone], object], _: Callable[[], object]) -> _OwnerGone:
        return super().__new__(cls, owner, put)

    def __init__(self, owner: object, put: Callable[[_OwnerGone], object], last: Callable[[], object]) -> None:
        super().__init__(owner, put)  # type: ignore[call-arg]
        self.last = last


def _nothing() -> None:
    pass


def _serve(calls: SimpleQueue[Call[Any] | _OwnerGone | None], gone: list[_OwnerGone]) -> None:
    while (call := calls.get()) is not None:
        if isinstance(call, _OwnerGone):
            call.last()
            break
        call.run()
        del call  # do not keep its result alive while waiting for the next
    gone.clear()
