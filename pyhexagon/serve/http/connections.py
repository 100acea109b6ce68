# SPDX-License-Identifier: MIT
"""The connection limit of a server. New connections replace idle ones, and a reserve of file descriptors lets the
server reopen the DSP."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pyhexagon.serve.http.limits import Quota

if TYPE_CHECKING:
    from pyhexagon.serve.http.timeouts import LimitedProtocol

ACCEPTED: Final = 8  # connections that the event loop accepts per iteration; to close one takes it several
_MOST: Final = 1024
_LEAST: Final = 8
_RESERVE: Final = 48 + 6 * ACCEPTED  # file descriptors; four sessions of a DSP take 40


def room_for_connections() -> int:
    """Return the number of connections that the limit of open files (RLIMIT_NOFILE) allows, 8 to 1024."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    n_open = len(os.listdir("/proc/self/fd"))
    n_free = _MOST if soft == resource.RLIM_INFINITY else soft - n_open - _RESERVE
    return max(_LEAST, min(n_free, _MOST))


class Connections:
    """The open connections of a server, by client address.

    Args:
        limit: maximum number of connections.
    """

    def __init__(self, limit: int) -> None:
        self._quota = Quota(limit)
        self._addresses: dict[LimitedProtocol, str] = {}  # the oldest first

    def enter(self, connection: LimitedProtocol, address: str) -> bool:
        """Admit a connection and return whether there is room.

        If need be, it closes the oldest connection that is idle, or else the oldest one with an incomplete request: of
        the same address, or of any address if that one has no connection.
        """
        while not self._quota.take(address):
            idle = next(self._replaceable(address), None)
            if idle is None:
                return False
            self.leave(idle)
            idle.give_up()
        self._addresses[connection] = address
        return True

    def leave(self, connection: LimitedProtocol) -> None:
        """Remove a connection that has ended; idempotent."""
        address = self._addresses.pop(connection, None)
        if address is not None:
            self._quota.give_back(address)

    def _replaceable(self, address: str) -> Iterator[LimitedProtocol]:
        candidates = [each for each, its in self._addresses.items() if its == address] or list(self._addresses)
        yield from (connection for connection in candidates if connection.is_idle)
        yield from (connection for connection in candidates if connection.is_unfinished)
