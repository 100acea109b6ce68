# SPDX-License-Identifier: MIT
"""The limits of a server, and their shares: clients share the queue, memory for request bodies, connections, and places
for what computes at the same time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import anyio

from pyhexagon.llm.engine.fair_queue import FairQueue, is_fair

BODY_BYTES: Final = 4 << 20
IMAGES_BODY_BYTES: Final = 32 << 20  # Anthropic's limit: each request repeats all photos of its conversation


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Attributes:
        n_parallel: maximum number of running requests.
        n_waiting: maximum number of waiting requests.
        seconds: deadline of a request, from its arrival.
        body_bytes: maximum size of a request body; ``IMAGES_BODY_BYTES`` suits models that take images.
        upload_bytes: maximum size of a request body with an audio file; OpenAI's.
        audio_seconds: maximum duration of an audio file.
        is_cache_per_client: whether prefix caching shares prefixes only within the requests of one client.
    """

    n_parallel: int = 4
    n_waiting: int = 128
    seconds: float = 600.0
    body_bytes: int = BODY_BYTES
    is_cache_per_client: bool = False
    upload_bytes: int = 25 << 20
    audio_seconds: float = 3600.0

    @property
    def all_body_bytes(self) -> int:
        """Maximum size of all request bodies in memory."""
        return max(64 << 20, 4 * self.body_bytes)

    @property
    def all_upload_bytes(self) -> int:
        """Maximum size of all request bodies with audio files, in memory or in temporary files."""
        return 8 * self.upload_bytes


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
        turn = None if self._quota.take(client) else _Turn(client)
        try:
            if turn is not None:
                self._waiting.add(turn)
                await turn.comes.wait()
            yield
        finally:
            if turn is None or turn.has_place:
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
