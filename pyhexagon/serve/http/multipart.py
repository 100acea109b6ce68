# SPDX-License-Identifier: MIT
"""Bodies of the type multipart/form-data, which have files. Large files lie on the disk, never in memory.

Unlike JSON, a web page may send such a form to any server without asking it first (CORS). So a browser's request from
a page of another origin is refused, unless it has an API key, which such a page cannot add without asking.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from pyhexagon.serve.http.errors import ServeError, wrong
from pyhexagon.serve.http.limits import Quota

_SECONDS: Final = 300.0  # 25 MiB at 0.7 Mbit/s
_MOST_FIELDS: Final = 64
_FIELD_BYTES: Final = 64 << 10


@asynccontextmanager
async def form_of(request: Request, most: int, quota: Quota) -> AsyncIterator[dict[str, Any]]:
    """Read a form with at most one file, and yield its fields; a file is an open binary file.

    Names that end with ``[]`` have lists. The body counts against the quota of bytes until the ``with`` statement ends,
    which also closes the file.

    Args:
        most: bytes of the body.

    Raises:
        ServeError: the content type is another one, the form is malformed, larger than ``most`` bytes or takes too
            long, the quota is exhausted, or a page of another origin sent it.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise ServeError(415, "the body must have Content-Type: multipart/form-data", code="wrong_content_type")
    _check_origin(request.headers)
    client: str = request.state.client
    taken = 0

    async def body() -> AsyncGenerator[bytes, None]:
        nonlocal taken
        async for piece in request.stream():
            if taken + len(piece) > most:
                raise ServeError(413, f"the body is larger than {most} bytes", code="body_too_large")
            if not quota.take(client, len(piece)):
                message = f"files of other requests are held, {quota.held} bytes of {quota.limit} in all"
                raise ServeError(429, message, code="bodies_full", retry_after=1)
            taken += len(piece)
            yield piece

    parser = MultiPartParser(request.headers, body(), max_files=1, max_fields=_MOST_FIELDS, max_part_size=_FIELD_BYTES)
    try:
        form = await _parsed(parser)
        try:
            yield _fields(form.multi_items())
        finally:
            await form.close()
    finally:
        if taken:
            quota.give_back(client, taken)


async def _parsed(parser: MultiPartParser) -> FormData:
    try:
        with anyio.fail_after(_SECONDS):
            return await parser.parse()
    except MultiPartException as problem:
        raise wrong(f"the body is no form: {problem.message}") from None
    except TimeoutError:
        raise ServeError(408, f"the body took more than {_SECONDS:g} seconds", code="timeout") from None
    except ClientDisconnect:
        raise ServeError(400, "the client went away") from None


def _fields(items: list[tuple[str, str | UploadFile]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in items:
        content = value.file if isinstance(value, UploadFile) else value
        if name.endswith("[]"):
            fields.setdefault(name.removesuffix("[]"), []).append(content)
        else:
            fields[name] = content
    return fields


def _check_origin(headers: Headers) -> None:
    """Refuse what a browser sends for a page of another origin.

    Raises:
        ServeError: it does.
    """
    if "authorization" in headers:
        return
    site, origin = headers.get("sec-fetch-site", ""), headers.get("origin", "")
    ours = [f"//{headers[name]}" for name in ("host", "x-forwarded-host") if name in headers]
    is_other = site not in ("same-origin", "none") if site else bool(origin) and not origin.endswith(tuple(ours))
    if is_other:
        raise ServeError(403, "a page of another origin may not send forms", code="wrong_origin")
