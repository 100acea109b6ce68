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
from pyhexagon.serve.http.schema import invalid, quoted, validated

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
    """Return the tools of a request. A choice of a tool that was left out is "auto".

    Raises:
        ServeError: a tool is invalid, or there is no tool that must be called.
    """
    if not request.tools and request.tool_choice in ("auto", "none"):
        return Tools()
    offered = functions([tool if "function" in tool else _nested(tool) for tool in request.tools])
    checked = validated(list[Tool], offered, "tools")
    schemas = {tool.function.name: tool.function.schema for tool in checked}
    mode, names = ("auto", None) if request.tool_choice == "auto" else _chosen(request.tool_choice)
    if mode == "required" and _is_left_out(request.tools, schemas, names):
        _LOG.warning("tool_choice is %s: the server has no such tool", quoted(request.tool_choice))
        mode, names = "auto", None
    permitted = schemas if names is None else {name: schemas[name] for name in names if name in schemas}
    if mode == "none" or (mode == "auto" and not schemas):
        return Tools()
    if not permitted:
        raise wrong(f"tool_choice: expected {CHOICES}", "tool_choice")
    if mode == "auto":
        return Tools(offered, permitted)
    calls = [
        {
            "type": "object", "properties": {"name": {"const": name}, "arguments": schema},
            "required": ["name", "arguments"], "additionalProperties": False,
        }
        for name, schema in permitted.items()
    ]  # fmt: skip
    return Tools(offered, schemas, lenient({"anyOf": calls, "x-guidance": {"whitespace_flexible": False}}))


def _nested(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a tool of the Responses API's form in the one of chat completions."""
    if not isinstance(tool.get("name"), str) or tool.get("type", "function") != "function":
        return tool
    return {"type": "function", "function": {name: value for name, value in tool.items() if name != "type"}}


def _is_left_out(
    tools: Sequence[Mapping[str, Any]], schemas: Mapping[str, Any], names: Sequence[str] | None
) -> bool:
    """Return whether a request has no functions, or chooses tools that are none, but tools of other servers."""
    left_out = {tool.get("name") for tool in tools if tool.get("type", "function") != "function"}
    return bool(left_out) and (not schemas if names is None else left_out.issuperset(names))


def _chosen(choice: str | Mapping[str, Any]) -> tuple[str, list[str] | None]:
    """Return none, auto or required, and the names of the tools that may be called; None: all.

    A tool is chosen in the form of chat completions or of the Responses API; "allowed_tools" are some of the tools, and
    a tool without a name is one of another server.

    Raises:
        ServeError: the choice is invalid.
    """
    if isinstance(choice, str):
        return "required" if choice == "any" else choice, None
    kind = choice.get("type", "function")
    if kind == "allowed_tools":
        inner = choice.get(kind, choice)
        allowed = inner.get("tools") if isinstance(inner, Mapping) else None
        if not isinstance(allowed, list) or inner.get("mode", "auto") not in ("auto", "required"):
            raise invalid("tool_choice", choice, CHOICES)
        return str(inner.get("mode", "auto")), [_name_of(tool) for tool in allowed]
    name = _name_of(choice)
    if name:
        return "required", [name]
    if kind in ("function", "custom", "tool") or not isinstance(kind, str):
        raise invalid("tool_choice", choice, CHOICES)
    _LOG.warning("tool_choice is %s: the server has no such tool", quoted(choice))
    return "auto", None


def _name_of(choice: Any) -> str:
    """Return the name of a chosen tool; empty if it has none."""
    inner = choice.get("function", choice) if isinstance(choice, Mapping) else None
    name = inner.get("name") if isinstance(inner, Mapping) else None
    return name if isinstance(name, str) else ""


def functions(tools: Sequence[Mapping[str, Any]], kinds: Sequence[str] = ("function",)) -> list[Any]:
    """Return the tools of these types; others are tools of other servers, such as a web search."""
    kept = [tool for tool in tools if tool.get("type", "function") in kinds]
    for tool in tools:
        if tool not in kept:
            _LOG.warning("the tool %s of the request is left out: the server has none", quoted(tool.get("type")))
    return kept
