# SPDX-License-Identifier: MIT
"""Calls of Python's functions: ``[read(path="a", n=1), list()]`` as Llama 3.2, Llama 4 and LFM2 write them, or calls
without brackets, as Gemma 3's ``tool_code`` and MiniCPM."""

from __future__ import annotations

import re
from typing import Any, Final

from pyhexagon.llm.chat.formats.literals import IncompleteError, InvalidError
from pyhexagon.llm.chat.formats.reader import Reader
from pyhexagon.llm.chat.openai_format import Record

_KEYWORD: Final = re.compile(r"([A-Za-z_]\w*)\s*=(?=[^=])")
_MAYBE_KEYWORD: Final = re.compile(r"[A-Za-z_]\w*\s*=?\Z")


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
