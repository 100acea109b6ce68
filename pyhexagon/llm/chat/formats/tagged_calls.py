# SPDX-License-Identifier: MIT
"""Calls whose parameters are tags:

- ``<function=NAME><parameter=KEY>VALUE</parameter></function>`` of Qwen3-Coder, Nemotron 3 and Seed-OSS, which
  may also have JSON within, as Functionary's calls;
- ``<function name="NAME"><param name="KEY">VALUE</param></function>`` of MiniCPM 5;
- ``<invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>`` of MiniMax M2, and DeepSeek V3.2's, which
  has its tags' names behind a prefix and says which values are texts.

A value is a plain text. Its tag ends it where the next parameter follows, or the end of the call; and not before the
parameters that are opened within the value are closed within it. So a value may contain any tags, and whole calls.
"""

from __future__ import annotations

import re
from typing import Any, Final

from pyhexagon.llm.chat.formats.calls import literal
from pyhexagon.llm.chat.formats.literals import IncompleteError, InvalidError
from pyhexagon.llm.chat.formats.reader import Reader
from pyhexagon.llm.chat.openai_format import Record

_PREFIX: Final = r"(?P<prefix>(?:\uff5c\w+\uff5c|\w+:)?)"
_OPEN: Final = re.compile(rf'<{_PREFIX}(?P<tag>function|invoke)(?:=| name=)"?(?P<name>[\w.:/-]{{1,256}})"?\s*>')
_MAYBE_OPEN: Final = re.compile(r"<[\w\uff5c:]*(?:[= ][^>\n]{0,300})?\Z")
_PARAMETER: Final = re.compile(
    rf'<{_PREFIX}(?P<tag>parameter|param)(?:=| name=)"?(?P<key>[^">\n]{{1,256}})"?'
    r'(?:\s+string="(?P<text>true|false)")?\s*>'
)
_CDATA: Final = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)
_CDATA_BEGIN: Final = re.compile(r"\s*<!\[CDATA\[")
TAGGED: Final = ("<function=", "<function name=", "<invoke name=")  # begin with the call itself, and end with it


def tagged_calls(reader: Reader, ends: tuple[str, ...]) -> list[Record] | None:
    """Read a call; None: it is none of a tool.

    Args:
        ends: marks behind a call, which may be there instead of its own end.

    Raises:
        IncompleteError: the text ends within the call.
        InvalidError: it is no call.
    """
    opened = _OPEN.match(reader.text, reader.at)
    if opened is None:
        raise IncompleteError if _MAYBE_OPEN.match(reader.text, reader.at) else InvalidError
    name = reader.tools.known(opened["name"])
    if name not in reader.tools.schemas:
        return None
    reader.at = opened.end()
    close = f"</{opened['prefix']}{opened['tag']}>"
    reader.skip_space()
    arguments: Any = {}
    if reader.next() == "{":
        arguments = reader.value()
        reader.skip_space()
    while not _is_closed(reader, close, ends, has_arguments=bool(arguments)):
        key, value = _parameter(reader, name, close, ends)
        arguments[key] = value
        reader.skip_space()
    call = reader.tools.call(name, arguments)
    return None if call is None else [call]


def _is_closed(reader: Reader, close: str, ends: tuple[str, ...], *, has_arguments: bool) -> bool:
    """Whether the call ends here. Its own end is read; a mark behind the call is left to the reader of the block."""
    begun = reader.at
    if has_arguments and _is_over(reader):
        return True
    found = reader.literal([close, *ends])
    if found != close:
        reader.at = begun
    return bool(found)


def _is_over(reader: Reader) -> bool:
    """Whether the answer ends here, without the end of the call."""
    return reader.is_final and reader.at == len(reader.text)


def _parameter(reader: Reader, name: str, close: str, ends: tuple[str, ...]) -> tuple[str, Any]:
    """Read a parameter."""
    text = reader.text
    opened = _PARAMETER.match(text, reader.at)
    if opened is None:
        raise IncompleteError if _MAYBE_OPEN.match(text, reader.at) else InvalidError
    tag = f"{opened['prefix']}{opened['tag']}"
    own, begins = f"</{tag}>", (f"<{tag}=", f"<{tag} name=")
    quoted = _CDATA_BEGIN.match(text, opened.end())
    place = opened.end() if quoted is None else text.find("]]>", quoted.end())
    unbalanced = -1
    if place < 0:
        raise IncompleteError
    while True:
        end = text.find(own, place)
        if end < 0:
            break
        reader.at = place = end + len(own)
        reader.skip_space()
        if _is_over(reader) or reader.literal([close, *ends, *begins]):
            n_opened = sum(text.count(begin, opened.end(), end) for begin in begins)
            if quoted is not None or n_opened <= text.count(own, opened.end(), end):
                return _value(reader, name, opened, end, place)
            unbalanced = end if unbalanced < 0 else unbalanced
    if not reader.is_final:
        raise IncompleteError
    missing = _missing_end(reader, name, opened, close)
    if missing >= 0 and (unbalanced < 0 or missing < unbalanced):
        return _value(reader, name, opened, missing, missing)
    if unbalanced < 0:
        raise IncompleteError
    return _value(reader, name, opened, unbalanced, unbalanced + len(own))


def _missing_end(reader: Reader, name: str, opened: re.Match[str], close: str) -> int:
    """Return where a parameter ends that the model did not close: before another parameter of the tool, or the end of
    the call; -1: nowhere."""
    places = [reader.text.find(close, opened.end())]
    known = reader.tools.properties(name)
    for found in _PARAMETER.finditer(reader.text, opened.end()):
        if found["key"] in known and found["key"] != opened["key"]:
            places.append(found.start())
            break
    return min((place for place in places if place >= 0), default=-1)


def _value(reader: Reader, name: str, opened: re.Match[str], end: int, behind: int) -> tuple[str, Any]:
    reader.at = behind
    text = reader.text[opened.end() : end]
    quoted = _CDATA.fullmatch(text)
    text = quoted[1] if quoted is not None else text.removeprefix("\n").removesuffix("\n")
    key: str = opened["key"]
    if opened["text"] is not None:
        return key, text if opened["text"] == "true" else literal(text)
    return key, reader.tools.typed(name, key, text)
