# SPDX-License-Identifier: MIT
"""Tools: what a client says a model may call, and the calls in what it says.

Models write a call as the Hermes template has it, ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``, or as
an answer that is nothing but such an object. One that must call is held to that object by a grammar, so that any model
can.
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
    """Attributes:
    told: what the template is given; None: nothing.
    names: of those that may be called.
    forced: the schema of an answer that must be a call.
    """

    told: list[dict[str, Any]] | None = None
    names: frozenset[str] = frozenset()
    forced: dict[str, Any] | None = None


def tools_of(fields: Fields) -> Tools:
    """Those of a request.

    Raises:
        ServeError: they are wrong.
    """
    given = fields.objects("tools", _MOST)
    schemas: dict[str, Any] = {}
    for number, tool in enumerate(given):
        one = Fields(tool, f"tools.{number}.")
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
    """An answer, cut into what is said and what is called.

    Args:
        names: of tools.
        is_call: whether all of it is a call.
    """

    def __init__(self, names: frozenset[str], *, is_call: bool) -> None:
        self._names, self._is_call = names, is_call
        self._stop = Stop(_BEGIN)
        self._text = ""
        self._n_told = 0
        self._said = ""

    def add(self, text: str) -> str:
        """What of it is certainly said."""
        self._text += text
        if self._stop.is_there:
            return ""
        self._said += self._stop.add(text)
        if self._is_call or self._said.lstrip()[:1] in ("", "{"):
            return ""
        told, self._n_told = self._said[self._n_told :], len(self._said)
        return told

    def rest(self) -> tuple[str, list[dict[str, Any]]]:
        """At the end: what more was said, and the calls."""
        calls = []
        if self._stop.is_there:
            calls = [_call(part.partition(_END)[0], self._names) for part in self._text.split(_BEGIN)[1:]]
        elif not self._n_told:
            calls = [_call(self._text, self._names)]
        found = [call for call in calls if call is not None]
        if len(found) == len(calls) and found:
            return ("" if self._is_call or not self._stop.is_there else self._said[self._n_told :]), found
        return self._text[self._n_told :], []  # what only looked like a call was said


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
