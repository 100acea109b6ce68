# SPDX-License-Identifier: MIT
"""The tools of requests to ``/v1/responses``: functions, custom tools, and namespaces of both, which the model sees as
functions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import openai_schema as openai
from pyhexagon.serve.apis.tools import functions
from pyhexagon.serve.http.schema import validated

_INPUT: Final = "input"  # name of a custom tool's text
_TEXT: Final[Mapping[str, Any]] = {
    "type": "object", "properties": {_INPUT: {"type": "string"}}, "required": [_INPUT],
}  # fmt: skip


class ResponseTool(openai.Function, kw_only=True):
    type: Literal["function", "custom"] = "function"
    description: str = ""


class Called(NamedTuple):
    """The tool that a call names.

    Attributes:
        name: as the client knows it.
        namespace: that has it; None: none.
        is_custom: whether its call has a text in place of arguments.
    """

    name: str
    namespace: str | None
    is_custom: bool


@dataclass(frozen=True)
class ResponseTools:
    """The tools of a request that the model may call.

    Attributes:
        definitions: for the chat template.
        called: the tools, by the names that the model knows.
    """

    definitions: Sequence[Record]
    called: Mapping[str, Called]

    def model_name(self, name: str, namespace: str | None) -> str:
        """Return the name that the model knows of a tool of an earlier call."""
        known = (own for own, tool in self.called.items() if (tool.name, tool.namespace) == (name, namespace))
        return next(known, name)


def tools_of(given: Sequence[Record] | None) -> ResponseTools:
    """Return the tools of a request. Tools of OpenAI's own servers are left out.

    A function of a namespace has its own name for the model, too, unless another tool has the same.

    Raises:
        ServeError: a function or a custom tool is invalid.
    """
    sent: list[tuple[str | None, Record]] = []  # with the namespace of each
    for tool in given or []:
        inner = tool.get("tools")
        if tool.get("type") == "namespace" and isinstance(inner, list):
            own = str(tool.get("name", ""))
            sent += [(own, each) for each in inner if isinstance(each, dict)]
        else:
            nested = tool.get("function")  # the form of chat completions
            sent.append((None, {"type": "function", **nested} if isinstance(nested, dict) else tool))
    kept = functions([tool for _, tool in sent], ("function", "custom"))
    namespaces = [namespace for namespace, tool in sent if any(tool is each for each in kept)]
    tools = validated(list[ResponseTool], kept, "tools")
    counts = Counter(tool.name for tool in tools)
    definitions, called = list[Record](), dict[str, Called]()
    for namespace, checked in zip(namespaces, tools, strict=True):
        is_custom, is_alone = checked.type == "custom", namespace is None or counts[checked.name] == 1
        name = checked.name if is_alone else f"{namespace}__{checked.name}"
        parameters = _TEXT if is_custom else checked.parameters
        function = {"name": name, "description": checked.description, "parameters": parameters}
        definitions.append({"type": "function", "function": function})
        called[name] = Called(checked.name, namespace, is_custom)
    return ResponseTools(definitions, called)


def arguments_of(text: str) -> str:
    """Return the arguments, as the model writes them, of a custom tool's call with a text."""
    return json.dumps({_INPUT: text}, ensure_ascii=False)


def text_of(arguments: str) -> str:
    """Return the text of a custom tool's call with these arguments."""
    return next((value for value in json.loads(arguments).values() if isinstance(value, str)), arguments)
