# SPDX-License-Identifier: MIT
"""How long a connection is waited for that neither asks nor reads.

uvicorn's own limit is for idle connections only: one byte ends it, and with a byte now and then a connection stays for
good. So here the head of each request, the first one included, has so many seconds from its first byte, or from the
beginning of the connection. A reader that never reads is the kernel's matter: with TCP_USER_TIMEOUT it gives a
connection up whose window stays closed, and what was computed for it ends.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS: Final = 20.0
READ_SECONDS: Final = 60.0
_TOO_LATE: Final = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def limit_readers(listener: socket.socket, seconds: float = READ_SECONDS) -> None:
    """For all connections that it accepts from now on."""
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(seconds * 1000))


class LimitedProtocol(H11Protocol):
    """A connection."""

    head_seconds = HEAD_SECONDS
    _over: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin()

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request, or of several."""
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

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        super().connection_lost(exc)

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
