# SPDX-License-Identifier: MIT
"""Who may ask, and how much: keys, names of the host, sizes and times of requests. All refusals are in OpenAI's form.

A page of the web may not use a server on the machine that shows it: no header allows other origins, bodies must be
called JSON (which a page may send only where that is allowed), and without a key a server that only this machine
reaches answers to this machine's names only, so that no name of a stranger's leads to it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import anyio
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope

from pyhexagon.errors import ArgumentError
from pyhexagon.serve.errors import ServeError

KEY_VARIABLE: Final = "PYHEXAGON_API_KEY"
LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
OPEN: Final = frozenset({"/", "/health"})  # without a key
_BODY_SECONDS: Final = 30.0
_SHORTEST_KEY: Final = 8


class Keys:
    """The keys that are accepted; only hashes of them are kept."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._hashes = [_hash(key) for key in keys]

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def owner(self, header: str) -> str | None:
        """A name for the key in an Authorization header; None where it is none of these."""
        scheme, _, key = header.partition(" ")
        given = _hash(key.strip())
        found = [one for one in self._hashes if hmac.compare_digest(one, given)]
        return found[0][:12] if found and scheme.lower() == "bearer" else None


def keys_from(path: Path | None) -> Keys:
    """Those of a file, one a line, and that of the environment, from which it is taken away.

    Raises:
        ArgumentError: the file cannot be read or has none, or a key is short.
    """
    keys = []
    if path is not None:
        try:
            keys = path.read_text(encoding="utf-8").split()
        except (OSError, UnicodeDecodeError) as problem:
            raise ArgumentError(f"{path}: {getattr(problem, 'strerror', None) or 'not a text'}") from None
        if not keys:
            raise ArgumentError(f"{path} has no key: expected one a line")
    if key := os.environ.pop(KEY_VARIABLE, "").strip():
        keys.append(key)
    if any(len(key) < _SHORTEST_KEY for key in keys):
        raise ArgumentError(f"a key is shorter than {_SHORTEST_KEY} characters")
    return Keys(keys)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def check_host(scope: Scope, hosts: frozenset[str]) -> None:
    """Raises ServeError unless the request is for one of these names; without any, all are."""
    host = Headers(scope=scope).get("host", "")
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    if hosts and name.lower() not in hosts:
        raise ServeError(421, "the server does not answer to this name", code="wrong_host")


def client_of(scope: Scope, keys: Keys) -> str:
    """Whose turn a request takes: the key's owner's, or that of the address.

    Raises:
        ServeError: it has no right key, and needs one.
    """
    address = (scope.get("client") or ("",))[0]
    if not keys:
        return str(address)
    owner = keys.owner(Headers(scope=scope).get("authorization", ""))
    if owner is None and scope["path"] not in OPEN:
        raise ServeError(401, "the API key is missing or wrong", code="invalid_api_key")
    return owner or str(address)


async def body_of(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        ServeError: it is not called JSON, is larger than so many bytes, or takes too long.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ServeError(415, "the body must have Content-Type: application/json", code="wrong_content_type")
    content = bytearray()
    try:
        with anyio.fail_after(_BODY_SECONDS):
            async for piece in request.stream():
                content += piece
                if len(content) > most:
                    raise ServeError(413, f"the body is larger than {most} bytes", code="body_too_large")
    except TimeoutError:
        raise ServeError(408, f"the body took more than {_BODY_SECONDS:g} seconds", code="timeout") from None
    except ClientDisconnect:
        raise ServeError(400, "the client went away") from None
    return bytes(content)


async def unless_gone(receive: Receive, work: Callable[[], Awaitable[None]]) -> None:
    """Does some work, until the client goes away."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        await work()
        group.cancel_scope.cancel()
