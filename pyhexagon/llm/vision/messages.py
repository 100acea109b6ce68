# SPDX-License-Identifier: MIT
"""Messages with images: the images are cut out of the messages, and a mark in the text stays in the place of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyhexagon.arguments import described
from pyhexagon.errors import ArgumentError

MARK: Final = "\ufdd2"  # a noncharacter, which no text of a message keeps
_IMAGE_PARTS: Final = "image_url", "input_image", "image"


def has_images(messages: Any) -> bool:
    """Return whether a message's content has an image."""
    return isinstance(messages, Sequence) and any(
        isinstance(message, Mapping) and any(_is_image(part) for part in _parts(message)) for message in messages
    )


def cut(messages: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[Any]]:
    """Return messages whose contents are texts with a mark for each image, and the images in order.

    Texts beside each other are joined by line breaks, as llama.cpp joins them.

    Raises:
        ArgumentError: a part of a content is neither a text nor an image.
    """
    images: list[Any] = []
    result: list[Mapping[str, Any]] = []
    for message in messages:
        if not any(_is_image(part) for part in _parts(message)):
            result.append(_without_marks(message))
            continue
        text, follows_text = "", False
        for part in _parts(message):
            if _is_image(part):
                images.append(_image_of(part))
                text, follows_text = text + MARK, False
                continue
            text += ("\n" if follows_text else "") + _text_of(part)
            follows_text = True
        result.append({**message, "content": text})
    return result, images


def _parts(message: Mapping[str, Any]) -> Sequence[Any]:
    content = message.get("content")
    return content if isinstance(content, (list, tuple)) else ()


def _is_image(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") in _IMAGE_PARTS


def _image_of(part: Mapping[str, Any]) -> Any:
    """Return what a part gives as its image: ``image_url`` (a URL, or a mapping with one) or ``image``."""
    kind = part["type"]
    value = part.get("image") if kind == "image" else part.get("image_url")
    value = value.get("url") if isinstance(value, Mapping) else value
    if value is None:
        raise ArgumentError(f"a part of a message of type {kind!r} has no image: {sorted(part)}")
    return value


def _text_of(part: Any) -> str:
    if isinstance(part, Mapping) and part.get("type") in ("text", "input_text") and isinstance(part.get("text"), str):
        return _unmarked(part["text"])
    raise ArgumentError(f"a part of a message's content is {described(part)}: expected a text or an image")


def _without_marks(value: Any) -> Any:
    """Return a message with the mark replaced in all its texts."""
    if isinstance(value, str):
        return _unmarked(value)
    if isinstance(value, Mapping):
        return {key: _without_marks(item) for key, item in value.items()}
    return [_without_marks(item) for item in value] if isinstance(value, (list, tuple)) else value


def _unmarked(text: str) -> str:
    return text.replace(MARK, "\ufffd")
