# SPDX-License-Identifier: MIT
"""OpenAI's Responses API: ``/v1/responses``.

A request is translated into a chat completion. Responses are remembered in memory (response_store.py), so that a
request can continue one.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import openai_schema as openai
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.constraints import ResponseFormat
from pyhexagon.serve.apis.content import result_of, text_of, user_content
from pyhexagon.serve.apis.openapi import EVENTS, Operation, record
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.response_shape import ResponseShape
from pyhexagon.serve.apis.response_store import ResponseStore
from pyhexagon.serve.apis.response_tools import ResponseTool, ResponseTools, arguments_of, tools_of
from pyhexagon.serve.apis.sampling_fields import Limit, SamplingFields
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.shape import AnswerShape
from pyhexagon.serve.http.json_responses import HEADERS, JSON
from pyhexagon.serve.http.schema import Schema, invalid, items, quoted, validated, variant

_SAME: Final = ("stream", "seed", "parse_special", *SamplingFields.__struct_fields__)
_MOST_PAIRS: Final = 16  # of metadata; this and its lengths are OpenAI's
_LONGEST_KEY: Final = 64
_LONGEST_VALUE: Final = 512
_PAIRS: Final = f"at most {_MOST_PAIRS} texts of {_LONGEST_VALUE} characters, with names of {_LONGEST_KEY}"
_Metadata = Annotated[
    dict[Annotated[str, Meta(max_length=_LONGEST_KEY)], Annotated[str, Meta(max_length=_LONGEST_VALUE)]],
    Meta(max_length=_MOST_PAIRS, description=_PAIRS),
]


_LOG: Final = logging.getLogger("pyhexagon.serve")


class MessageItem(Schema, kw_only=True):
    role: openai.Role
    content: Annotated[openai.Parts, Meta(description="a text, or parts that are texts")] = ""


class FunctionCall(Schema, kw_only=True):
    name: str
    arguments: str | dict[str, Any] = ""
    call_id: str = ""
    namespace: str | None = None


class FunctionCallOutput(Schema, kw_only=True):
    call_id: str
    output: openai.Parts | dict[str, Any] = ""


class CustomToolCall(Schema, kw_only=True):
    name: str
    input: str
    call_id: str
    namespace: str | None = None


class ReasoningItem(Schema):
    content: Sequence[dict[str, Any]] = ()
    summary: Sequence[dict[str, Any]] = ()


_ITEMS: Final[Mapping[str, type[Schema]]] = {
    "message": MessageItem, "function_call": FunctionCall, "function_call_output": FunctionCallOutput,
    "custom_tool_call": CustomToolCall, "custom_tool_call_output": FunctionCallOutput, "reasoning": ReasoningItem,
}  # fmt: skip


class ResponseText(Schema):
    format: ResponseFormat | None = None


class Reasoning(Schema):
    effort: str | None = None


class ResponseRequest(SamplingFields, kw_only=True):
    """A request to ``/v1/responses``."""

    input: str | Annotated[list[dict[str, Any]], Meta(min_length=1, max_length=openai.MOST_MESSAGES)]
    instructions: str | None = None
    previous_response_id: str | None = None
    max_output_tokens: Limit | None = None
    seed: openai.Seed | None = None
    stream: bool = False
    parse_special: bool = False
    tools: Annotated[list[dict[str, Any]], Meta(max_length=128, extra_json_schema=items(ResponseTool))] | None = None
    tool_choice: openai.ToolChoice = "auto"
    reasoning: Reasoning | None = None
    text: dict[str, Any] | None = None
    metadata: _Metadata | None = None
    store: bool = True
    background: bool = False
    truncation: Literal["disabled", "auto"] = "disabled"


def generation(
    request: ResponseRequest, context: RequestContext, store: ResponseStore
) -> tuple[ParsedRequest, AnswerShape]:
    """Parse a request to ``/v1/responses``.

    Raises:
        ServeError: a field is invalid, or there is no such previous response.
    """
    if request.background:
        raise invalid("background", True, "false: responses are computed at once")
    previous = request.previous_response_id
    messages: list[Record] = [] if previous is None else store.messages(context.client, previous)
    tools = tools_of(request.tools)
    messages += _messages(request.input, tools, has_images=context.prompts.model.has_vision)
    # Instructions hold for one response: the next request brings its own.
    system = [] if request.instructions is None else [{"role": "system", "content": request.instructions}]
    form = None if request.text is None else validated(ResponseText, request.text, "text").format
    effort = None if request.reasoning is None else request.reasoning.effort
    same: Any = {name: getattr(request, name) for name in _SAME}
    chat = openai.ChatRequest(
        **same, messages=system + messages, max_tokens=request.max_output_tokens or -1, tools=tools.definitions,
        tool_choice=request.tool_choice, reasoning_effort=effort,
    )  # fmt: skip
    chat.response_format = form or chat.response_format
    parsed = requests.chat(chat, context.prompts)
    used = {**context.prompts.model.sampling_defaults, **chat.parameters()}
    echoed: Record = {
        "instructions": request.instructions, "max_output_tokens": request.max_output_tokens,
        "metadata": request.metadata or {}, "parallel_tool_calls": True, "previous_response_id": previous,
        "reasoning": {"effort": effort, "summary": None}, "store": request.store,
        "temperature": used["temperature"], "top_p": used["top_p"],
        "text": request.text or {"format": {"type": "text"}},
        "tool_choice": request.tool_choice, "tools": request.tools or [],
        "truncation": "disabled", "background": False,
    }  # fmt: skip
    return parsed, ResponseShape(parsed, context, echoed, messages, store=store, tools=tools)


def _messages(given: str | list[Record], tools: ResponseTools, *, has_images: bool) -> list[Record]:
    """Return the messages of a request's input; consecutive function calls are one message.

    Args:
        has_images: the model takes images.
    """
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    messages: list[Record] = []
    reasoning = ""  # of the assistant's message that follows
    for number, sent in enumerate(given):
        path, kind = f"input.{number}", sent.get("type") or "message"
        if isinstance(kind, str) and kind not in _ITEMS:
            _LOG.warning("%s is of the type %s, of which the server knows nothing: it is left out", path, quoted(kind))
            continue
        match variant(_ITEMS, sent, path, "message"):
            case MessageItem(role=role, content=content):
                content_of = user_content if has_images and role == "user" else text_of
                messages.append({"role": role, "content": content_of(content, f"{path}.content")})
            case FunctionCall() | CustomToolCall() as call:
                if not (messages and messages[-1]["role"] == "assistant"):
                    messages.append({"role": "assistant", "content": ""})
                arguments: Any = arguments_of(call.input) if isinstance(call, CustomToolCall) else call.arguments
                function = {"name": tools.model_name(call.name, call.namespace), "arguments": arguments}
                made = {"id": call.call_id or str(sent.get("id", "")), "type": "function", "function": function}
                messages[-1].setdefault("tool_calls", []).append(made)
            case FunctionCallOutput(call_id=call_id, output=output):
                content = result_of(output, f"{path}.output", has_images=has_images)
                messages.append({"role": "tool", "tool_call_id": call_id, "content": content})
            case ReasoningItem(content=content, summary=summary):
                reasoning = text_of(content or summary, path)
                continue
        if reasoning and messages and messages[-1]["role"] == "assistant":
            messages[-1].setdefault("reasoning_content", reasoning)
            reasoning = ""
    if not messages:
        raise invalid("input", given, "a text, or at least one message")
    return messages


def routes(service: ModelService) -> list[Operation]:
    """Return the routes."""
    store = ResponseStore()
    create = partial(service.generate, schema=ResponseRequest, read=partial(generation, store=store))

    async def count(request: Request) -> Response:
        def counted(body: ResponseRequest, context: RequestContext) -> int:
            return len(generation(body, context, store)[0].prompts[0])

        n_tokens = await service.of_model(request, ResponseRequest, counted)
        return JSON({"object": "response.input_tokens", "input_tokens": n_tokens})

    async def remembered(request: Request) -> Response:
        content = store.record(request.state.client, request.path_params["name"])
        return Response(content, headers=HEADERS, media_type=JSON.media_type)

    async def delete(request: Request) -> Response:
        name = request.path_params["name"]
        store.delete(request.state.client, name)
        return JSON({"id": name, "object": "response", "deleted": True})

    response = record("Response", id=str, object=str, status=str, model=str, output=list[dict[str, Any]])
    deleted = record("DeletedResponse", id=str, deleted=bool)
    return [
        Operation("/v1/responses", create, "Create a response.", response, request=ResponseRequest, stream=EVENTS),
        Operation(
            "/v1/responses/input_tokens", count, "Count the tokens of a request for a response.",
            record("ResponseInputTokens", object=str, input_tokens=int), request=ResponseRequest,
        ),
        Operation("/v1/responses/{name}", remembered, "Return a remembered response.", response),
        Operation("/v1/responses/{name}", delete, "Forget a response.", deleted, method="DELETE"),
    ]
