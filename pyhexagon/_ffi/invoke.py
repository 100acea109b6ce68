# SPDX-License-Identifier: MIT
"""Invokes of methods (remote.h): prepared ones, on a thread that a caller may stop waiting for, and single ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, Handle64, Library
from pyhexagon._ffi.native_library import native_library
from pyhexagon._ffi.remote import not_open
from pyhexagon.errors import ArgumentError, DspMemoryError, error

if TYPE_CHECKING:
    from typing_extensions import Buffer

_MAX_BUFFERS: Final = 255
_MAX_METHOD: Final = 30  # 31 is the IDL compiler's escape for more methods
_MAX_LENGTH: Final = 0x7FFFFFFF
_SLICE: Final = 0.05  # seconds: C returns now and then, so that Ctrl-C works
_ARGUMENTS: Final = ffi.typeof("remote_arg[]")
_BYTES: Final = ffi.typeof("char[]")


class PreparedCall:
    """A method with its arguments laid out, to be invoked repeatedly: ``call()``.

    The buffers stay in place between calls: write new inputs into them, read the outputs from them. The object holds
    references, so a bytearray cannot be resized while it lives. Not thread-safe, as the buffers are shared.
    """

    __slots__ = ("_arguments", "_buffers", "_handle", "_library", "_method", "scalars")

    def __init__(
        self, library: Library, handle: Handle64, method: int, inputs: Sequence[Buffer], outputs: Sequence[Buffer]
    ) -> None:
        """Lay out the arguments; see ``handle64_invoke``."""
        n_inputs, n_outputs = len(inputs), len(outputs)
        if not 0 <= method <= _MAX_METHOD or n_inputs > _MAX_BUFFERS or n_outputs > _MAX_BUFFERS:
            raise ArgumentError(
                f"method 0..{_MAX_METHOD} with at most {_MAX_BUFFERS} inputs and outputs each, "
                f"not method {method} with {n_inputs} and {n_outputs}"
            )
        # Bits 28..24: method; 23..16: number of in buffers; 15..8: number of out buffers. In buffers come first.
        self.scalars = method << 24 | n_inputs << 16 | n_outputs << 8
        self._buffers = [ffi.from_buffer(_BYTES, buffer) for buffer in inputs]
        self._buffers += [ffi.from_buffer(_BYTES, buffer, True) for buffer in outputs]  # writable
        self._arguments = ffi.new(_ARGUMENTS, n_inputs + n_outputs)
        for i, buffer in enumerate(self._buffers):
            if len(buffer) > _MAX_LENGTH:
                raise ArgumentError(f"an argument is shorter than 2 GiB, not {len(buffer)} bytes")
            argument = self._arguments[i].buf
            argument.pv = buffer
            argument.nLen = len(buffer)
        self._library = library
        self._handle = handle
        self._method = method

    def __call__(self) -> None:
        """Invoke the method and wait for its end without a limit: there is no timeout and no cancellation."""
        library = self._library
        if self._handle not in library.handles:
            raise not_open("remote_handle64_invoke")
        self.check(library.remote_handle64_invoke(self._handle, self.scalars, self._arguments))

    def post(self, post: Callable[..., None], caller: CData) -> None:
        """Post the invoke to an idle C thread; see ``Caller``."""
        library = self._library
        if self._handle not in library.handles:
            raise not_open("remote_handle64_invoke")
        post(caller, library.invoke_address, self._handle, self.scalars, self._arguments)

    def check(self, rc: int) -> None:
        """Raise the error for an invoke's return code, unless it is 0."""
        if rc:
            raise error("remote_handle64_invoke", rc, method=self._method)


class Caller:
    """A C thread (native/caller.h) that makes one invoke at a time.

    A caller may stop waiting: the invoke continues, and the next call first waits for its end.

    FastRPC gives every CPU thread that calls it a DSP thread of its own, so a session keeps one thread for life. The
    requesting thread cannot make the call itself: it would hang with a call that does not return even when the DSP
    process is made to fault, and a signal would end the kernel's wait while the DSP still works in the buffers.

    Raises:
        DspMemoryError: the system cannot create a thread.
    """

    def __init__(self) -> None:
        self._library = native_library()
        self._result = ffi.new("int *")
        self._call: PreparedCall | None = None  # C reads its buffers
        self._thread = self._library.phx_caller_start()
        if not self._thread:
            raise DspMemoryError("the system cannot create a thread for the session's calls")

    def call(self, timeout: float, call: PreparedCall) -> bool:
        """Make the call, wait at most ``timeout`` seconds, and return whether it has ended.

        One thread at a time may use it.

        Raises:
            DeviceLostError: the DSP process died.
            HexagonError: any other error of the library or the method.
        """
        deadline = time.monotonic() + timeout
        if self._call is not None and not self._wait(deadline):
            return False
        self._call = call  # before C gets it: Ctrl-C may come in between
        call.post(self._library.phx_caller_post, self._thread)
        if not self._wait(deadline):
            return False
        self._call = None
        call.check(self._result[0])
        return True

    def _wait(self, deadline: float) -> bool:
        """Wait until no call is in flight; return False at the deadline."""
        return _until(deadline, self._library.phx_caller_wait, self._thread, self._result)

    def end(self, timeout: float) -> bool:
        """End the thread after its current call; return False if that call has not ended within ``timeout`` seconds.

        After False, only another ``end`` may follow.
        """
        return _until(time.monotonic() + timeout, self._library.phx_caller_end, self._thread)


def _until(deadline: float, wait: Callable[..., int], thread: CData, *arguments: CData) -> bool:
    """Wait in slices until ``wait`` returns 0; return False at the deadline."""
    while True:
        left = deadline - time.monotonic()
        if not wait(thread, int(max(0, min(left, _SLICE)) * 1e9), *arguments):
            return True
        if time.monotonic() >= deadline:
            return False


def handle64_invoke(
    library: Library, handle: Handle64, method: int, inputs: Sequence[Buffer], outputs: Sequence[Buffer]
) -> None:
    """Invoke a method once and wait for its end without a limit: there is no timeout and no cancellation.

    Args:
        library: the loaded library.
        handle: an open handle.
        method: 0..30.
        inputs: in buffers, in the order of the IDL compiler's layout.
        outputs: writable out buffers; the length of each is its capacity and does not change.

    Raises:
        ClosedError: the handle is not open.
        DeviceLostError: the DSP process died.
        HexagonError: any other error of the library or the method.
    """
    PreparedCall(library, handle, method, inputs, outputs)()
