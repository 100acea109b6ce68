# SPDX-License-Identifier: MIT
"""Anthropic's Messages API: ``/v1/messages`` and ``/v1/messages/count_tokens``.

A request is translated into one of OpenAI's chat completions.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import openai_schema as openai
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.constraints import ResponseFormat
from pyhexagon.serve.apis.content import result_of, text_of
from pyhexagon.serve.apis.openapi import EVENTS, Operation, record
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.sampling_fields import SamplingFields
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.shape import EVENT_STREAM, AnswerShape, Delta, Turn, Usage, event, matched_stop
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.json_responses import JSON
from pyhexagon.serve.http.schema import Schema, invalid, variant

_CHOICES: Final[Mapping[str, Any]] = {"any": "required", "none": "none", "auto": "auto"}
_REASONS: Final = {"length": "max_tokens", "tool_calls": "tool_use", "stop": "end_turn"}
_SAME: Final = ("stream", *SamplingFields.__struct_fields__)


class TextBlock(Schema, kw_only=True):
    text: str


class ToolUse(Schema, kw_only=True):
    id: str
    name: str
    input: Any = None


class ToolResult(Schema, kw_only=True):
    tool_use_id: str
    content: openai.Parts | dict[str, Any] = ""
    is_error: bool = False


class ThinkingBlock(Schema):
    thinking: str = ""


_ANY_ROLE: Final[Mapping[str, type[Schema]]] = {
    "text": TextBlock,
    "thinking": ThinkingBlock,
    "redacted_thinking": Schema,
}
_BLOCKS: Final[Mapping[str, Mapping[str, type[Schema]]]] = {
    "user": {**_ANY_ROLE, "tool_result": ToolResult}, "assistant": {**_ANY_ROLE, "tool_use": ToolUse},
}  # fmt: skip


class AnthropicMessage(Schema):
    role: Literal["user", "assistant", "system"] = "user"
    content: str | Annotated[list[dict[str, Any]], Meta(max_length=openai.MOST_MESSAGES)] = ""


class AnthropicTool(Schema, kw_only=True):
    type: str = "custom"
    name: str = ""
    description: str = ""
    input_schema: dict[str, Any] | None = None


class AnthropicToolChoice(Schema):
    type: Literal["auto", "any", "tool", "none"] = "auto"
    name: str = ""


class ThinkingChoice(Schema):
    type: Literal["disabled", "enabled", "adaptive"] = "disabled"
    budget_tokens: openai.Budget | None = None


class OutputFormat(ResponseFormat):
    type: Literal["json_schema"] = "json_schema"


class OutputConfig(Schema):
    effort: str | None = None
    format: OutputFormat | None = None


class CountRequest(SamplingFields, kw_only=True):
    """A request to ``/v1/messages/count_tokens``."""

    messages: Annotated[list[AnthropicMessage], Meta(max_length=openai.MOST_MESSAGES)]
    system: openai.Parts | None = None
    tools: Annotated[Sequence[AnthropicTool], Meta(max_length=128)] = ()
    tool_choice: AnthropicToolChoice | None = None
    thinking: ThinkingChoice | None = None
    output_config: OutputConfig | None = None
    output_format: OutputFormat | None = None  # before output_config had it
    stop_sequences: openai.Stops = ()
    stream: bool = False
    max_tokens: Annotated[int, Meta(ge=1, le=openai.MOST_TOKENS)] | None = None


class MessageRequest(CountRequest, kw_only=True):
    """A request to ``/v1/messages``."""

    max_tokens: Annotated[int, Meta(ge=1, le=openai.MOST_TOKENS)]


def generation(request: CountRequest, context: RequestContext) -> tuple[ParsedRequest, AnswerShape]:
    """Parse a request to ``/v1/messages``.

    Raises:
        ServeError: a field is invalid.
    """
    parsed = _parsed(request, context)
    return parsed, MessageShape(parsed, context)


def _parsed(request: CountRequest, context: RequestContext) -> ParsedRequest:
    messages: list[Record] = []
    if request.system is not None:
        messages.append({"role": "system", "content": text_of(request.system, "system")})
    for number, message in enumerate(request.messages):
        messages += _translated(message, f"messages.{number}.content", has_images=context.prompts.model.has_vision)
    prefill = ""
    if messages and messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls"):
        prefill = messages.pop()["content"]
    same: Any = {name: getattr(request, name) for name in _SAME}
    chat = openai.ChatRequest(
        **same, messages=messages, max_tokens=request.max_tokens or -1, stop=request.stop_sequences,
        tools=list(map(_tool, request.tools)), tool_choice=_tool_choice(request),
    )  # fmt: skip
    thinking = request.thinking or ThinkingChoice()  # Claude Code switches it off by leaving it out
    is_on = thinking.type != "disabled"
    chat.chat_template_kwargs = {"enable_thinking": is_on}
    chat.thinking_budget_tokens = thinking.budget_tokens if is_on else None
    config = request.output_config or OutputConfig()
    chat.reasoning_effort = config.effort
    chat.response_format = config.format or request.output_format or chat.response_format
    return requests.chat(chat, context.prompts, prefill)


def _translated(message: AnthropicMessage, path: str, *, has_images: bool) -> list[Record]:
    """Return a message as one or more of OpenAI's: tool results are messages there.

    Args:
        has_images: the model takes images.
    """
    if isinstance(message.content, str):
        return [{"role": message.role, "content": message.content}]
    text, thoughts, calls, results = "", "", list[Record](), list[Record]()
    parts: list[Record] = []  # with images
    for number, sent in enumerate(message.content):
        where = f"{path}.{number}"
        kinds = _BLOCKS.get(message.role, _ANY_ROLE)
        if has_images and sent.get("type") == "image":
            parts += [{"type": "text", "text": text}] if text else []
            text = ""
            parts.append(sent)
            continue
        if sent.get("type") not in kinds and isinstance(sent.get("type"), str):
            text += text_of([sent], where)
            continue
        match variant(kinds, sent, where):
            case TextBlock(text=more):
                text += more
            case ThinkingBlock(thinking=more):
                thoughts += more
            case ToolUse() as use:
                function = {"name": use.name, "arguments": json.dumps(use.input or {}, ensure_ascii=False)}
                calls.append({"id": use.id, "type": "function", "function": function})
            case ToolResult() as result:
                told = result_of(result.content, where, has_images=has_images)
                told = _failed(told) if result.is_error else told
                results.append({"role": "tool", "tool_call_id": result.tool_use_id, "content": told})
    if message.role == "assistant":
        further: Record = {"tool_calls": calls, "reasoning_content": thoughts}
        return [{"role": "assistant", "content": text} | {name: value for name, value in further.items() if value}]
    if parts:
        parts += [{"type": "text", "text": text}] if text else []
        return [*results, {"role": message.role, "content": parts}]
    return results + ([{"role": message.role, "content": text}] if text or not results else [])


def _failed(content: str | list[Any]) -> str | list[Any]:
    """Return the content of a tool's result that begins with "Error": templates have no other place for it."""
    if isinstance(content, list):
        return [{"type": "text", "text": "Error: "}, *content]
    return content if content.lower().startswith("error") else f"Error: {content}"


def _tool(tool: AnthropicTool) -> Record:
    """Return a tool of OpenAI's form; one of Anthropic's own keeps its type and its name."""
    if tool.type != "custom":
        return {"type": tool.type, "name": tool.name}
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def _tool_choice(request: CountRequest) -> Any:
    choice = request.tool_choice
    if choice is None or choice.type != "tool":
        return None if choice is None else _CHOICES[choice.type]
    if not choice.name:
        raise invalid("tool_choice.name", choice.name, "the name of a tool")
    return {"name": choice.name}


def routes(service: ModelService) -> list[Operation]:
    """Return the routes."""
    messages = partial(service.generate, schema=MessageRequest, read=generation)

    async def count_tokens(request: Request) -> Response:
        def count(body: CountRequest, context: RequestContext) -> int:
            return len(_parsed(body, context).prompts[0])

        return JSON({"input_tokens": await service.of_model(request, CountRequest, count)})

    message = record(
        "AnthropicResponse", id=str, type=str, role=str, content=list[dict[str, Any]], stop_reason=str,
        usage=dict[str, int],
    )  # fmt: skip
    return [
        Operation(
            "/v1/messages", messages, "Create a message (Anthropic's API).", message, request=MessageRequest,
            stream=EVENTS,
        ),
        Operation(
            "/v1/messages/count_tokens", count_tokens, "Count the tokens of a prompt (Anthropic's API).",
            record("TokenCount", input_tokens=int), request=CountRequest,
        ),
    ]  # fmt: skip


def _event(kind: str, record: Record) -> bytes:
    return event({"type": kind, **record}, kind)


_PING: Final = _event("ping", {})


class MessageShape:
    """The responses of ``/v1/messages``: content blocks of the types thinking, text and tool_use."""

    media_type = EVENT_STREAM
    ping = _PING

    def __init__(self, parsed: ParsedRequest, context: RequestContext) -> None:
        self._parsed, self._tokenizer = parsed, context.prompts.model.tokenizer
        self._head: Record = {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant"}
        self._head["model"] = context.model
        self._turn = Turn(parsed)
        self._parts: list[GenerationChunk] = []
        self._open, self._n_blocks, self._reason = "", 0, "stop"

    def begin(self, n_prompt: int) -> bytes:
        usage = Usage(n_prompt, 0).anthropic()  # what the cache had is known at the end only
        message = self._head | {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        return _event("message_start", {"message": message})

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        self._parts += parts
        delta = self._turn.add(parts)
        self._reason = delta.finish_reason or self._reason
        events = self._delta("thinking", delta.reasoning) + self._delta("text", delta.text)
        for block in _tool_blocks(delta):
            events += self._closed() + self._begun({**block, "input": {}}, "tool_use")
            json_delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"], ensure_ascii=False)}
            events += _event("content_block_delta", {"index": self._n_blocks - 1, "delta": json_delta})
        return events

    def end(self, usage: Usage) -> bytes:
        delta = self._end(self._reason, self._parts)
        ended = _event("message_delta", {"delta": delta, "usage": usage.anthropic()})
        return self._closed() + ended + _event("message_stop", {})

    def failed(self, error: ServeError) -> bytes:
        return event(error.body("/v1/messages"), "error")

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], usage: Usage) -> Record:
        (made,) = parts
        delta = self._turn.add(made)
        blocks: list[Record] = []
        if delta.reasoning:
            blocks.append({"type": "thinking", "thinking": delta.reasoning, "signature": ""})
        if delta.text:
            blocks.append({"type": "text", "text": delta.text})
        end = self._end(delta.finish_reason or "stop", made)
        return self._head | {"content": blocks + _tool_blocks(delta), **end, "usage": usage.anthropic()}

    def _end(self, reason: str, parts: Sequence[GenerationChunk]) -> Record:
        stop = matched_stop(self._parsed, parts, self._tokenizer)
        return {"stop_reason": "stop_sequence" if stop else _REASONS[reason], "stop_sequence": stop}

    def _delta(self, kind: str, text: str) -> bytes:
        """Return the events that add text to a block, which they open if necessary."""
        if not text:
            return b""
        events = b""
        if self._open != kind:
            empty = {"signature": ""} if kind == "thinking" else {}
            events = self._closed() + self._begun({"type": kind, kind: "", **empty}, kind)
        delta = {"type": f"{kind}_delta", kind: text}
        return events + _event("content_block_delta", {"index": self._n_blocks - 1, "delta": delta})

    def _begun(self, block: Record, kind: str) -> bytes:
        self._open, self._n_blocks = kind, self._n_blocks + 1
        return _event("content_block_start", {"index": self._n_blocks - 1, "content_block": block})

    def _closed(self) -> bytes:
        if not self._open:
            return b""
        self._open = ""
        return _event("content_block_stop", {"index": self._n_blocks - 1})


def _tool_blocks(delta: Delta) -> list[Record]:
    return [
        {
            "type": "tool_use", "id": call["id"].replace("call_", "toolu_"), "name": call["function"]["name"],
            "input": json.loads(call["function"]["arguments"]),
        }
        for call in delta.tool_calls
    ]  # fmt: skip
