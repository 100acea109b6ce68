# SPDX-License-Identifier: MIT
"""How long a connection is waited for that neither asks nor reads, and which connections there is room for.

uvicorn's own limit is for idle connections only: one byte ends it, and with a byte now and then a connection stays for
good. So here the head of each request, the first one included, has so many seconds from its first byte, or from the
beginning of the connection. A reader that never reads is the kernel's matter: with TCP_USER_TIMEOUT it gives a
connection up whose window stays closed, and what was computed for it ends.

A client may close its half of the connection behind a whole request, and is answered (``nc -N`` does so). One that is
gone looks the same until something is sent to it: HTTP/1.1 allows "102 Processing" before an answer, to which the
kernel of a client that is gone says that it is.
"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from pyhexagon.serve.connections import Connections
from pyhexagon.serve.errors import ServeError

HEAD_SECONDS: Final = 20.0
READ_SECONDS: Final = 60.0
_PROBE_SECONDS: Final = 1.0
_PROBE: Final = b"HTTP/1.1 102 Processing\r\n\r\n"
_TOO_LATE: Final = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_FULL: Final = json.dumps(ServeError(503, "there are too many connections", code="too_many_connections").body())
_TOO_MANY: Final = (
    "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-type: application/json\r\n"
    f"content-length: {len(_FULL)}\r\n\r\n{_FULL}"
).encode()


def limit_readers(listener: socket.socket, seconds: float = READ_SECONDS) -> None:
    """For all connections that it accepts from now on."""
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(seconds * 1000))


class LimitedProtocol(H11Protocol):
    """A connection."""

    head_seconds = HEAD_SECONDS
    _over: asyncio.TimerHandle | None = None
    _probing: asyncio.TimerHandle | None = None
    _is_half_closed = False

    def __init__(self, *given: Any, room: Connections, **more: Any) -> None:
        super().__init__(*given, **more)
        self._room = room

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._room.enter(self, str((self.client or ("",))[0])):
            self._begin()
        else:
            transport.write(_TOO_MANY)
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request, or of several."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._is_asked:
            self._end()
        else:
            self._begin()

    def on_response_complete(self) -> None:
        """The next request may already have begun."""
        super().on_response_complete()
        if self._is_asked:
            self._end()
        elif self._is_half_closed:
            self.transport.close()

    def eof_received(self) -> bool:  # type: ignore[override]
        """The client sends nothing more: the connection stays open where an answer to a whole request is due."""
        self._is_half_closed = self._is_asked and not (self.cycle.more_body or self.cycle.response_started)
        if self._is_half_closed and self.scope["http_version"] == "1.1" and self._probing is None:
            self._probe()
        return self._is_half_closed

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        if self._probing is not None:
            self._probing.cancel()
        self._room.leave(self)
        super().connection_lost(exc)

    @property
    def is_idle(self) -> bool:
        """Whether it has no whole request that waits for its answer."""
        return not self._is_asked

    def give_up(self) -> None:
        """Ends an idle connection."""
        self.transport.abort()

    def _probe(self) -> None:
        if self.cycle.response_started or self.transport.is_closing():
            self._probing = None
        else:
            self.transport.write(_PROBE)
            self._probing = self.loop.call_later(_PROBE_SECONDS, self._probe)

    @property
    def _is_asked(self) -> bool:
        """Whether there is a request without its whole answer."""
        return self.cycle is not None and not self.cycle.response_complete

    def _begin(self) -> None:
        if self._over is None and not self.transport.is_closing():
            self._over = self.loop.call_later(self.head_seconds, self._too_late)

    def _end(self, *_: Any) -> None:
        if self._over is not None:
            self._over.cancel()
            self._over = None

    def _too_late(self) -> None:
        self._over = None
        if not self.transport.is_closing():
            self.transport.write(_TOO_LATE)
            self.transport.close()
