# SPDX-License-Identifier: MIT
"""Access control: API keys, the Host header, size and timeout of request bodies. All errors are in OpenAI's format.

A web page must not use a server on the machine of its visitor. So the server sends no CORS headers, and requires
``Content-Type: application/json``, which other origins may send only with CORS. Without a key, a server on a loopback
address also accepts only local host names, which stops DNS rebinding.
"""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import anyio
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope

from pyhexagon.errors import ArgumentError
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Quota

LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
OPEN: Final = frozenset({"/", "/health"})  # paths that need no key
_BODY_SECONDS: Final = 30.0


def check_network(text: str) -> None:
    """Check that a text is an IP address or a network.

    Raises:
        ArgumentError: it is neither.
    """
    try:
        ipaddress.ip_network(text)
    except ValueError as problem:
        raise ArgumentError(f"a trusted proxy is {text!r}: expected an IP address or a network ({problem})") from None


def client_of(scope: Scope, keys: Keys, hosts: frozenset[str]) -> str:
    """Return the client of a request, for fair scheduling: its key's name, or its address if it has none.

    Args:
        hosts: accepted names in the Host header; none: all.

    Raises:
        ServeError: the server does not answer to the name, a required key is missing or wrong, or the length of the
            body is ambiguous.
    """
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    if hosts and name.lower() not in hosts:
        raise ServeError(421, "the server does not answer to this name", code="wrong_host")
    if "content-length" in headers and "transfer-encoding" in headers:  # request smuggling
        raise ServeError(400, "both Content-Length and Transfer-Encoding", code="ambiguous_length", is_last=True)
    address = (scope.get("client") or ("",))[0]
    if not keys:
        return str(address)
    owner = keys.owner(headers.get("authorization") or f"Bearer {headers.get('x-api-key', '')}")  # or Anthropic's
    if owner is None and scope["path"] not in OPEN:
        raise ServeError(401, "the API key is missing or wrong", code="invalid_api_key")
    return owner or str(address)


@asynccontextmanager
async def body_of(request: Request, client: str, most: int, quota: Quota) -> AsyncIterator[bytes]:
    """Read the body of a request; it counts against the quota of bytes until the ``with`` statement ends.

    Raises:
        ServeError: the content type is not JSON, the body is larger than ``most`` bytes or takes too long, or the quota
            is exhausted.
    """
    taken = 0

    def take(n: int) -> None:
        nonlocal taken
        if not quota.take(client, n):
            message = f"bodies of other requests are in memory, {quota.held} bytes of {quota.limit} in all"
            raise ServeError(429, message, code="bodies_full", retry_after=1)
        taken += n

    try:
        yield await _body_of(request, most, take)
    finally:
        if taken:
            quota.give_back(client, taken)


async def _body_of(request: Request, most: int, take: Callable[[int], None]) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ServeError(415, "the body must have Content-Type: application/json", code="wrong_content_type")
    content = bytearray()
    try:
        with anyio.fail_after(_BODY_SECONDS):
            async for piece in request.stream():
                if len(content) + len(piece) > most:
                    message = f"the body is larger than {most} bytes: pyhexagon serve --max-body KIB sets the limit"
                    raise ServeError(413, message, code="body_too_large")
                if piece:
                    take(len(piece))
                    content += piece
    except TimeoutError:
        raise ServeError(408, f"the body took more than {_BODY_SECONDS:g} seconds", code="timeout") from None
    except ClientDisconnect:
        raise ServeError(400, "the client went away") from None
    return bytes(content)


async def unless_gone(
    receive: Receive, work: Callable[[], Awaitable[None]], cancel: Callable[[], None] | None = None
) -> None:
    """Run ``work`` and cancel it when the client disconnects.

    Args:
        receive: of the request, whose body has been read.
        work: what is cancelled.
        cancel: called as soon as nobody waits for ``work``, and after it; ends what runs on other threads.

    Raises:
        Exception: as ``work``.
    """
    problem: Exception | None = None

    async def watch() -> None:
        try:
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            if cancel is not None:
                cancel()
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        try:
            await work()
        except Exception as error:  # the group would wrap it
            problem = error
        group.cancel_scope.cancel()
    if problem is not None:
        raise problem
