# SPDX-License-Identifier: MIT
"""JSON responses and error responses of the HTTP routes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

from pyhexagon.serve.http.errors import ServeError

HEADERS: Final = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


def as_json(value: object) -> bytes:
    """Return JSON in UTF-8; a lone surrogate becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class JSON(Response):
    """A JSON response."""

    media_type = "application/json"

    def __init__(self, value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(as_json(value), status, {**HEADERS, **(headers or {})})


def failure(error: ServeError, path: str) -> JSON:
    """Return the response for an error, in the form that clients of the route expect."""
    more = {"retry-after": str(error.retry_after)} if error.retry_after else {}
    more |= {"www-authenticate": "Bearer"} if error.status == 401 else {}
    more |= {"connection": "close"} if error.is_last else {}
    return JSON(error.body(path), error.status, more)
