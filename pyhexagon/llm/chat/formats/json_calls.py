# SPDX-License-Identifier: MIT
"""Calls that are JSON: ``{"name": ..., "arguments": {...}}`` or a list of them, as Hermes, Qwen, Llama 3, Granite,
Phi 4, Nemotron, Command R and many others write them; Apertus writes ``{NAME: {...}}``."""

from __future__ import annotations

from pyhexagon.llm.chat.formats.reader import Reader
from pyhexagon.llm.chat.openai_format import Record


def json_calls(reader: Reader, ends: tuple[str, ...]) -> list[Record] | None:
    """Read an object or a list; None: it describes no calls.

    Args:
        ends: marks that may follow, also where brackets are missing.

    Raises:
        IncompleteError, InvalidError: as of ``Reader.value``.
    """
    value = reader.value(ends=ends)
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):  # OpenAI's message
        value = value["tool_calls"]
    found = [reader.tools.of_object(part) for part in (value if isinstance(value, list) else [value])]
    calls = [call for call in found if call is not None]
    return calls if calls and len(calls) == len(found) else None
