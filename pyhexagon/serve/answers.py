# SPDX-License-Identifier: MIT
"""Build the responses and stream chunks of the HTTP routes from generated chunks, in OpenAI's format."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from math import isnan
from typing import Protocol

from pyhexagon.llm import GenerationChunk, Tokenizer, openai_format
from pyhexagon.llm.openai_format import Record
from pyhexagon.serve.asked import Generating
from pyhexagon.serve.tools import Talk


def as_json(value: object) -> bytes:
    """Return JSON in UTF-8; a lone surrogate becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class AnswerShape(Protocol):
    """Builds the responses of one endpoint."""

    def first(self, index: int) -> Record | None:
        """Return the choice of the first stream chunk of a completion, or None."""

    def chunk(self, index: int, parts: Sequence[GenerationChunk]) -> Record | None:
        """Return the choice of a stream chunk for generated chunks; None if it would be empty."""

    def whole(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        """Return the choice of a complete response for all chunks of a completion."""

    def answer(self, choices: list[Record], *, is_chunk: bool = False) -> Record:
        """Return the response, or a stream chunk of it, that contains these choices."""


class _Shape:
    def __init__(self, asked: Generating, model: str, tokenizer: Tokenizer, prefix: str) -> None:
        self._asked, self._tokenizer = asked, tokenizer
        self._head = openai_format.head(f"{prefix}-{uuid.uuid4().hex}", model)


class CompletionShape(_Shape):
    """The responses of ``/v1/completions``."""

    def __init__(self, asked: Generating, model: str, tokenizer: Tokenizer) -> None:
        super().__init__(asked, model, tokenizer, "cmpl")
        self._offsets = [0] * (len(asked.prompts) * asked.n)

    def answer(self, choices: list[Record], *, is_chunk: bool = False) -> Record:
        return self._head | {"object": "text_completion", "choices": choices}

    def first(self, index: int) -> Record | None:
        before = self._before(index)
        return self._choice(index, before, [], None) if before else None

    def chunk(self, index: int, parts: Sequence[GenerationChunk]) -> Record | None:
        text, reason = openai_format.text(parts), parts[-1].finish_reason
        if not text and reason is None and self._asked.top_logprobs is None:
            return None
        return self._choice(index, text, parts, reason)

    def whole(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        text = self._before(index) + openai_format.text(parts)
        return self._choice(index, text, parts, parts[-1].finish_reason)

    def _before(self, index: int) -> str:
        if not self._asked.echo or self._asked.is_scored:
            return ""
        return self._tokenizer.decode(self._asked.prompts[index // self._asked.n])

    def _choice(self, index: int, text: str, parts: Sequence[GenerationChunk], reason: str | None) -> Record:
        logprobs = None if self._asked.top_logprobs is None else self._logprobs(index, parts)
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
                None if isnan(part.logprob) else {self._name(one): value for one, value in part.top_logprobs}
                for part in parts
            ],
            "text_offset": offsets,
        }

    def _name(self, token: int) -> str:
        return self._tokenizer.token_bytes(token, special=True).decode("utf-8", "replace")


class ChatShape(_Shape):
    """The responses of ``/v1/chat/completions``."""

    def __init__(self, asked: Generating, model: str, tokenizer: Tokenizer) -> None:
        super().__init__(asked, model, tokenizer, "chatcmpl")
        self._talks: dict[int, Talk] = {}

    def answer(self, choices: list[Record], *, is_chunk: bool = False) -> Record:
        return self._head | {"object": f"chat.completion{'.chunk' if is_chunk else ''}", "choices": choices}

    def first(self, index: int) -> Record | None:
        return openai_format.delta_choice(index, {"role": "assistant", "content": ""}, None)

    def chunk(self, index: int, parts: Sequence[GenerationChunk]) -> Record | None:
        text, reason = openai_format.text(parts), parts[-1].finish_reason
        logprobs, calls = self._logprobs(parts), list[Record]()
        if self._asked.tools:
            talk = self._talks.setdefault(index, self._talk())
            text = talk.add(text)
            if reason is not None:
                rest, calls = talk.rest()
                text += rest
        delta = openai_format.delta(text, openai_format.reasoning(parts), calls)
        if not delta and reason is None and logprobs is None:
            return None
        return openai_format.choice(index, {"delta": delta}, logprobs, "tool_calls" if calls else reason)

    def whole(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        content: str | None = openai_format.text(parts)
        calls: list[Record] = []
        if self._asked.tools:
            talk = self._talk()
            text = talk.add(openai_format.text(parts))
            rest, calls = talk.rest()
            content = text + rest or None if calls else content
        message = openai_format.message(content, openai_format.reasoning(parts), calls)
        reason = "tool_calls" if calls else parts[-1].finish_reason
        return openai_format.choice(index, {"message": message}, self._logprobs(parts), reason)

    def _talk(self) -> Talk:
        return Talk(self._asked.tools, is_call=self._asked.is_forced)

    def _logprobs(self, parts: Sequence[GenerationChunk]) -> Record | None:
        if self._asked.top_logprobs is None:
            return None
        return openai_format.chat_logprobs(parts, self._tokenizer)
