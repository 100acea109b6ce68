# SPDX-License-Identifier: MIT
"""Requests as plain FastRPC calls: the skel's ``run`` and ``echo`` methods."""

from __future__ import annotations

from typing import Final

from pyhexagon._ffi.remote import PreparedCall
from pyhexagon.errors import DspTimeoutError, HexagonError
from pyhexagon.process.callthread import CallThread, StillRunningError
from pyhexagon.process.stub import Stub
from pyhexagon.process.transport import ECHO_TEXT, Area

_MAX_PREPARED: Final = 64


class InvokeTransport:
    """Carries requests by ``remote_handle64_invoke``."""

    name: Final = "invoke"

    def __init__(self, stub: Stub, thread: CallThread) -> None:
        self._stub = stub
        self._thread = thread
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

    def _call(self, timeout: float, call: PreparedCall) -> None:
        try:
            self._thread.call(timeout, call)
        except StillRunningError:
            raise DspTimeoutError(f"no answer within {timeout:g} s", call="remote_handle64_invoke") from None
