# SPDX-License-Identifier: MIT
"""Tools of a request. If a call is required, a grammar restricts the completion to the JSON object of a call, so that
tool calls work with any model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.fields import Fields

_MOST: Final = 128


@dataclass(frozen=True)
class Tools:
    """The tools of a request.

    Attributes:
        told: definitions for the chat template; None: none.
        schemas: JSON schemas of the parameters of the tools that may be called, by name.
        forced: JSON schema of the completion if a call is required.
    """

    told: list[dict[str, Any]] | None = None
    schemas: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    forced: dict[str, Any] | None = None


def tools_of(fields: Fields) -> Tools:
    """Return the tools of a request: its fields "tools" and "tool_choice".

    Raises:
        ServeError: a field is invalid.
    """
    given = fields.objects("tools", _MOST)
    schemas: dict[str, dict[str, Any]] = {}
    for one in fields.each("tools", _MOST):
        one.choice("type", "function")
        function = one.object("function")
        if function is None:
            raise one.wrong("function", "an object")
        parameters = function.object("parameters")
        schemas[function.text("name")] = {"type": "object"} if parameters is None else dict(parameters.values)
    choice = fields.get("tool_choice")
    if choice in (None, "auto", "none"):
        return Tools() if not given or choice == "none" else Tools(given, schemas)
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
    return Tools(given, schemas, {"anyOf": calls, "x-guidance": {"whitespace_flexible": False}})
