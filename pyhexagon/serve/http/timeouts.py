# SPDX-License-Identifier: MIT
"""Timeouts of connections that send no request or read no response, and the limit of their number.

uvicorn's keep-alive timeout covers idle connections only: one byte ends it, so a client that sends a byte now and then
(slowloris) holds a connection forever. Therefore each request head must be complete within ``HEAD_SECONDS`` of its
first byte, or of the start of the connection. The kernel handles a client that never reads: with TCP_USER_TIMEOUT it
closes a connection whose window stays closed, which cancels its requests.

A client may shut down its sending half after a complete request, and still gets its response (``nc -N`` does so). A
client that has disappeared looks the same until the server sends something, which the kernel of such a client answers
with RST. HTTP/1.1 allows "102 Processing" before a response; a stream names bytes that may stand between its events
(``start_stream``).
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Mapping
from typing import Any, Final

import h11
from starlette.types import Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from pyhexagon.serve.http.connections import Connections
from pyhexagon.serve.http.errors import ServeError

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
    """Set the timeout for unread data on all connections that the listener accepts from now on."""
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(seconds * 1000))


async def start_stream(scope: Scope, send: Send, headers: Mapping[str, str], ping: bytes) -> None:
    """Send status 200 and the headers of a stream.

    Args:
        scope, send: of the request.
        headers: of the response.
        ping: bytes that clients ignore wherever one event of the stream ends and the next has not begun.
    """
    scope["state"]["ping"] = ping
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 200, "headers": raw})


class LimitedProtocol(H11Protocol):
    """A connection with a deadline for each request head, and a place in a ``Connections``."""

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
        """Feed received bytes to the parser; stop the timeout once the request head is complete."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._has_request:
            self._end()
        else:
            self._begin()

    def on_response_complete(self) -> None:
        """Finish a response. A pipelined request may already have begun."""
        super().on_response_complete()
        if self._has_request:
            self._end()
        elif self._is_half_closed:
            self.transport.close()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Return whether the connection stays open after the client's EOF: until a complete request has its
        response."""
        self._is_half_closed = self._has_request and not self.cycle.more_body
        if self._is_half_closed and self._probing is None:
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
        """Whether no request waits for its response."""
        return not self._has_request

    @property
    def is_unfinished(self) -> bool:
        """Whether the body of its request has not arrived completely."""
        return self._has_request and self.cycle.more_body and not self.cycle.response_started

    def give_up(self) -> None:
        """Abort a connection."""
        self.transport.abort()

    def _probe(self) -> None:
        if not self._has_request or self.transport.is_closing():
            self._probing = None
            return
        if self.cycle.response_started:
            ping = self.conn.send(h11.Data(data=self.scope["state"].get("ping", b"")))
        else:
            ping = _PROBE if self.scope["http_version"] == "1.1" else b""
        if ping:
            self.transport.write(ping)
        self._probing = self.loop.call_later(_PROBE_SECONDS, self._probe)

    @property
    def _has_request(self) -> bool:
        """Whether a request has no complete response yet."""
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
