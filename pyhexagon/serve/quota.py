# SPDX-License-Identifier: MIT
"""Limits that clients share: of the waiting queue, of memory for bodies, of connections."""

from __future__ import annotations

from pyhexagon.serve.errors import ServeError


def is_fair(own: int, held: int, limit: int) -> bool:
    """Whether a client may hold ``own`` of the ``held`` units of a limit, both counted with what it asks for now.

    A client may hold as much as stays free for all others, so that one client gets half of the limit at most, two get a
    third each, and a newcomer always gets something. A single unit is granted while there is one.
    """
    return held <= limit and own <= max(1, limit - held)


def queue_full(own: int, waiting: int, new: int, limit: int, seconds: float) -> ServeError:
    """What a client is told for whom the queue has no room.

    Args:
        own, waiting: requests of the client, and of all, that wait.
        new: that it asks for.
        limit: of the queue.
        seconds: after which there may be room.
    """
    told = f"{waiting} of {limit} places of the queue are taken, {own} of them by you: there is no room for {new} more"
    told += " (a client may have as many as stay free)"
    return ServeError(429, told, code="queue_full", retry_after=max(1, min(round(seconds), 600)))


class Quota:
    """Units of a limit that clients hold. It belongs to one thread.

    Args:
        limit: units in all.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self._of_client: dict[str, int] = {}

    def take(self, client: str, n: int = 1) -> bool:
        """Gives a client n more units, if that is fair; otherwise nothing changes."""
        own = self._of_client.get(client, 0) + n
        if not is_fair(own, self.held + n, self.limit):
            return False
        self.held += n
        self._of_client[client] = own
        return True

    def give_back(self, client: str, n: int = 1) -> None:
        """Takes n units back from a client, which has them."""
        self.held -= n
        own = self._of_client.pop(client) - n
        if own:
            self._of_client[client] = own
