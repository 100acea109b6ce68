# SPDX-License-Identifier: MIT
"""A thread that makes a session's blocking C calls, so that whoever waits for one can have a deadline and Ctrl-C.

FastRPC's invoke blocks in the kernel, cannot be cancelled, and gives every CPU thread that calls it a DSP thread of its
own; so there is one caller for the life of a session, and one more, in C, for its requests (_ffi/remote.py). It is a
daemon: a call that never returns does not keep the program from ending.

Python raises KeyboardInterrupt in the main thread only. What must not be cut in two, such as to open something and to
write down that it is open, is therefore one call on this thread: when Ctrl-C ends the wait, the call goes on.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class StillRunningError(Exception):
    """The call has not returned within the time given; it goes on."""


class Call(Generic[T]):
    """One call. ``wait`` may be given up and taken up again; the call itself goes on."""

    __slots__ = ("_arguments", "_begun", "_done", "_error", "_function", "_is_done", "_value")

    def __init__(self, function: Callable[..., T], *arguments: object) -> None:
        self._function = function
        self._arguments = arguments
        self._value: T | None = None
        self._error: BaseException | None = None
        self._begun = self._is_done = False
        self._done = threading.Lock()  # not an Event: that is Python code, which Ctrl-C can interrupt anywhere
        self._done.acquire()

    def run(self) -> None:
        """Makes the call, once: it may have been posted again by someone who was interrupted."""
        if self._begun:
            return
        self._begun = True
        try:
            self._value = self._function(*self._arguments)
        except BaseException as error:  # whatever it is belongs to the waiting thread
            self._error = error
        self._is_done = True
        self._done.release()

    def wait(self, timeout: float) -> T:
        """The function's result, or its exception. For one thread at a time.

        Raises:
            StillRunningError: it has not returned within ``timeout`` seconds.
        """
        if not self._is_done and not self._done.acquire(timeout=max(timeout, 0)):
            raise StillRunningError
        error, self._error = self._error, None  # it refers to this frame, and so to us
        if error is not None:
            try:
                raise error
            finally:
                del error
        return cast(T, self._value)


class CallThread:
    """Runs calls one after the other.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Call[Any] | _Gone | None] = SimpleQueue()
        self._gone = [_Gone(self, self._calls.put, _nothing)]
        arguments = (self._calls, self._gone)
        self._thread = threading.Thread(target=_serve, args=arguments, name=name, daemon=True)
        try:
            self._thread.start()
        except BaseException:
            self._calls.put(None)  # Ctrl-C, and it may have been started
            raise

    @property
    def ident(self) -> int | None:
        """As ``threading.get_ident`` gives it on the thread."""
        return self._thread.ident

    def post(self, call: Call[Any]) -> None:
        """Has it made after those that wait."""
        self._calls.put(call)

    def call(self, timeout: float, function: Callable[..., T], *arguments: object) -> T:
        """Runs the function on the thread and waits at most ``timeout`` seconds (else StillRunningError).

        From the thread itself, it is run at once, and without a limit.
        """
        if threading.get_ident() == self.ident:
            return function(*arguments)
        call = Call(function, *arguments)
        self._calls.put(call)
        return call.wait(timeout)

    def end_with(self, owner: object, last: Callable[[], object]) -> None:
        """When the owner has become garbage, the thread makes this call and ends. ``last`` must not refer to it."""
        self._gone.append(_Gone(owner, self._calls.put, last))

    def end(self) -> None:
        """The thread ends after the calls that wait."""
        self._calls.put(None)

    def disown(self) -> None:
        """Takes ``end_with`` back."""
        del self._gone[1:]

    def close(self, timeout: float) -> bool:
        """Ends the thread likewise, and waits for that; False when it is stuck in a call."""
        self._calls.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()


class _Gone(weakref.ref):  # type: ignore[type-arg]
    """Puts itself into the queue when the owner has gone. That is C only: there, too, Ctrl-C cuts nothing in two."""

    __slots__ = ("last",)

    def __new__(cls, owner: object, put: Callable[[_Gone], object], _: Callable[[], object]) -> _Gone:
        return super().__new__(cls, owner, put)

    def __init__(self, owner: object, put: Callable[[_Gone], object], last: Callable[[], object]) -> None:
        super().__init__(owner, put)  # type: ignore[call-arg]
        self.last = last


def _nothing() -> None:
    pass


def _serve(calls: SimpleQueue[Call[Any] | _Gone | None], gone: list[_Gone]) -> None:
    while (call := calls.get()) is not None:
        if isinstance(call, _Gone):
            call.last()
            break
        call.run()
        del call  # do not keep its result alive while waiting for the next
    gone.clear()
