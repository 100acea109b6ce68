# SPDX-License-Identifier: MIT
"""The responses that ``/v1/responses`` remembers, so that a request can continue one. They are in memory only."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.json_responses import as_json
from pyhexagon.serve.http.limits import Quota

_MOST_BYTES: Final = 32 << 20  # of all responses
_MOST_OF_CLIENT: Final = 64  # responses
_KEPT_SECONDS: Final = 3600.0  # after which other clients may have the room
_EACH: Final = 1 << 10  # bytes of a response beside its JSON, rounded up


@dataclass(frozen=True)
class _Stored:
    """A response as JSON: objects would take ten times the bytes.

    Attributes:
        client: the only one that may see it.
        record: the response.
        messages: of the conversation, in the form of chat completions, the response's own included.
        since: when it was stored.
    """

    client: str
    record: bytes
    messages: bytes
    since: float

    @property
    def n_bytes(self) -> int:
        return len(self.record) + len(self.messages) + _EACH


class ResponseStore:
    """Remembers responses.

    Each client has its share of the bytes (``fair_queue.is_fair``) and forgets its own oldest responses beyond it.
    Other clients get the room of a response only when it is an hour old.

    Args:
        clock: returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock, self._clock = Lock(), clock
        self._stored: dict[str, _Stored] = {}  # the oldest first
        self._of_client: dict[str, dict[str, None]] = {}  # names, the oldest first; none is empty
        self._quota = Quota(_MOST_BYTES)

    def add(self, client: str, record: Record, messages: list[Record]) -> bool:
        """Remember a client's response and return whether there is room for it."""
        text = json.dumps(messages, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        new = _Stored(client, as_json(record), text, self._clock())
        if new.n_bytes > _MOST_BYTES // 2:  # more than the share of a client without others
            return False
        with self._lock:
            while len(self._of_client.get(client, ())) >= _MOST_OF_CLIENT:
                self._forget(next(iter(self._of_client[client])))
            while not self._quota.take(client, new.n_bytes):
                if (old := self._replaceable(client)) is None:
                    return False
                self._forget(old)
            self._stored[record["id"]] = new
            self._of_client.setdefault(client, {})[record["id"]] = None
        return True

    def record(self, client: str, name: str) -> bytes:
        """Return a client's response as JSON.

        Raises:
            ServeError: the client has no such response, or it is forgotten.
        """
        with self._lock:
            return self._found(client, name).record

    def messages(self, client: str, name: str) -> list[Any]:
        """Return the messages of a client's conversation up to a response, that one included.

        Raises:
            ServeError: as of ``record``.
        """
        with self._lock:
            found = self._found(client, name)
        messages: list[Any] = json.loads(found.messages.decode("utf-8", "surrogatepass"))
        return messages

    def delete(self, client: str, name: str) -> None:
        """Forget a client's response.

        Raises:
            ServeError: as of ``record``.
        """
        with self._lock:
            self._found(client, name)
            self._forget(name)

    def _replaceable(self, client: str) -> str | None:
        """Return the response to forget for another one of a client: the oldest one of all if it is old, or its own."""
        oldest = next(iter(self._stored), None)
        if oldest is not None and self._clock() - self._stored[oldest].since >= _KEPT_SECONDS:
            return oldest
        return next(iter(self._of_client.get(client, ())), None)

    def _found(self, client: str, name: str) -> _Stored:
        found = self._stored.get(name)
        if found is None or found.client != client:
            raise ServeError(404, f"there is no response {name[:80]!r}", code="response_not_found")
        return found

    def _forget(self, name: str) -> None:
        stored = self._stored.pop(name)
        self._quota.give_back(stored.client, stored.n_bytes)
        del self._of_client[stored.client][name]
        if not self._of_client[stored.client]:
            del self._of_client[stored.client]
