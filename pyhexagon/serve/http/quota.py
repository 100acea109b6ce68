# SPDX-License-Identifier: MIT
"""Limits that clients share: of the queue, of memory for request bodies, of connections."""

from __future__ import annotations

from pyhexagon.llm.engine.fair_queue import is_fair


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
