# SPDX-License-Identifier: MIT
"""OpenAI's Responses API: ``/v1/responses``.

A request is translated into a chat completion, which ``asked.chat`` parses and validates. Responses are remembered in
memory (response_store.py), so that a request can continue one.
"""

from __future__ import annotations

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.requests import Asking, Generating
from pyhexagon.serve.apis.response_shape import ResponseShape
from pyhexagon.serve.apis.response_store import ResponseStore
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.shape import AnswerShape
from pyhexagon.serve.http.fields import Fields
from pyhexagon.serve.http.json_responses import HEADERS, JSON

_MOST: Final = 4096  # items, or parts of one
_MOST_TOOLS: Final = 128
_MOST_PAIRS: Final = 16  # of metadata; this and its lengths are OpenAI's
_LONGEST_KEY: Final = 64
_LONGEST_VALUE: Final = 512
_SAME: Final = ("temperature", "top_p", "stream", "seed", "top_k", "min_p", "parse_special")
_TEXTS: Final = ("input_text", "output_text", "text", None)


def generation(fields: Fields, asking: Asking, store: ResponseStore) -> tuple[Generating, AnswerShape]:
    """Parse a request to ``/v1/responses``.

    Raises:
        ServeError: a field is invalid, or there is no such previous response.
    """
    if fields.flag("background"):
        raise fields.wrong("background", "false: responses are computed at once")
    fields.choice("truncation", "disabled")
    messages: list[Record] = []
    previous = fields.get("previous_response_id")
    if previous is not None:
        messages += store.messages(asking.client, fields.text("previous_response_id"))
    messages += _messages(fields)
    # Instructions hold for one response: the next request brings its own.
    told = [] if fields.get("instructions") is None else [{"role": "system", "content": fields.text("instructions")}]
    chat: dict[str, Any] = {name: fields.get(name) for name in _SAME}
    chat |= {"messages": told + messages, "max_tokens": fields.get("max_output_tokens")}
    chat |= {"tools": _tools(fields), "tool_choice": _tool_choice(fields), "response_format": _format(fields)}
    if (reasoning := fields.object("reasoning")) is not None:
        chat["reasoning_effort"] = reasoning.get("effort")
    asked = requests.chat(Fields(chat), asking.prompts)
    echoed: Record = {
        "instructions": fields.get("instructions"), "max_output_tokens": fields.get("max_output_tokens"),
        "metadata": _metadata(fields), "parallel_tool_calls": True, "previous_response_id": previous,
        "reasoning": {"effort": chat.get("reasoning_effort"), "summary": None}, "store": fields.flag("store", True),
        "temperature": asked.sampling["temperature"], "text": fields.get("text") or {"format": {"type": "text"}},
        "tool_choice": fields.get("tool_choice") or "auto", "tools": fields.get("tools") or [],
        "top_p": asked.sampling["top_p"], "truncation": "disabled", "background": False,
    }  # fmt: skip
    return asked, ResponseShape(asked, asking, echoed, messages, store)


def _messages(fields: Fields) -> list[Record]:
    """Return the messages of a request's input; consecutive function calls are one message."""
    if isinstance(fields.get("input"), str):
        return [{"role": "user", "content": fields.text("input")}]
    messages: list[Record] = []
    for item in fields.each("input", _MOST):
        kind = item.text("type", "message")
        if kind == "message":
            messages.append({"role": item.text("role"), "content": item.text_parts("content", *_TEXTS)})
        elif kind == "function_call":
            function = {"name": item.text("name"), "arguments": item.text("arguments")}
            call = {"id": item.text("call_id"), "type": "function", "function": function}
            if not (messages and messages[-1]["role"] == "assistant"):
                messages.append({"role": "assistant", "content": ""})
            messages[-1].setdefault("tool_calls", []).append(call)
        elif kind == "function_call_output":
            content = item.text_parts("output", *_TEXTS)
            messages.append({"role": "tool", "tool_call_id": item.text("call_id"), "content": content})
        elif kind != "reasoning":  # templates drop the reasoning of earlier messages
            raise item.wrong("type", "message, function_call, function_call_output or reasoning")
    if not messages:
        raise fields.wrong("input", "a text, or at least one message")
    return messages


def _tools(fields: Fields) -> list[Record]:
    tools = []
    for tool in fields.each("tools", _MOST_TOOLS):
        tool.choice("type", "function")
        function = {"name": tool.text("name"), "description": tool.text("description", "")}
        tools.append({"type": "function", "function": function | {"parameters": tool.get("parameters")}})
    return tools


def _tool_choice(fields: Fields) -> Any:
    choice = fields.get("tool_choice")
    if not isinstance(choice, dict):
        return choice
    one = Fields(choice, "tool_choice.")
    one.choice("type", "function")
    return {"type": "function", "function": {"name": one.text("name")}}


def _metadata(fields: Fields) -> Record:
    """Return the pairs of texts that a response repeats."""
    metadata = fields.object("metadata")
    pairs: Record = {} if metadata is None else dict(metadata.values)
    is_short = all(
        len(key) <= _LONGEST_KEY and isinstance(value, str) and len(value) <= _LONGEST_VALUE
        for key, value in pairs.items()
    )
    if len(pairs) > _MOST_PAIRS or not is_short:
        expected = f"at most {_MOST_PAIRS} texts of {_LONGEST_VALUE} characters, with names of {_LONGEST_KEY}"
        raise fields.wrong("metadata", expected)
    return pairs


def _format(fields: Fields) -> Record | None:
    text = fields.object("text")
    form = None if text is None else text.object("format")
    if form is None:
        return None
    kind = form.choice("type", "text", "json_object", "json_schema")
    return {"type": kind} | ({"json_schema": {"schema": form.get("schema")}} if kind == "json_schema" else {})


def routes(service: ModelService) -> list[Route]:
    """Return the routes."""
    store = ResponseStore()

    async def create(request: Request) -> Response:
        return await service.generate(request, lambda fields, asking: generation(fields, asking, store))

    async def one(request: Request) -> Response:
        client, name = request.state.client, request.path_params["name"]
        if request.method == "DELETE":
            store.delete(client, name)
            return JSON({"id": name, "object": "response", "deleted": True})
        return Response(store.record(client, name), headers=HEADERS, media_type=JSON.media_type)

    return [
        Route("/v1/responses", create, methods=["POST"]),
        Route("/v1/responses/{name}", one, methods=["GET", "DELETE"]),
    ]
