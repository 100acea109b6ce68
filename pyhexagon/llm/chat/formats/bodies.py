# SPDX-License-Identifier: MIT
"""Read calls by the grammar that their text begins with. All grammars are read between all marks, since models mix
them: each says by its first characters which one it is."""

from __future__ import annotations

import re
from typing import Final

from pyhexagon.llm.chat.formats import tagged_calls
from pyhexagon.llm.chat.formats.calls import FIRST_KEYS, PREFIXES
from pyhexagon.llm.chat.formats.json_calls import json_calls
from pyhexagon.llm.chat.formats.literals import IncompleteError, InvalidError
from pyhexagon.llm.chat.formats.named_calls import GEMMA_BEGIN, gemma_calls, named_calls, python_list
from pyhexagon.llm.chat.formats.reader import Reader
from pyhexagon.llm.chat.formats.table import BY_BEGIN, ENDS, CallFormat
from pyhexagon.llm.chat.openai_format import Record

_NESTED: Final = 3  # marks within marks
_CLOSERS: Final = re.compile(r"[\s\])}`]*")
_LIST_OF_CALLS: Final = re.compile(r"\[\s*[A-Za-z_][\w.]*\s*\(")
_MAYBE_CALLS: Final = re.compile(r"\[\s*(?:[A-Za-z_][\w.]*\s*)?\Z")
_BEGINS: Final = tuple(sorted(BY_BEGIN, key=len, reverse=True))
_FIRST_KEY: Final = re.compile(r"""\s*\[?\s*\{\s*(?:["']([\w-]*)(["']?))?""")
_FIRST_NAME: Final = re.compile(r"\s*(?P<bracket>\[?)\s*(?P<name>[\w.:/-]*)")
_PRINT: Final = "print("
_BEFORE_NAME: Final = ("", *PREFIXES, GEMMA_BEGIN)
_AFTER_NAME: Final = ("<arg_key>", "[ARGS]", "[CALL_ID]")


def calls_of(reader: Reader, ends: tuple[str, ...] = ENDS, depth: int = 0) -> list[Record] | None:
    """Read the calls of one object, list, tag or line; None: there are none.

    Args:
        ends: marks that may follow.
        depth: number of marks around.

    Raises:
        IncompleteError: the text ends within them.
        InvalidError: they are none.
    """
    reader.skip_space()
    first = reader.next()
    if first in ("{", "["):
        marked = first == "[" and _marked(reader, depth)
        if marked:
            return marked
        if _LIST_OF_CALLS.match(reader.text, reader.at):
            return python_list(reader)
        if not reader.is_final and _MAYBE_CALLS.match(reader.text, reader.at):
            raise IncompleteError
        return json_calls(reader, ends)
    if first == "`":
        with reader.fenced():
            return calls_of(reader, ends, depth + 1) if depth < _NESTED else None
    if first == "<":
        begun = reader.at
        if reader.literal(tagged_calls.TAGGED):
            reader.at = begun
            return tagged_calls.tagged_calls(reader, ends)
        marked = _marked(reader, depth)
        if marked is not None:
            return marked
        return tagged_calls.tagged_calls(reader, ends)  # tags with a prefix
    if reader.literal([GEMMA_BEGIN]):
        return gemma_calls(reader)
    if reader.literal([_PRINT]):  # as Gemma's tool_code has it
        printed = named_calls(reader, ends)
        reader.skip_space()
        return printed if printed and reader.literal([")"]) else None
    return named_calls(reader, ends)


def _marked(reader: Reader, depth: int) -> list[Record] | None:
    begin = reader.literal(_BEGINS) if depth < _NESTED else ""
    return block(reader, BY_BEGIN[begin], depth + 1) if begin else None


def block(reader: Reader, row: CallFormat, depth: int = 0) -> list[Record] | None:
    """Read all calls behind a mark, and the mark behind them; None: there are none.

    Raises:
        IncompleteError: the text ends within them.
    """
    calls: list[Record] = []
    while True:
        behind = reader.at
        reader.skip_separators()
        if calls and (_ended(reader, row) or (not row.ends and reader.text.startswith(_BEGINS, reader.at))):
            return calls
        try:
            found = calls_of(reader, row.ends or ENDS, depth)
        except InvalidError:
            found = None
        except IncompleteError:
            if not reader.is_final:
                raise
            found = None
        if found is None:
            reader.at = behind
            return calls or None
        calls += found


def _ended(reader: Reader, row: CallFormat) -> bool:
    """Read the mark behind calls, with brackets that a model wrote too many of."""
    if not row.ends:
        return False
    if reader.at == len(reader.text) and not reader.is_final:
        raise IncompleteError
    begun = reader.at
    closers = _CLOSERS.match(reader.text, begun)
    reader.at = begun if closers is None else closers.end()
    if reader.literal(row.ends) or (reader.is_final and _is_cut(reader, row.ends)):
        return True
    reader.at = begun
    return False


def _is_cut(reader: Reader, ends: tuple[str, ...]) -> bool:
    """Whether the answer ends within a mark, which is then read."""
    rest = reader.text[reader.at :]
    if not any(end.startswith(rest) for end in ends):
        return False
    reader.at = len(reader.text)
    return True


def may_be_calls(reader: Reader, *, is_code: bool = False) -> bool:
    """Whether a text without marks may be calls, as far as it goes: JSON with the keys of a call, or the name of a tool
    and what follows one. The reader stays where it is.

    Args:
        is_code: it is marked as code that calls tools, so that they need no brackets around them.
    """
    text, names = reader.text, reader.tools.schemas
    key = _FIRST_KEY.match(text, reader.at)
    if key is not None:
        if key[2]:
            return key[1] in FIRST_KEYS or key[1] in names
        if key.end() < len(text):
            return False
        return any(known.startswith(key[1] or "") for known in (*FIRST_KEYS, *names))
    found = _FIRST_NAME.match(text, reader.at)
    if found is None:
        return False
    if is_code and _PRINT.startswith(text[found.start("name") :]):
        return True
    if is_code and text.startswith(_PRINT, found.start("name")):
        found = _FIRST_NAME.match(text, found.end("name") + 1) or found
    name, rest = found["name"], text[found.end("name") :]
    if not rest:  # the name may go on
        return any(f"{prefix}{known}".startswith(name) for known in names for prefix in _BEFORE_NAME)
    if not any(name == f"{prefix}{known}" for known in names for prefix in _BEFORE_NAME):
        return False
    if found["bracket"] or is_code:
        return rest.lstrip()[:1] in ("", "(")
    begun = rest.lstrip()
    if begun[:1] in ("{", "`"):
        return "\n" in rest or (name.startswith(GEMMA_BEGIN) and begun == rest)
    return any(begun.startswith(mark) or mark.startswith(begun) for mark in _AFTER_NAME)
