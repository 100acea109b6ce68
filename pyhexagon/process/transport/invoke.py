# SPDX-License-Identifier: MIT
"""Requests as plain FastRPC calls, made by a C thread: the skel's ``run`` and ``echo`` methods."""

from __future__ import annotations

from threading import TIMEOUT_MAX
from typing import Final

from pyhexagon._ffi.invoke import Caller, PreparedCall
from pyhexagon.errors import ClosedError, DspTimeoutError, HexagonError
from pyhexagon.process.stub import Stub
from pyhexagon.process.transport import ECHO_TEXT, Area

_MAX_PREPARED: Final = 64


class InvokeTransport:
    """Carries requests with ``remote_handle64_invoke``."""

    name: Final = "invoke"

    def __init__(self, stub: Stub) -> None:
        self._stub = stub
        self._caller: Caller | None = Caller()
        self._area: Area | None = None
        self._prepared: dict[tuple[int, int], PreparedCall] = {}
        self._reply = bytearray(len(ECHO_TEXT))
        self._echo = stub.prepare_echo(ECHO_TEXT, self._reply)

    def run(self, area: Area, request_size: int, response_size: int, sequence: int, timeout: float) -> None:
        if area is not self._area or len(self._prepared) >= _MAX_PREPARED:
            self._area = area
            self._prepared.clear()
        call = self._prepared.get((request_size, response_size))
        if call is None:
            call = self._stub.prepare_run(area.request(request_size), area.response(response_size))
            self._prepared[request_size, response_size] = call
        self._call(timeout, call)

    def echo(self, timeout: float) -> None:
        self._reply[:] = bytes(len(self._reply))
        self._call(timeout, self._echo)
        if self._reply != ECHO_TEXT:
            raise HexagonError(f"the echo of {ECHO_TEXT!r} was {bytes(self._reply)!r}", call="remote_handle64_invoke")

    def end(self, timeout: float = TIMEOUT_MAX) -> None:
        """End the C thread after its current call, waiting at most ``timeout`` seconds. A second call is a no-op."""
        caller, self._caller = self._caller, None
        if caller is not None:
            caller.end(timeout)

    def _call(self, timeout: float, call: PreparedCall) -> None:
        if self._caller is None:
            raise ClosedError("the session is closed")
        if not self._caller.call(timeout, call):
            raise DspTimeoutError(f"no answer within {timeout:g} s", call="remote_handle64_invoke")
