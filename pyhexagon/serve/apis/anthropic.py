# SPDX-License-Identifier: MIT
"""Anthropic's Messages API: ``/v1/messages`` and ``/v1/messages/count_tokens``.

A request is translated into one of OpenAI's chat completions, which ``asked.chat`` parses and validates.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.requests import Asking, Generating
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.shape import EVENT_STREAM, AnswerShape, Said, Turn, event, matched_stop
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.fields import Fields
from pyhexagon.serve.http.json_responses import JSON
from pyhexagon.serve.models.prompts import Prompts

_MOST: Final = 4096  # messages, or blocks of one
_MOST_TOOLS: Final = 128
_CHOICES: Final = {"any": "required", "none": "none", "auto": "auto"}
_REASONS: Final = {"length": "max_tokens", "tool_calls": "tool_use", "stop": "end_turn"}
_SAME: Final = ("temperature", "top_p", "top_k", "stream")


def generation(fields: Fields, asking: Asking) -> tuple[Generating, AnswerShape]:
    """Parse a request to ``/v1/messages``.

    Raises:
        ServeError: a field is invalid.
    """
    fields.whole("max_tokens", 0, 1, 1 << 30)
    if fields.get("max_tokens") is None:
        raise fields.wrong("max_tokens", "a whole number from 1")
    asked = requests.chat(*_as_chat(fields, asking.prompts))
    return asked, MessageShape(asked, asking)


def routes(service: ModelService) -> list[Route]:
    """Return the routes."""

    async def messages(request: Request) -> Response:
        return await service.generate(request, generation)

    async def count_tokens(request: Request) -> Response:
        def count(fields: Fields, asking: Asking) -> int:
            return len(requests.chat(*_as_chat(fields, asking.prompts)).prompts[0])

        return JSON({"input_tokens": await service.of_model(request, count)})

    return [
        Route("/v1/messages", messages, methods=["POST"]),
        Route("/v1/messages/count_tokens", count_tokens, methods=["POST"]),
    ]


def _as_chat(fields: Fields, prompts: Prompts) -> tuple[Fields, Prompts, str]:
    """Return the arguments of ``asked.chat``: the fields of the same chat completion, and the message's beginning."""
    messages: list[Record] = []
    if fields.get("system") is not None:
        messages.append({"role": "system", "content": fields.text_parts("system", "text")})
    for message in fields.each("messages", _MOST):
        messages += _translated(message)
    prefill = ""
    if messages and messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls"):
        prefill = messages.pop()["content"]
    chat: dict[str, Any] = {name: fields.get(name) for name in _SAME}
    chat |= {"messages": messages, "max_tokens": fields.get("max_tokens"), "stop": fields.get("stop_sequences")}
    chat |= {"tools": _tools(fields), "tool_choice": _tool_choice(fields)}
    if (thinking := fields.object("thinking")) is not None:
        is_on = thinking.choice("type", "disabled", "enabled", "adaptive") != "disabled"
        chat["chat_template_kwargs"] = {"enable_thinking": is_on}
    if (config := fields.object("output_config")) is not None:
        chat["reasoning_effort"] = config.get("effort")
        if (form := config.object("format")) is not None:
            form.choice("type", "json_schema")
            chat["response_format"] = {"type": "json_schema", "json_schema": {"schema": form.get("schema")}}
    return Fields(chat), prompts, prefill


def _translated(message: Fields) -> list[Record]:
    """Return a message as one or more of OpenAI's: tool results are messages there."""
    role = message.choice("role", "user", "assistant")
    content = message.get("content")
    if isinstance(content, str):
        return [{"role": role, "content": content}]
    texts, calls, results = list[str](), list[Record](), list[Record]()
    for one in message.each("content", _MOST):
        kind = one.text("type")
        if kind == "text":
            texts.append(one.text("text"))
        elif kind == "tool_use" and role == "assistant":
            function = {"name": one.text("name"), "arguments": json.dumps(one.get("input") or {}, ensure_ascii=False)}
            calls.append({"id": one.text("id"), "type": "function", "function": function})
        elif kind == "tool_result" and role == "user":
            told = "" if one.get("content") is None else one.text_parts("content", "text")
            results.append({"role": "tool", "tool_call_id": one.text("tool_use_id"), "content": told})
        elif kind not in ("thinking", "redacted_thinking"):  # templates drop the reasoning of earlier messages
            raise one.wrong("type", "text, tool_use or tool_result: the model reads text only")
    text = "".join(texts)
    if role == "assistant":
        return [{"role": role, "content": text} | ({"tool_calls": calls} if calls else {})]
    return results + ([{"role": role, "content": text}] if text or not results else [])


def _tools(fields: Fields) -> list[Record]:
    tools = []
    for tool in fields.each("tools", _MOST_TOOLS):
        tool.choice("type", "custom")
        function = {"name": tool.text("name"), "description": tool.text("description", "")}
        tools.append({"type": "function", "function": function | {"parameters": tool.get("input_schema")}})
    return tools


def _tool_choice(fields: Fields) -> Any:
    choice = fields.object("tool_choice")
    if choice is None:
        return None
    kind = choice.choice("type", "auto", "any", "tool", "none")
    return {"type": "function", "function": {"name": choice.text("name")}} if kind == "tool" else _CHOICES[kind]


class MessageShape:
    """The responses of ``/v1/messages``: content blocks of the types thinking, text and tool_use."""

    media_type = EVENT_STREAM
    first_token = 0.0

    def __init__(self, asked: Generating, asking: Asking) -> None:
        self._asked, self._tokenizer = asked, asking.prompts.model.tokenizer
        self._head: Record = {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant"}
        self._head["model"] = asking.model
        self._turn = Turn(asked)
        self._parts: list[GenerationChunk] = []
        self._open, self._n_blocks, self._reason = "", 0, "stop"

    def begin(self, n_prompt: int) -> bytes:
        usage = {"input_tokens": n_prompt, "output_tokens": 0}
        message = self._head | {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        return _event("message_start", {"message": message})

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        self._parts += parts
        said = self._turn.add(parts)
        self._reason = said.finish_reason or self._reason
        told = self._delta("thinking", said.reasoning) + self._delta("text", said.text)
        for block in _tool_blocks(said):
            told += self._closed() + self._begun({**block, "input": {}}, "tool_use")
            json_delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"], ensure_ascii=False)}
            told += _event("content_block_delta", {"index": self._n_blocks - 1, "delta": json_delta})
        return told

    def end(self, n_prompt: int, n_completion: int) -> bytes:
        delta = self._end(self._reason, self._parts)
        usage = {"input_tokens": n_prompt, "output_tokens": n_completion}
        return self._closed() + _event("message_delta", {"delta": delta, "usage": usage}) + _event("message_stop", {})

    def failed(self, error: ServeError) -> bytes:
        return event(error.body("/v1/messages"), "error")

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], n_prompt: int, n_completion: int) -> Record:
        (made,) = parts
        said = self._turn.add(made)
        blocks: list[Record] = []
        if said.reasoning:
            blocks.append({"type": "thinking", "thinking": said.reasoning, "signature": ""})
        if said.text:
            blocks.append({"type": "text", "text": said.text})
        usage = {"input_tokens": n_prompt, "output_tokens": n_completion}
        end = self._end(said.finish_reason or "stop", made)
        return self._head | {"content": blocks + _tool_blocks(said), **end, "usage": usage}

    def _end(self, reason: str, parts: Sequence[GenerationChunk]) -> Record:
        stop = matched_stop(self._asked, parts, self._tokenizer)
        return {"stop_reason": "stop_sequence" if stop else _REASONS[reason], "stop_sequence": stop}

    def _delta(self, kind: str, text: str) -> bytes:
        """Return the events that add text to a block, which they open if necessary."""
        if not text:
            return b""
        told = b""
        if self._open != kind:
            empty = {"signature": ""} if kind == "thinking" else {}
            told = self._closed() + self._begun({"type": kind, kind: "", **empty}, kind)
        delta = {"type": f"{kind}_delta", kind: text}
        return told + _event("content_block_delta", {"index": self._n_blocks - 1, "delta": delta})

    def _begun(self, block: Record, kind: str) -> bytes:
        self._open, self._n_blocks = kind, self._n_blocks + 1
        return _event("content_block_start", {"index": self._n_blocks - 1, "content_block": block})

    def _closed(self) -> bytes:
        if not self._open:
            return b""
        self._open = ""
        return _event("content_block_stop", {"index": self._n_blocks - 1})


def _tool_blocks(said: Said) -> list[Record]:
    return [
        {
            "type": "tool_use", "id": call["id"].replace("call_", "toolu_"), "name": call["function"]["name"],
            "input": json.loads(call["function"]["arguments"]),
        }
        for call in said.tool_calls
    ]  # fmt: skip


def _event(kind: str, record: Record) -> bytes:
    return event({"type": kind, **record}, kind)
