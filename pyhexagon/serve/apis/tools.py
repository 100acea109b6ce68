# SPDX-License-Identifier: MIT
"""Tools of a request. If a call is required, a grammar restricts the completion to the JSON object of a call, so that
tool calls work with any model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyhexagon.serve.apis.openai_schema import CHOICES, ChatRequest, Tool
from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.schema import validated


@dataclass(frozen=True)
class Tools:
    """The tools of a request.

    Attributes:
        definitions: for the chat template; None: none.
        schemas: JSON schemas of the parameters of the tools that may be called, by name.
        forced: JSON schema of the completion if a call is required.
    """

    definitions: Sequence[dict[str, Any]] | None = None
    schemas: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    forced: dict[str, Any] | None = None


def tools_of(request: ChatRequest) -> Tools:
    """Return the tools of a request.

    Raises:
        ServeError: a tool is invalid, or there is no tool that must be called.
    """
    choice = request.tool_choice
    if not request.tools and choice in ("auto", "none"):
        return Tools()
    checked = validated(list[Tool], request.tools, "tools")
    schemas = {tool.function.name: tool.function.schema for tool in checked}
    if choice in ("auto", "none"):
        return Tools() if choice == "none" else Tools(request.tools, schemas)
    name = "" if isinstance(choice, str) else choice.function.name
    permitted = schemas if choice == "required" else {name: schemas[name]} if name in schemas else {}
    if not permitted:
        raise wrong(f"tool_choice: expected {CHOICES}", "tool_choice")
    calls = [
        {
            "type": "object", "properties": {"name": {"const": name}, "arguments": schema},
            "required": ["name", "arguments"], "additionalProperties": False,
        }
        for name, schema in permitted.items()
    ]  # fmt: skip
    return Tools(request.tools, schemas, {"anyOf": calls, "x-guidance": {"whitespace_flexible": False}})
