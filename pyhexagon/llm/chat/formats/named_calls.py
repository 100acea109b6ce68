# SPDX-License-Identifier: MIT
"""Calls that begin with the name of the tool. Its arguments are

- JSON: Mistral's ``NAME[CALL_ID]ID[ARGS]{...}``, DeepSeek's, Kimi K2's and Solar's ``NAME<mark>{...}``, GLM 4's
  ``NAME`` and an object in the next line, Hunyuan's, ERNIE's and DeepSeek R1's JSON in a code fence;
- ``<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>``, of GLM 4.5 and later, and of K2-Horizon, whose
  tags' names begin with ``ifm|``;
- Python's keywords, also of a list of calls: ``[read(path="a", n=1), list()]`` as Llama 3.2, Llama 4 and LFM2 write
  them, or without brackets, as Gemma 3's ``tool_code`` and MiniCPM;
- missing.

Gemma 4's begin with ``call:``: ``call:NAME{key:<|"|>text<|"|>,n:1}``.
"""

from __future__ import annotations

import re
from typing import Any, Final

from pyhexagon.llm.chat.formats.literals import IncompleteError, InvalidError
from pyhexagon.llm.chat.formats.reader import Reader
from pyhexagon.llm.chat.openai_format import Record

_SOLAR_NAME: Final = "<|tool_call:name|>"
_BEFORE: Final = ("function<\uff5ctool\u2581sep\uff5c>", _SOLAR_NAME)
_ID: Final = re.compile(r"[\w-]{0,64}")
_ARGUMENTS: Final = (
    "[ARGS]", "<\uff5ctool\u2581sep\uff5c>", "<|tool_call_argument_begin|>", "<|tool_call:args|>", "<|message|>",
)  # fmt: skip
_CALL_ID: Final = "[CALL_ID]"
GEMMA_BEGIN: Final = "call:"
INNER: Final = (_CALL_ID, _SOLAR_NAME, *_ARGUMENTS)  # marks within a call
_PAIR_KEY: Final = re.compile(
    r"<(?P<prefix>(?:ifm\|)?)arg_key(?P<suffix>(?::\w+)?)>\s*(?P<key>.{1,256}?)\s*</(?P=prefix)arg_key(?P=suffix)>\s*"
    r"<(?P=prefix)arg_value(?P=suffix)>",
    re.DOTALL,
)
_KEYWORD: Final = re.compile(r"([A-Za-z_]\w*)\s*=(?=[^=])")
_MAYBE_KEYWORD: Final = re.compile(r"[A-Za-z_]\w*\s*=?\Z")
_KEY_TAGS: Final = ("<arg_key", "<ifm|arg_key")
_SEPARATOR_TAG: Final = "<tool_sep"
_SEPARATOR: Final = re.compile(r"<tool_sep(?::\w+)?>\s*")


def named_calls(reader: Reader, ends: tuple[str, ...]) -> list[Record] | None:
    """Read a call; None: it is none of a tool.

    Args:
        ends: marks behind a call; one directly behind the name is a call without arguments.

    Raises:
        IncompleteError, InvalidError: as of ``Reader.value``.
    """
    begun = reader.at
    if not reader.literal(_BEFORE):
        reader.at = _end(_ID, reader)  # of Solar's calls: their ids come first
        if not reader.literal(_BEFORE[1:]):
            reader.at = begun
    call_id: str | None = None
    name = reader.name()
    if name not in reader.tools.schemas:
        return None
    reader.skip_space()
    if reader.literal([_CALL_ID]):
        reader.skip_space()
        end = _end(_ID, reader)
        call_id, reader.at = reader.text[reader.at : end], end
        reader.skip_space()
    reader.literal(_ARGUMENTS)
    reader.skip_space()
    first = reader.next()
    if first == "{":
        return _listed(reader.tools.call(name, reader.value(), call_id))
    if first == "`":
        with reader.fenced():
            return _listed(reader.tools.call(name, reader.value(), call_id))
    if first == "(":
        return _listed(python_call(reader, name))
    if first == "<" and reader.literal((*_KEY_TAGS, _SEPARATOR_TAG)):
        reader.at = reader.text.rindex("<", 0, reader.at)
        return _listed(reader.tools.call(name, _pairs(reader, name, ends)))
    place = reader.at
    is_end = reader.literal(ends)
    reader.at = place
    return _listed(reader.tools.call(name, {})) if is_end else None


def python_list(reader: Reader) -> list[Record] | None:
    """Read a list of calls, at its bracket; None: it is none.

    Raises:
        IncompleteError, InvalidError: as of ``Reader.value``.
    """
    reader.at += 1
    calls: list[Record] = []
    while True:
        reader.skip_separators()
        if reader.next() == "]":
            reader.at += 1
            return calls or None
        name = reader.name()
        call = python_call(reader, name) if name in reader.tools.schemas else None
        if call is None:
            return None
        calls.append(call)


def python_call(reader: Reader, name: str) -> Record | None:
    """Read the arguments of a call whose name was read; None: they are none.

    Raises:
        IncompleteError, InvalidError: as of ``Reader.value``.
    """
    reader.skip_space()
    if reader.next() != "(":
        return None
    reader.at += 1
    arguments: dict[str, Any] = {}
    positional: list[Any] = []
    while True:
        reader.skip_space()
        if reader.next() == ")":
            reader.at += 1
            break
        keyword = _KEYWORD.match(reader.text, reader.at)
        if keyword is not None:
            reader.at = keyword.end()
            arguments[keyword[1]] = reader.value(is_keyword=True)
        elif _MAYBE_KEYWORD.match(reader.text, reader.at):
            raise IncompleteError
        else:
            positional.append(reader.value())
        reader.skip_space()
        if reader.next() == ",":
            reader.at += 1
        elif reader.next() != ")":
            raise InvalidError
    named = reader.tools.positional(name, positional)
    return None if named is None else reader.tools.call(name, named | arguments)


def gemma_calls(reader: Reader) -> list[Record] | None:
    """Read a call whose ``GEMMA_BEGIN`` was read; None: it is none of a tool.

    Raises:
        IncompleteError, InvalidError: as of ``Reader.value``.
    """
    name = reader.name()
    if name not in reader.tools.schemas or reader.next() != "{":
        return None
    return _listed(reader.tools.call(name, reader.value()))


def _listed(call: Record | None) -> list[Record] | None:
    return None if call is None else [call]


def _end(pattern: re.Pattern[str], reader: Reader) -> int:
    found = pattern.match(reader.text, reader.at)
    end = reader.at if found is None else found.end()
    if end == len(reader.text) and not reader.is_final:
        raise IncompleteError
    return end


def _pairs(reader: Reader, name: str, ends: tuple[str, ...]) -> dict[str, Any] | None:
    """Read keys and values. A value ends where the next key or the end of the call follows its tag."""
    separator = _SEPARATOR.match(reader.text, reader.at)
    if separator is not None:
        reader.at = separator.end()
    elif reader.text.startswith(_SEPARATOR_TAG, reader.at):
        raise IncompleteError
    arguments: dict[str, Any] = {}
    while True:
        reader.skip_space()
        pair = _PAIR_KEY.match(reader.text, reader.at)
        if pair is None:
            if reader.literal(_KEY_TAGS):
                raise IncompleteError
            return arguments
        close, place = f"</{pair['prefix']}arg_value{pair['suffix']}>", pair.end()
        while True:
            end = reader.text.find(close, place)
            if end < 0:
                raise IncompleteError
            reader.at = place = end + len(close)
            reader.skip_space()
            after = reader.at
            is_last = bool(reader.literal(ends)) or (reader.is_final and after == len(reader.text))
            reader.at = after
            if is_last or reader.literal(_KEY_TAGS):
                break
        reader.at = after
        arguments[pair["key"]] = reader.tools.typed(name, pair["key"], reader.text[pair.end() : end])
