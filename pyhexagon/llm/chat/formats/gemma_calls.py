# SPDX-License-Identifier: MIT
"""Calls of Gemma 4: ``call:NAME{key:<|"|>text<|"|>,n:1}``."""

from __future__ import annotations

from pyhexagon.llm.chat.formats.reader import Reader
from pyhexagon.llm.chat.openai_format import Record

BEGIN = "call:"


def gemma_calls(reader: Reader) -> list[Record] | None:
    """Read a call whose ``BEGIN`` was read; None: it is none of a tool.

    Raises:
        IncompleteError, InvalidError: as of ``Reader.value``.
    """
    name = reader.name()
    if name not in reader.tools.schemas or reader.next() != "{":
        return None
    call = reader.tools.call(name, reader.value())
    return None if call is None else [call]
