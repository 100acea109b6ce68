# SPDX-License-Identifier: MIT
"""Markdown of a model as safe HTML, for the chat page. A worker process renders it, with a limit of CPU time."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta

from pyhexagon import workers
from pyhexagon.serve.http.schema import Schema

_MOST: Final = 1 << 15  # characters
_PROGRAM: Final = Path(__file__).with_name("html.py")
_CPU_SECONDS: Final = 2.0  # of a text, and again of the same text without highlighting
_BYTES: Final = 512 << 20


class MarkdownRequest(Schema, kw_only=True):
    """A request to ``/markdown``."""

    text: Annotated[str, Meta(max_length=_MOST)]


def rendered(request: MarkdownRequest) -> str:
    """Return the HTML for a request to ``/markdown``.

    Code is not highlighted if that breaks the limit of CPU time; a text that breaks it even so is shown as it is.
    """
    for is_highlighted in (True, False):
        try:
            answer = workers.ask(
                _PROGRAM, {"is_highlighted": is_highlighted}, json.dumps(request.text),
                cpu_seconds=_CPU_SECONDS, max_bytes=_BYTES,
            )  # fmt: skip
        except workers.WorkerEnded:
            continue
        if "text" in answer:
            return str(answer["text"])
    return f"<pre><code>{escape(request.text)}</code></pre>\n"
