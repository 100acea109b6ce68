# SPDX-License-Identifier: MIT
"""The content of messages in all APIs: the texts of its parts, and images for models that take them. Other parts are
described to the model.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyhexagon.llm.chat.repair import plain
from pyhexagon.serve.http.schema import invalid, quoted
from pyhexagon.serve.models.backend import ServedModel

_LOG: Final = logging.getLogger("pyhexagon.serve")
_DOCUMENTS: Final = ("document", "search_result")  # Anthropic's
_IMAGES: Final = ("image_url", "input_image", "image")
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
    has_others = False
    for part in content:
        kind = part.get("type")
        if not isinstance(kind, str) or (kind in _TEXTS and not isinstance(part.get("text"), str)):
            raise invalid(path, content, "a text, or parts that are texts")
        has_others = has_others or kind not in _TEXTS
        if kind not in _TEXTS and kind != "refusal" and _document(part) is None:
            what = "%s has a part of the type %s: the model cannot read it, but is told of it"
            _LOG.warning(what, path, quoted(kind))
    return str(plain(list(map(_as_text, content)) if has_others else content))


def _as_text(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a refusal, or a document that is a text, as a text; other parts as they are."""
    text = part.get("refusal", "") if part["type"] == "refusal" else _document(part)
    return part if text is None else {"type": "text", "text": text}


def _document(part: Mapping[str, Any]) -> str | None:
    """Return the title and the text of a document; None: it is no document, or none of text."""
    source = part.get("source")
    content = source.get("data") if isinstance(source, Mapping) and source.get("type") == "text" else None
    if content is None:
        content = source.get("content") if isinstance(source, Mapping) else part.get("content")
    if isinstance(content, list):
        texts = [each.get("text") for each in content if isinstance(each, Mapping)]
        content = "".join(text for text in texts if isinstance(text, str))
    if part.get("type") not in _DOCUMENTS or not isinstance(content, str) or not content:
        return None
    title = part.get("title")
    return f"{title}\n{content}\n" if isinstance(title, str) and title else f"{content}\n"


def result_of(content: Any, path: str, *, has_images: bool = False) -> str | list[dict[str, Any]]:
    """Return the content of a tool's result: texts and images, or JSON where it is no list of parts.

    Args:
        path: as for ``text_of``.
        has_images: the model takes images.

    Raises:
        ServeError: as for ``text_of``.
    """
    if not isinstance(content, str) and not _are_parts(content):
        return json.dumps(content, ensure_ascii=False)
    return user_content(content, path) if has_images else text_of(content, path)


def with_result(message: dict[str, Any]) -> dict[str, Any]:
    """Return the message of a tool's result with JSON as its content where that is neither a text nor parts."""
    content = message.get("content")
    if content is None or isinstance(content, str) or _are_parts(content):
        return message
    return {**message, "content": json.dumps(content, ensure_ascii=False)}


def _are_parts(content: Any) -> bool:
    return isinstance(content, list) and all(isinstance(each, dict) and "type" in each for each in content)


def with_images(text: str, images: Sequence[Any], path: str, model: ServedModel) -> Any:
    """Return the content of a message with images in base64: before the text, for a model that takes them."""
    if images and model.has_vision:
        parts = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}} for image in images]
        return [*parts, {"type": "text", "text": text}]
    return text + text_of([{"type": "image"} for _ in images], path)


def user_content(content: str | Sequence[Mapping[str, Any]], path: str) -> str | list[dict[str, Any]]:
    """Return the content of a message to a model that takes images: a text, or texts and images as OpenAI's parts.

    Args:
        content: parts of any API.
        path: as for ``text_of``.

    Raises:
        ServeError: as ``text_of``; or an image is given by something else than its URL or its bytes.
    """
    if isinstance(content, str):
        return content
    parts: list[dict[str, Any]] = []
    for number, part in enumerate(content):
        if part.get("type") in _IMAGES:
            url = _image_url(part, f"{path}.{number}")
            parts.append({"type": "image_url", "image_url": {"url": url}})
        else:
            parts.append({"type": "text", "text": text_of([part], path)})
    return parts if any(part["type"] == "image_url" for part in parts) else text_of(content, path)


def _image_url(part: Mapping[str, Any], path: str) -> str:
    """Return the URL of an image in OpenAI's or Anthropic's form."""
    value, source = part.get("image_url"), part.get("source")
    if isinstance(value, Mapping):
        value = value.get("url")
    if isinstance(source, Mapping):
        value = source.get("url")
        if source.get("type") == "base64" and isinstance(source.get("data"), str):
            value = f"data:{source.get('media_type', 'image/png')};base64,{source['data']}"
    if not isinstance(value, str):
        raise invalid(path, part, "an image by its data: URL")
    return value


def message_content(role: str, content: Any, path: str) -> Any:
    """Return the content of a message for the chat template: a text, or parts of which some are reasoning.

    Args:
        role: of the message.
        path: as for ``text_of``.

    Raises:
        ServeError: as for ``text_of``.
    """
    kinds = {part.get("type") for part in content} if isinstance(content, list) else set()
    if role == "assistant" and kinds & {"thinking", "reasoning"}:
        return [part for part in content if part.get("type") != "redacted_thinking"]
    return text_of(content, path)
