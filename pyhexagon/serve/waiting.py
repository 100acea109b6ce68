# SPDX-License-Identifier: MIT
"""Who waits, and who comes next: clients by turns, and of each client what it asked first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar


class _OfClient(Protocol):
    @property
    def client(self) -> str: ...


T = TypeVar("T", bound=_OfClient)


class Waiting(Generic[T]):
    """A queue for each client."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[T]] = {}  # whose turn it is comes first; none is empty

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def __iter__(self) -> Iterator[T]:
        return (one for queue in self._queues.values() for one in queue)

    def add(self, one: T) -> None:
        """At the end of its client's."""
        self._queues.setdefault(one.client, deque()).append(one)

    def add_first(self, one: T) -> None:
        """At the beginning of its client's."""
        self._queues.setdefault(one.client, deque()).appendleft(one)

    def clients(self) -> list[str]:
        """Those that wait, by turns."""
        return list(self._queues)

    def of_client(self, client: str) -> int:
        """How many a client has."""
        return len(self._queues.get(client, ()))

    def next(self, client: str | None = None) -> T:
        """The next one, of a client or of the one whose turn it is; its client's turn is over."""
        client = next(iter(self._queues)) if client is None else client
        queue = self._queues.pop(client)
        one = queue.popleft()
        if queue:
            self._queues[client] = queue
        return one

    def remove(self, one: T) -> None:
        """Takes one out, if it waits."""
        queue = self._queues.get(one.client)
        if queue is not None and one in queue:
            queue.remove(one)
            if not queue:
                del self._queues[one.client]
