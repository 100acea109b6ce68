# SPDX-License-Identifier: MIT
"""Places for what computes at the same time, shared fairly by clients."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from pyhexagon.llm.engine.fair_queue import FairQueue
from pyhexagon.serve.http.quota import Quota


class _Turn:
    """A client that waits for a place."""

    def __init__(self, client: str) -> None:
        self.client, self.has_place, self.comes = client, False, anyio.Event()


class Places:
    """Places of which each client has its share (``fair_queue.is_fair``); clients that wait take turns.

    All methods belong to the event loop.

    Args:
        n: number of places.
    """

    def __init__(self, n: int) -> None:
        self._quota, self._waiting = Quota(n), FairQueue[_Turn]()

    @asynccontextmanager
    async def one(self, client: str) -> AsyncIterator[None]:
        """Hold a place until the end of a ``with`` statement; wait for it if need be."""
        turn = _Turn(client)
        self._waiting.add(turn)
        self._give()
        try:
            await turn.comes.wait()
            yield
        finally:
            if turn.has_place:
                self._quota.give_back(client)
                self._give()
            else:  # cancelled
                self._waiting.remove(turn)

    def _give(self) -> None:
        """Give free places to those who wait."""
        for client in self._waiting.clients():
            if self._quota.take(client):
                turn = self._waiting.next(client)
                turn.has_place = True
                turn.comes.set()
