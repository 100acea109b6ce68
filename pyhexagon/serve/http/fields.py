# SPDX-License-Identifier: MIT
"""Typed access to the fields of an untrusted JSON object; a wrong type or range raises ``ServeError``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final, NoReturn

from pyhexagon.serve.http.errors import ServeError, wrong

_LARGEST: Final = 1 << 53
_MOST_PARTS: Final = 4096  # of a message


def parsed(content: bytes) -> Fields:
    """Parse a JSON object.

    Raises:
        ServeError: the content is not a JSON object.
    """
    try:
        body = json.loads(content, parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise wrong(f"the body is not JSON: {problem}") from None
    if not isinstance(body, dict):
        raise wrong("the body is no JSON object")
    return Fields(body)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


class Fields:
    """A JSON object; null counts as a missing field.

    Args:
        path: of the object in the request, with a trailing dot; for error messages.
    """

    def __init__(self, values: Mapping[str, Any], path: str = "") -> None:
        self._values, self._path = values, path

    def get(self, name: str) -> Any:
        """Return a field of any type, or None."""
        return self._values.get(name)

    def wrong(self, name: str, expected: str) -> ServeError:
        """Return the error for a field that is not what is expected."""
        shown = json.dumps(self._values.get(name))
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        path = f"{self._path}{name}"
        return wrong(f"{path} is {shown}: expected {expected}", path)

    def number(self, name: str, default: float, least: float, most: float) -> float:
        """Return a number from least to most."""
        value = self.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _LARGEST:
            raise self.wrong(name, f"a number from {least:g} to {most:g}")
        if not isfinite(value) or not least <= value <= most:
            raise self.wrong(name, f"a number from {least:g} to {most:g}")
        return float(value)

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        """Return an integer from least to most."""
        value = self.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.wrong(name, f"a whole number from {least} to {most}")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a boolean."""
        value = self.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string; the field is required if there is no default."""
        value = self.get(name)
        value = default if value is None else value
        if not isinstance(value, str):
            raise self.wrong(name, "a text")
        return value

    def texts(self, name: str, most: int) -> list[str]:
        """Return a list of at most ``most`` non-empty strings; a single string is a list of one."""
        value = self.get(name)
        value = [] if value is None else [value] if isinstance(value, str) else value
        if not isinstance(value, list) or len(value) > most or not all(isinstance(one, str) and one for one in value):
            raise self.wrong(name, f"a text that is not empty, or at most {most} of them")
        return value

    def objects(self, name: str, most: int) -> list[dict[str, Any]]:
        """Return a list of at most ``most`` objects."""
        value = self.get(name)
        value = [] if value is None else value
        if not isinstance(value, list) or len(value) > most or not all(isinstance(one, dict) for one in value):
            raise self.wrong(name, f"a list of at most {most} objects")
        return value

    def each(self, name: str, most: int) -> Iterator[Fields]:
        """Yield each of at most ``most`` objects of a list."""
        for number, value in enumerate(self.objects(name, most)):
            yield Fields(value, f"{self._path}{name}.{number}.")

    def text_parts(self, name: str, *kinds: str | None) -> str:
        """Return a string, or the texts of a list of parts, put together.

        Args:
            kinds: types of parts that are texts; None: of parts without a type.
        """
        value = self.get(name)
        if isinstance(value, list):
            parts = self.objects(name, _MOST_PARTS)
            if all(part.get("type") in kinds and isinstance(part.get("text"), str) for part in parts):
                return "".join(part["text"] for part in parts)
        if not isinstance(value, str):
            raise self.wrong(name, "a text, or parts that are texts")
        return value

    def object(self, name: str) -> Fields | None:
        """Return an object, or None if the field is missing."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return Fields(value, f"{self._path}{name}.")

    def choice(self, name: str, default: str, *others: str) -> str:
        """Return one of the given strings."""
        value = self.text(name, default)
        if value not in (default, *others):
            raise self.wrong(name, " or ".join((default, *others)))
        return value

    @property
    def values(self) -> Mapping[str, Any]:
        """Return the object as a mapping."""
        return self._values
