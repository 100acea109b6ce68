# SPDX-License-Identifier: MIT
"""The content of messages in all APIs: the texts of its parts. The model reads no others: they are described to it."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyhexagon.llm.chat.repair import plain
from pyhexagon.serve.http.schema import invalid, quoted

_LOG: Final = logging.getLogger("pyhexagon.serve")
_TEXTS: Final = ("text", "input_text", "output_text", "summary_text", "reasoning_text")


def text_of(content: str | Sequence[Mapping[str, Any]], path: str) -> str:
    """Return the text of a content: of parts, their texts put together. "[image]" stands for an image.

    Args:
        path: of the content in the request, for errors and the log.

    Raises:
        ServeError: a part has no type, or is a text without one.
    """
    if isinstance(content, str):
        return content
    for part in content:
        kind = part.get("type")
        if not isinstance(kind, str) or (kind in _TEXTS and not isinstance(part.get("text"), str)):
            raise invalid(path, content, "a text, or parts that are texts")
        if kind not in _TEXTS and kind != "refusal":
            what = "%s has a part of the type %s: the model cannot read it, but is told of it"
            _LOG.warning(what, path, quoted(kind))
    refusals = [{**part, "text": part.get("refusal", "")} if part["type"] == "refusal" else part for part in content]
    return str(plain(refusals))


def with_images(text: str, images: Sequence[Any], path: str) -> str:
    """Return the text of a message with images."""
    return text + text_of([{"type": "image"} for _ in images], path)


def message_content(role: str, content: Any, path: str) -> Any:
    """Return the content of a message for the chat template: a text, or parts of which some are reasoning.

    Args:
        role: of the message.
        path: as for ``text_of``.

    Raises:
        ServeError: as for ``text_of``.
    """
    if isinstance(content, dict):  # the result of a tool
        return json.dumps(content, ensure_ascii=False)
    kinds = {part.get("type") for part in content} if isinstance(content, list) else set()
    if role == "assistant" and kinds & {"thinking", "reasoning"}:
        return [part for part in content if part.get("type") != "redacted_thinking"]
    return text_of(content, path)
