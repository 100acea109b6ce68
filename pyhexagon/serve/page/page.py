# SPDX-License-Identifier: MIT
"""The chat page and its headers."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from starlette.responses import Response

from pyhexagon.serve.http.json_responses import HEADERS


def _content() -> tuple[bytes, dict[str, str]]:
    """Return the page and its headers. They allow its own script and style, and requests to this server."""
    page = files("pyhexagon.serve.page").joinpath("page.html").read_bytes()

    def own(tag: bytes) -> str:
        content = page.partition(b"<%s>" % tag)[2].partition(b"</%s>" % tag)[0]
        return f"'sha256-{b64encode(sha256(content).digest()).decode()}'"

    policy = f"default-src 'none'; script-src {own(b'script')}; style-src {own(b'style')}; connect-src 'self'; "
    policy += "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    return page, {"content-security-policy": policy, "referrer-policy": "no-referrer"}


_PAGE, _PAGE_HEADERS = _content()


def page() -> Response:
    """Return the response with the chat page."""
    return Response(_PAGE, headers={**HEADERS, **_PAGE_HEADERS}, media_type="text/html; charset=utf-8")
