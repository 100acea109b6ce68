# SPDX-License-Identifier: MIT
"""How many connections a server has. Idle ones make place for new ones, and the DSP's reopening keeps descriptors."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from typing import Final, Protocol

from pyhexagon.serve.quota import Quota

ACCEPTED: Final = 8  # connections at most that the event loop accepts in one turn; closing one takes it some turns
_MOST: Final = 1024
_LEAST: Final = 8
_RESERVE: Final = 48 + 6 * ACCEPTED  # descriptors; four sessions of a DSP take 40


def room_for_connections() -> int:
    """How many connections the limit of open files (RLIMIT_NOFILE) leaves room for, 8 to 1024."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    n_open = len(os.listdir("/proc/self/fd"))
    n_free = _MOST if soft == resource.RLIM_INFINITY else soft - n_open - _RESERVE
    return max(_LEAST, min(n_free, _MOST))


class OpenConnection(Protocol):
    """What can be ended when others need its place."""

    @property
    def is_idle(self) -> bool:
        """Whether it has no whole request that waits for its answer."""

    def give_up(self) -> None:
        """Ends it."""


class Connections:
    """The connections of a server, by address.

    Args:
        limit: of all of them.
    """

    def __init__(self, limit: int) -> None:
        self._quota = Quota(limit)
        self._addresses: dict[OpenConnection, str] = {}  # the oldest first

    def enter(self, connection: OpenConnection, address: str) -> bool:
        """Takes a connection in, if need be in place of the oldest idle one: of the same address, or of any where the
        address has none."""
        while not self._quota.take(address):
            idle = next(self._idle(address), None)
            if idle is None:
                return False
            self.leave(idle)
            idle.give_up()
        self._addresses[connection] = address
        return True

    def leave(self, connection: OpenConnection) -> None:
        """It has ended. Again is a no-op."""
        address = self._addresses.pop(connection, None)
        if address is not None:
            self._quota.give_back(address)

    def _idle(self, address: str) -> Iterator[OpenConnection]:
        own = [one for one, its in self._addresses.items() if its == address]
        return (one for one in own or self._addresses if one.is_idle)
