# SPDX-License-Identifier: MIT
"""Limits that clients share: of the queue, of memory for request bodies, of connections."""

from __future__ import annotations

from pyhexagon.serve.http.errors import ServeError


def is_fair(own: int, held: int, limit: int) -> bool:
    """Return whether a client may hold ``own`` of the ``held`` units of a limit; both include the units requested now.

    A client may hold as many units as remain free. So one client gets at most half of the limit, two get a third each,
    and a new client always gets some. A single unit is granted as long as one is free.
    """
    return held <= limit and own <= max(1, limit - held)


def queue_full(own: int, waiting: int, new: int, limit: int, seconds: float) -> ServeError:
    """Return the error for a client whose requests do not fit into the queue.

    Args:
        own, waiting: number of waiting requests of the client, and of all clients.
        new: number of requests that the client submits.
        limit: size of the queue.
        seconds: estimated time until there is room.
    """
    told = f"{waiting} of {limit} places of the queue are taken, {own} of them by you: there is no room for {new} more"
    told += " (a client may have as many as stay free)"
    return ServeError(429, told, code="queue_full", retry_after=max(1, min(round(seconds), 600)))


class Quota:
    """The units of a limit that each client holds. Not thread-safe.

    Args:
        limit: number of units.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self._of_client: dict[str, int] = {}

    def take(self, client: str, n: int = 1) -> bool:
        """Give a client n more units if ``is_fair`` allows it, and return whether it does."""
        own = self._of_client.get(client, 0) + n
        if not is_fair(own, self.held + n, self.limit):
            return False
        self.held += n
        self._of_client[client] = own
        return True

    def give_back(self, client: str, n: int = 1) -> None:
        """Return n units, which the client must hold."""
        self.held -= n
        own = self._of_client.pop(client) - n
        if own:
            self._of_client[client] = own

    def held_by(self, client: str) -> int:
        """Return the number of units that a client holds."""
        return self._of_client.get(client, 0)
