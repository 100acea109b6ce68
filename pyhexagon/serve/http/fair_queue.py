# SPDX-License-Identifier: MIT
"""The fair queue of waiting requests: round robin over clients, first come first served within a client."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar


class _OfClient(Protocol):
    @property
    def client(self) -> str: ...


T = TypeVar("T", bound=_OfClient)


class Waiting(Generic[T]):
    """A FIFO queue for each client, served round robin."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[T]] = {}  # the client whose turn it is first; no queue is empty

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def __iter__(self) -> Iterator[T]:
        return (one for queue in self._queues.values() for one in queue)

    def add(self, one: T) -> None:
        """Append a request to its client's queue."""
        self._queues.setdefault(one.client, deque()).append(one)

    def add_first(self, one: T) -> None:
        """Insert a request at the head of its client's queue."""
        self._queues.setdefault(one.client, deque()).appendleft(one)

    def clients(self) -> list[str]:
        """Return the clients with waiting requests, in the order of their turns."""
        return list(self._queues)

    def of_client(self, client: str) -> int:
        """Return the number of waiting requests of a client."""
        return len(self._queues.get(client, ()))

    def next(self, client: str | None = None) -> T:
        """Remove and return the next request of a client, by default of the client whose turn it is.

        The client then takes the last turn.
        """
        client = next(iter(self._queues)) if client is None else client
        queue = self._queues.pop(client)
        one = queue.popleft()
        if queue:
            self._queues[client] = queue
        return one

    def remove(self, one: T) -> None:
        """Remove a request if it is in the queue."""
        queue = self._queues.get(one.client)
        if queue is not None and one in queue:
            queue.remove(one)
            if not queue:
                del self._queues[one.client]
