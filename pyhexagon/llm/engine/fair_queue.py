# SPDX-License-Identifier: MIT
"""Fairness between clients: shares of a limit, and a queue that serves one client after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Generic, Protocol, TypeVar

from pyhexagon.llm.engine.errors import QueueFullError, RequestError


def is_fair(own: int, held: int, limit: int) -> bool:
    """Return whether a client may hold ``own`` of the ``held`` units of a limit; both include the units requested now.

    A client may hold as many units as remain free. So one client gets at most half of the limit, two get a third each,
    and a new client always gets some. A single unit is granted as long as one is free.
    """
    return held <= limit and own <= max(1, limit - held)


def queue_full(own: int, waiting: int, new: int, limit: int, seconds: float) -> RequestError:
    """Return the error for a client whose requests do not fit into the queue.

    Args:
        own, waiting: number of waiting requests of the client, and of all clients.
        new: number of requests that the client submits.
        limit: size of the queue.
        seconds: estimated time until there is room.
    """
    taken = f"{waiting} of {limit} places of the queue are taken, {own} of them by you: there is no room for {new} more"
    return QueueFullError(f"{taken} (a client may have as many as stay free)").after(seconds)


class _OfClient(Protocol):
    @property
    def client(self) -> str: ...


T = TypeVar("T", bound=_OfClient)


class FairQueue(Generic[T]):
    """A FIFO queue for each client, served round robin.

    Attributes:
        queues: by client, that of the client whose turn it is first. None of them is empty.
    """

    def __init__(self) -> None:
        self.queues: dict[str, deque[T]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.queues.values()))

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self.queues.values())

    def add(self, item: T) -> None:
        """Append a request to its client's queue."""
        self.queues.setdefault(item.client, deque()).append(item)

    def add_first(self, item: T) -> None:
        """Insert a request at the head of its client's queue."""
        self.queues.setdefault(item.client, deque()).appendleft(item)

    def clients(self) -> list[str]:
        """Return the clients with waiting requests, in the order of their turns."""
        return list(self.queues)

    def of_client(self, client: str) -> int:
        """Return the number of waiting requests of a client."""
        return len(self.queues.get(client, ()))

    def next(self, client: str | None = None) -> T:
        """Remove and return the next request of a client, by default of the client whose turn it is.

        The client then takes the last turn.
        """
        client = next(iter(self.queues)) if client is None else client
        queue = self.queues.pop(client)
        item = queue.popleft()
        if queue:
            self.queues[client] = queue
        return item

    def remove(self, item: T) -> None:
        """Remove a request if it is in the queue."""
        queue = self.queues.get(item.client)
        if queue is not None and item in queue:
            queue.remove(item)
            if not queue:
                del self.queues[item.client]
