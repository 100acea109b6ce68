# SPDX-License-Identifier: MIT
"""The responses that ``/v1/responses`` remembers, so that a request can continue one. They are in memory only."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

from pyhexagon.llm.openai_format import Record
from pyhexagon.serve.errors import ServeError
from pyhexagon.serve.http import as_json

_MOST_BYTES: Final = 32 << 20  # of all responses
_MOST_OF_CLIENT: Final = 64  # responses


@dataclass(frozen=True)
class StoredResponse:
    """A response of a client, with its conversation.

    Attributes:
        client: the only one that may see it.
        record: the response.
        messages: of the conversation, in the form of chat completions, the response's own included.
    """

    client: str
    record: Record
    messages: list[Record]


class ResponseStore:
    """Remembers responses; beyond its limits it forgets the oldest ones, of the same client first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stored: OrderedDict[str, tuple[StoredResponse, int]] = OrderedDict()
        self._n_bytes = 0

    def add(self, response: StoredResponse) -> None:
        """Remember a response."""
        n_bytes = len(as_json([response.record, response.messages]))
        if n_bytes > _MOST_BYTES:
            return
        with self._lock:
            own = [name for name, (one, _) in self._stored.items() if one.client == response.client]
            for name in own[: len(own) + 1 - _MOST_OF_CLIENT]:
                self._forget(name)
            while self._n_bytes + n_bytes > _MOST_BYTES:
                self._forget(next(iter(self._stored)))
            self._stored[response.record["id"]] = response, n_bytes
            self._n_bytes += n_bytes

    def get(self, client: str, name: str) -> StoredResponse:
        """Return a client's response.

        Raises:
            ServeError: the client has no such response, or it is forgotten.
        """
        with self._lock:
            return self._found(client, name)

    def delete(self, client: str, name: str) -> None:
        """Forget a client's response.

        Raises:
            ServeError: as of ``get``.
        """
        with self._lock:
            self._found(client, name)
            self._forget(name)

    def _found(self, client: str, name: str) -> StoredResponse:
        found = self._stored.get(name)
        if found is None or found[0].client != client:
            raise ServeError(404, f"there is no response {name[:80]!r}", code="response_not_found")
        return found[0]

    def _forget(self, name: str) -> None:
        self._n_bytes -= self._stored.pop(name)[1]
