# SPDX-License-Identifier: MIT
"""Tools of a request, and the parser of tool calls in a completion.

Models write a tool call in the Hermes format, ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``, or as a
completion that consists of such an object alone. If a call is required, a grammar restricts the completion to that
object, so that tool calls work with any model.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any, Final

from pyhexagon.llm.stopping import Stop
from pyhexagon.serve.errors import wrong
from pyhexagon.serve.fields import Fields

_BEGIN: Final = "<tool_call>"
_END: Final = "</tool_call>"
_MOST: Final = 128


@dataclass(frozen=True)
class Tools:
    """The tools of a request.

    Attributes:
        told: definitions for the chat template; None: none.
        names: names of the tools that may be called.
        forced: JSON schema of the completion if a call is required.
    """

    told: list[dict[str, Any]] | None = None
    names: frozenset[str] = frozenset()
    forced: dict[str, Any] | None = None


def tools_of(fields: Fields) -> Tools:
    """Return the tools of a request: its fields "tools" and "tool_choice".

    Raises:
        ServeError: a field is invalid.
    """
    given = fields.objects("tools", _MOST)
    schemas: dict[str, Any] = {}
    for one in fields.each("tools", _MOST):
        one.choice("type", "function")
        function = one.object("function")
        if function is None:
            raise one.wrong("function", "an object")
        parameters = function.object("parameters")
        schemas[function.text("name")] = {"type": "object"} if parameters is None else dict(parameters.values)
    choice = fields.get("tool_choice")
    if choice in (None, "auto", "none"):
        return Tools() if not given or choice == "none" else Tools(given, frozenset(schemas))
    if isinstance(choice, dict):
        function = Fields(choice, "tool_choice.").object("function")
        name = "" if function is None else function.text("name")
        wanted = {name: schemas[name]} if name in schemas else {}
    else:
        wanted = schemas if choice == "required" else {}
    if not wanted:
        raise wrong("tool_choice: expected none, auto, required, or a function of tools", "tool_choice")
    calls = [
        {
            "type": "object", "properties": {"name": {"const": name}, "arguments": schema},
            "required": ["name", "arguments"], "additionalProperties": False,
        }
        for name, schema in wanted.items()
    ]  # fmt: skip
    return Tools(given, frozenset(schemas), {"anyOf": calls, "x-guidance": {"whitespace_flexible": False}})


class Talk:
    """Split a completion into content and tool calls, incrementally.

    Args:
        names: names of the tools.
        is_call: whether the whole completion is a tool call.
    """

    def __init__(self, names: frozenset[str], *, is_call: bool) -> None:
        self._names, self._is_call = names, is_call
        self._stop = Stop(_BEGIN)
        self._text = ""
        self._n_told = 0
        self._said = ""

    def add(self, text: str) -> str:
        """Append text of the completion and return the content that is certain to be no tool call."""
        self._text += text
        if self._stop.is_found:
            return ""
        self._said += self._stop.add(text)
        if self._is_call or self._said.lstrip()[:1] in ("", "{"):
            return ""
        told, self._n_told = self._said[self._n_told :], len(self._said)
        return told

    def rest(self) -> tuple[str, list[dict[str, Any]]]:
        """Return the remaining content and the tool calls, at the end of the completion."""
        calls = []
        if self._stop.is_found:
            calls = [_call(part.partition(_END)[0], self._names) for part in self._text.split(_BEGIN)[1:]]
        elif not self._n_told:
            calls = [_call(self._text, self._names)]
        found = [call for call in calls if call is not None]
        if len(found) == len(calls) and found:
            return ("" if self._is_call or not self._stop.is_found else self._said[self._n_told :]), found
        return self._text[self._n_told :], []  # an invalid call is content


def _call(text: str, names: frozenset[str]) -> dict[str, Any] | None:
    try:
        call = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(call, dict) or call.get("name") not in names:
        return None
    arguments = call.get("arguments", call.get("parameters", {}))
    function = {"name": call["name"], "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": f"call_{uuid.uuid4().hex[:24]}", "type": "function", "function": function}
