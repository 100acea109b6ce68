# SPDX-License-Identifier: MIT
"""Parse the values of arguments: JSON, Python's literals, and Gemma's objects with bare keys.

What is valid JSON is read as JSON. Models also write line breaks within strings, quotes that they do not escape,
Python's ``True`` and ``'text'``, keys without quotes, and a comma before the end of a list. A quote ends a string only
where something follows that may follow a value.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

_DEPTH: Final = 100  # of nested values
_LONGEST_MARK: Final = 64  # characters
_GEMMA_QUOTE: Final = '<|"|>'
_SPACE: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[A-Za-z_$][\w$.-]*")
_NUMBER: Final = re.compile(r"[+-]?(?:(?:0|[1-9][\d_]*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_MAYBE_NUMBER: Final = re.compile(r"[+-]?[\d_]*\.?\d*(?:[eE][+-]?)?\Z")
_WORDS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": "", "\r\n": ""}
_AFTER_VALUE: Final = re.compile(r"\s*[,\]}):]")
_BLANK: Final = re.compile(r"\s*\Z")
# After the string of a keyword argument: the end of the call, or the next keyword.
_AFTER_KEYWORD: Final = re.compile(r"\s*(?:\)|,\s*(?:\)|[A-Za-z_]\w*\s*=[^=]))")
_IN_KEYWORD: Final = re.compile(r"\s*(?:,\s*(?:[A-Za-z_]\w*\s*=?)?)?\Z")


class IncompleteError(Exception):
    """The text ends before it can be decided what it is."""


class InvalidError(Exception):
    """The text is not what is expected."""


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(written: str) -> float:
    """Return a number, which JSON has no way to write if it is infinite.

    Raises:
        ValueError: it is.
    """
    number = float(written)
    if math.isinf(number):
        raise ValueError(written)
    return number


_DECODER: Final = json.JSONDecoder(strict=False, parse_constant=_refuse, parse_float=_finite)


def value_at(text: str, at: int, *, is_keyword: bool = False, ends: tuple[str, ...] = ()) -> tuple[Any, int]:
    """Return the value that begins at a place, and the place behind it.

    Args:
        text: more of it may follow; the result does not depend on what follows.
        at: of the first character of the value.
        is_keyword: the value belongs to a keyword argument of a call in Python.
        ends: marks that end all brackets that are open: models forget the last ones.

    Raises:
        IncompleteError: the text ends within the value.
        InvalidError: there is no value.
    """
    if text[at : at + 1] in ("{", "["):
        try:
            return _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            pass
    return _Values(text, ends).value(at, 0, is_keyword)


class _Values:
    """Reads values that are not JSON."""

    def __init__(self, text: str, ends: tuple[str, ...]) -> None:
        self._text, self._ends = text, ends

    def value(self, at: int, depth: int, is_keyword: bool = False) -> tuple[Any, int]:
        at = self._skip(at)
        first = self._text[at : at + 1]
        if depth > _DEPTH:
            raise InvalidError
        if not first:
            raise IncompleteError
        if first == "{":
            return self._object(at + 1, depth + 1)
        if first in ("[", "("):
            return self._list(at + 1, "]" if first == "[" else ")", depth + 1)
        if first in "\"'":
            return self._string(at, _AFTER_KEYWORD if is_keyword else _AFTER_VALUE)
        if first == "<":
            return self._gemma_string(at)
        return self._scalar(at)

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return at if found is None else found.end()

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        made: dict[str, Any] = {}
        while True:
            at = self._skip(at)
            first = self._text[at : at + 1]
            if first == "}":
                return made, at + 1
            if self._is_ended(at):
                return made, at
            if first in ("'", '"', "<") or not first:
                key, at = self.value(at, depth)
            else:
                word = _WORD.match(self._text, at)
                if word is None:
                    raise InvalidError
                key, at = word[0], word.end()
            at = self._expect(at, ":")
            made[str(key)], at = self.value(at, depth)
            at = self._separator(at, "}")

    def _list(self, at: int, end: str, depth: int) -> tuple[list[Any], int]:
        made: list[Any] = []
        while True:
            at = self._skip(at)
            if self._text[at : at + 1] == end:
                return made, at + 1
            if self._is_ended(at):
                return made, at
            element, at = self.value(at, depth)
            made.append(element)
            at = self._separator(at, end)

    def _separator(self, at: int, end: str) -> int:
        """Return the place behind a comma, or of the end."""
        at = self._skip(at)
        if self._text[at : at + 1] == end or self._is_ended(at):
            return at
        return self._expect(at, ",")

    def _is_ended(self, at: int) -> bool:
        """Return whether a mark that ends all brackets is here.

        Raises:
            IncompleteError: one may be.
        """
        if self._text.startswith(self._ends, at):
            return True
        rest = self._text[at:] if len(self._text) - at < _LONGEST_MARK else ""
        if rest and any(end.startswith(rest) for end in self._ends):
            raise IncompleteError
        return False

    def _expect(self, at: int, character: str) -> int:
        at = self._skip(at)
        found = self._text[at : at + 1]
        if not found:
            raise IncompleteError
        if found != character:
            raise InvalidError
        return at + 1

    def _string(self, at: int, after: re.Pattern[str]) -> tuple[str, int]:
        text = self._text
        quote = text[at]
        triple = quote * 3
        if text.startswith(triple, at):
            end = text.find(triple, at + 3)
            if end < 0:
                raise IncompleteError
            return _unescaped(text[at + 3 : end]), end + 3
        part = re.compile(rf"[^\\{quote}]*(?:\\.[^\\{quote}]*)*", re.DOTALL)
        place = at + 1
        while True:
            found = part.match(text, place)
            end = place if found is None else found.end()
            if text[end : end + 1] != quote:  # the end of the text, or a backslash there
                raise IncompleteError
            if after.match(text, end + 1):
                return _unescaped(text[at + 1 : end]), end + 1
            if (_IN_KEYWORD if after is _AFTER_KEYWORD else _BLANK).match(text, end + 1):
                raise IncompleteError
            place = end + 1

    def _gemma_string(self, at: int) -> tuple[str, int]:
        if not self._text.startswith(_GEMMA_QUOTE, at):
            if _GEMMA_QUOTE.startswith(self._text[at:]):
                raise IncompleteError
            raise InvalidError
        at += len(_GEMMA_QUOTE)
        end = self._text.find(_GEMMA_QUOTE, at)
        if end < 0:
            raise IncompleteError
        return self._text[at:end], end + len(_GEMMA_QUOTE)

    def _scalar(self, at: int) -> tuple[Any, int]:
        number, word = _NUMBER.match(self._text, at), _WORD.match(self._text, at)
        found = number or word
        if _MAYBE_NUMBER.match(self._text, at) or (found is not None and found.end() == len(self._text)):
            raise IncompleteError
        if number is not None:
            try:
                return _number(number[0]), number.end()
            except ValueError:
                raise InvalidError from None
        if word is None or word[0] not in _WORDS:
            raise InvalidError
        return _WORDS[word[0]], word.end()


def _number(written: str) -> int | float:
    plain = written.replace("_", "")
    try:
        return int(plain)
    except ValueError:
        return _finite(plain)


def _unescaped(text: str) -> str:
    """Return the text of a string of JSON or Python, whose unknown escapes stay as they are."""

    def character(found: re.Match[str]) -> str:
        code = found[1]
        if len(code) > 1 and code[0] in "ux":
            return chr(int(code[1:], 16))
        return _ESCAPES.get(code, code if code in "\"'\\/`" else found[0])

    made = _ESCAPE.sub(character, text) if "\\" in text else text
    if not made.isascii():  # two halves of a character beyond U+FFFF
        made = made.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return made
