# SPDX-License-Identifier: MIT
"""The server process: its listening socket, uvicorn, and the graceful shutdown."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import uvicorn

from pyhexagon.errors import HexagonError
from pyhexagon.serve.app import Server
from pyhexagon.serve.http.connections import ACCEPTED, Connections, room_for_connections
from pyhexagon.serve.http.timeouts import LimitedProtocol, limit_readers

_LOG: Final = logging.getLogger("pyhexagon.serve")
GRACE: Final = 30
_BACKLOG: Final = 1024  # connections that the kernel queues until the server accepts them


class _Uvicorn(uvicorn.Server):
    """A uvicorn server that calls ``ready`` when it listens and keeps its SIGTERM handler, which Ray would replace
    when it connects to another head node."""

    def __init__(self, config: uvicorn.Config, server: Server, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._server, self._ready = server, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)  # asyncio has set the backlog to the number that it accepts at once
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down gracefully. Requests that are open shortly before the deadline fail with 503; uvicorn would answer
        500."""
        grace = self.config.timeout_graceful_shutdown or 0
        last_call = asyncio.get_running_loop().call_later(grace - min(1.0, grace / 2), self._server.end)
        try:
            await super().shutdown(sockets)
        finally:
            last_call.cancel()

    async def on_tick(self, counter: int) -> bool:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self.handle_exit)
        return await super().on_tick(counter)


def listen(host: str, port: int) -> socket.socket:
    """Return a bound socket for the server; port 0 takes a free one.

    Raises:
        HexagonError: the address cannot be used.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as problem:
        raise HexagonError(f"cannot listen to {host}: {problem.strerror}") from None
    except ValueError:  # a label of the name is empty or too long, or it has a NUL
        raise HexagonError(f"cannot listen to {host[:100]!r}: it is no name of a host") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        limit_readers(listener)
        listener.bind(address)
    except OSError as problem:
        listener.close()
        raise HexagonError(f"cannot listen to {host}, port {port}: {problem.strerror}") from None
    return listener


def uvicorn_of(
    server: Server, ready: Callable[[], None] = lambda: None, *, grace: int = GRACE, proxies: Sequence[str] = ()
) -> uvicorn.Server:
    """Return the uvicorn server, which serves until SIGTERM or Ctrl-C and then waits up to ``grace`` seconds for open
    requests.

    Args:
        server: the routes.
        ready: called as soon as it listens.
        grace: see above.
        proxies: addresses and networks whose ``X-Forwarded-For`` names the client; uvicorn would trust 127.0.0.1.
    """
    protocol: Any = partial(LimitedProtocol, room=Connections(room_for_connections()))
    more: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False, "date_header": True}
    config = uvicorn.Config(
        server.app, http=protocol, ws="none", lifespan="off", timeout_graceful_shutdown=grace,
        timeout_keep_alive=30, backlog=ACCEPTED, loop="asyncio", proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies), **more,
    )  # fmt: skip
    return _Uvicorn(config, server, ready)


def run(server: Server, listener: socket.socket, ready: Callable[[], None], proxies: Sequence[str] = ()) -> None:
    """Serve until SIGTERM or Ctrl-C. SIGTERM unwinds the stack, which closes devices, and exits with code 0."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again after its shutdown; replaces Ray's
    uvicorn_of(server, ready, proxies=proxies).run(sockets=[listener])
