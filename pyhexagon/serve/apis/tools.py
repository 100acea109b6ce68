# SPDX-License-Identifier: MIT
"""Tools of a request. If a call is required, a grammar restricts the completion to the JSON object of a call, so that
tool calls work with any model."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pyhexagon.serve.apis.constraints import lenient
from pyhexagon.serve.apis.openai_schema import CHOICES, ChatRequest, Tool
from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.schema import quoted, validated

_LOG: Final = logging.getLogger("pyhexagon.serve")


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
    offered = functions(request.tools)
    checked = validated(list[Tool], offered, "tools")
    schemas = {tool.function.name: tool.function.schema for tool in checked}
    if choice in ("auto", "none"):
        return Tools() if choice == "none" or not schemas else Tools(offered, schemas)
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
    return Tools(offered, schemas, lenient({"anyOf": calls, "x-guidance": {"whitespace_flexible": False}}))


def functions(tools: Sequence[Mapping[str, Any]], kinds: Sequence[str] = ("function",)) -> list[Any]:
    """Return the tools of these types; others are tools of other servers, such as a web search."""
    kept = [tool for tool in tools if tool.get("type", "function") in kinds]
    for tool in tools:
        if tool not in kept:
            _LOG.warning("the tool %s of the request is left out: the server has none", quoted(tool.get("type")))
    return kept
