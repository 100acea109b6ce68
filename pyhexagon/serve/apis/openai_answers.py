# SPDX-License-Identifier: MIT
"""Build the responses and stream chunks of OpenAI's completions and chat completions from generated chunks."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import isnan
from typing import Final

from pyhexagon.llm import GenerationChunk, Tokenizer
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.openai_schema import ChatRequest, CompletionRequest
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.shape import EVENT_STREAM, PING, AnswerShape, Turn, Usage, event
from pyhexagon.serve.http.errors import ServeError

_DONE: Final = b"data: [DONE]\n\n"


def completion(request: CompletionRequest, context: RequestContext) -> tuple[ParsedRequest, AnswerShape]:
    """Parse a request to ``/v1/completions``."""
    parsed = requests.completion(request, context.prompts)
    return parsed, CompletionShape(parsed, context.model, context.prompts.model.tokenizer)


def chat(request: ChatRequest, context: RequestContext) -> tuple[ParsedRequest, AnswerShape]:
    """Parse a request to ``/v1/chat/completions``."""
    parsed = requests.chat(request, context.prompts)
    return parsed, ChatShape(parsed, context.model, context.prompts.model.tokenizer)


class _OpenAIShape(ABC):
    media_type = EVENT_STREAM
    ping = PING

    def __init__(self, parsed: ParsedRequest, model: str, tokenizer: Tokenizer, prefix: str) -> None:
        self._parsed, self._tokenizer = parsed, tokenizer
        self._head = openai_format.head(f"{prefix}-{uuid.uuid4().hex}", model)
        self._begun: set[int] = set()

    def begin(self, n_prompt: int) -> bytes:
        return b""

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        choices = [] if index in self._begun else [self._first(index)]
        self._begun.add(index)
        choices.append(self._chunk(index, parts))
        events = b""
        for choice in choices:
            if choice is not None:
                events += event(self._answer([choice], is_chunk=True))
        return events

    def end(self, usage: Usage) -> bytes:
        last = self._answer([], is_chunk=True) | usage.openai()
        events = event(last) if self._parsed.has_usage else b""
        return events + _DONE

    def failed(self, error: ServeError) -> bytes:
        return event(error.body()) + _DONE

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], usage: Usage) -> Record:
        choices = [self._whole(index, made) for index, made in enumerate(parts)]
        return self._answer(choices) | usage.openai()

    @abstractmethod
    def _answer(self, choices: list[Record], *, is_chunk: bool = False) -> Record:
        """Return the response, or a stream chunk of it, that contains these choices."""

    @abstractmethod
    def _first(self, index: int) -> Record | None:
        """Return the choice of the first stream chunk of a completion, or None."""

    @abstractmethod
    def _chunk(self, index: int, parts: Sequence[GenerationChunk]) -> Record | None:
        """Return the choice of a stream chunk for generated chunks; None if it would be empty."""

    @abstractmethod
    def _whole(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        """Return the choice of a complete response for all chunks of a completion."""


class CompletionShape(_OpenAIShape):
    """The responses of ``/v1/completions``."""

    def __init__(self, parsed: ParsedRequest, model: str, tokenizer: Tokenizer) -> None:
        super().__init__(parsed, model, tokenizer, "cmpl")
        self._offsets = [0] * (len(parsed.prompts) * parsed.n)

    def _answer(self, choices: list[Record], *, is_chunk: bool = False) -> Record:
        return self._head | {"object": "text_completion", "choices": choices}

    def _first(self, index: int) -> Record | None:
        before = self._before(index)
        return self._choice(index, before, [], None) if before else None

    def _chunk(self, index: int, parts: Sequence[GenerationChunk]) -> Record | None:
        text, reason = openai_format.text(parts), parts[-1].finish_reason
        if not text and reason is None and self._parsed.top_logprobs is None:
            return None
        return self._choice(index, text, parts, reason)

    def _whole(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        text = self._before(index) + openai_format.text(parts)
        return self._choice(index, text, parts, parts[-1].finish_reason)

    def _before(self, index: int) -> str:
        if not self._parsed.echo or self._parsed.is_scored:
            return ""
        return self._tokenizer.decode(self._parsed.prompts[index // self._parsed.n])

    def _choice(self, index: int, text: str, parts: Sequence[GenerationChunk], reason: str | None) -> Record:
        logprobs = None if self._parsed.top_logprobs is None else self._logprobs(index, parts)
        return openai_format.choice(index, {"text": text}, logprobs, reason)

    def _logprobs(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        offsets = []
        for part in parts:
            offsets.append(self._offsets[index])
            self._offsets[index] += len(part.text)
        return {
            "tokens": [self._name(part.token) for part in parts],
            "token_logprobs": [None if isnan(part.logprob) else part.logprob for part in parts],
            "top_logprobs": [
                None if isnan(part.logprob) else {self._name(token): value for token, value in part.top_logprobs}
                for part in parts
            ],
            "text_offset": offsets,
        }

    def _name(self, token: int) -> str:
        return self._tokenizer.token_bytes(token, special=True).decode("utf-8", "replace")


class ChatShape(_OpenAIShape):
    """The responses of ``/v1/chat/completions``."""

    def __init__(self, parsed: ParsedRequest, model: str, tokenizer: Tokenizer) -> None:
        super().__init__(parsed, model, tokenizer, "chatcmpl")
        self._turns: dict[int, Turn] = {}

    def _answer(self, choices: list[Record], *, is_chunk: bool = False) -> Record:
        return self._head | {"object": f"chat.completion{'.chunk' if is_chunk else ''}", "choices": choices}

    def _first(self, index: int) -> Record | None:
        return openai_format.delta_choice(index, {"role": "assistant", "content": ""}, None)

    def _chunk(self, index: int, parts: Sequence[GenerationChunk]) -> Record | None:
        turn = self._turns.get(index)
        if turn is None:
            turn = self._turns[index] = Turn(self._parsed)
        added, logprobs = turn.add(parts), self._logprobs(parts)
        delta = openai_format.delta(added.text, added.reasoning, added.tool_calls, added.first_call)
        if not delta and added.finish_reason is None and logprobs is None:
            return None
        return openai_format.choice(index, {"delta": delta}, logprobs, added.finish_reason)

    def _whole(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        added = Turn(self._parsed).add(parts)
        content = added.text or None if added.tool_calls else added.text
        message = openai_format.message(content, added.reasoning, added.tool_calls)
        return openai_format.choice(index, {"message": message}, self._logprobs(parts), added.finish_reason)

    def _logprobs(self, parts: Sequence[GenerationChunk]) -> Record | None:
        if self._parsed.top_logprobs is None:
            return None
        return openai_format.chat_logprobs(parts, self._tokenizer)
