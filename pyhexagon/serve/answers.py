# SPDX-License-Identifier: MIT
"""Build OpenAI's response objects and stream chunks from generated chunks."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from math import isnan
from typing import Any, Protocol

from pyhexagon.llm import GenerationChunk, Tokenizer
from pyhexagon.serve.asked import Generating
from pyhexagon.serve.tools import Talk

Record = dict[str, Any]


def as_json(value: object) -> bytes:
    """Return JSON in UTF-8; a lone surrogate becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def usage(n_prompt: int, n_made: int) -> Record:
    """Return the "usage" object for the numbers of prompt and completion tokens."""
    return {"prompt_tokens": n_prompt, "completion_tokens": n_made, "total_tokens": n_prompt + n_made}


class AnswerShape(Protocol):
    """Builds the responses of one endpoint."""

    def first(self, index: int) -> Record | None:
        """Return the choice of the first stream chunk of a completion, or None."""

    def chunk(self, index: int, parts: Sequence[GenerationChunk]) -> Record | None:
        """Return the choice of a stream chunk for generated chunks; None if it would be empty."""

    def whole(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        """Return the choice of a complete response for all chunks of a completion."""

    def answer(self, choices: list[Record], *, is_chunk: bool = False) -> Record:
        """Some answers or parts of them."""


class _Shape:
    def __init__(self, asked: Generating, model: str, tokenizer: Tokenizer, prefix: str) -> None:
        self._asked, self._tokenizer = asked, tokenizer
        self._head = {"id": f"{prefix}-{uuid.uuid4().hex}", "created": int(time.time()), "model": model}

    def _name(self, token: int) -> str:
        return self._tokenizer.token_bytes(token, special=True).decode("utf-8", "replace")


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
        text, reason = _text(parts), parts[-1].finish_reason
        if not text and reason is None and self._asked.top_logprobs is None:
            return None
        return self._choice(index, text, parts, reason)

    def whole(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        return self._choice(index, self._before(index) + _text(parts), parts, parts[-1].finish_reason)

    def _before(self, index: int) -> str:
        if not self._asked.echo or self._asked.is_scored:
            return ""
        return self._tokenizer.decode(self._asked.prompts[index // self._asked.n])

    def _choice(self, index: int, text: str, parts: Sequence[GenerationChunk], reason: str | None) -> Record:
        logprobs = None if self._asked.top_logprobs is None else self._logprobs(index, parts)
        return {"index": index, "text": text, "logprobs": logprobs, "finish_reason": reason}

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


class ChatShape(_Shape):
    """The responses of ``/v1/chat/completions``."""

    def __init__(self, asked: Generating, model: str, tokenizer: Tokenizer) -> None:
        super().__init__(asked, model, tokenizer, "chatcmpl")
        self._talks: dict[int, Talk] = {}

    def answer(self, choices: list[Record], *, is_chunk: bool = False) -> Record:
        return self._head | {"object": f"chat.completion{'.chunk' if is_chunk else ''}", "choices": choices}

    def first(self, index: int) -> Record | None:
        return {"index": index, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}

    def chunk(self, index: int, parts: Sequence[GenerationChunk]) -> Record | None:
        reason: str | None = parts[-1].finish_reason
        logprobs = self._logprobs(parts)
        if not self._asked.tools:
            delta: Record = {"content": _text(parts)} if _text(parts) else {}
        else:
            talk = self._talks.setdefault(index, Talk(self._asked.tools, is_call=self._asked.is_forced))
            text = talk.add(_text(parts))
            calls: list[Record] = []
            if reason is not None:
                rest, calls = talk.rest()
                text += rest
            delta = {"content": text} if text else {}
            delta |= {"tool_calls": [call | {"index": at} for at, call in enumerate(calls)]} if calls else {}
            reason = "tool_calls" if calls else reason
        reasoning = _reasoning(parts)
        delta = {"reasoning_content": reasoning} | delta if reasoning else delta
        if not delta and reason is None and logprobs is None:
            return None
        return {"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": reason}

    def whole(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        message: Record = {"role": "assistant", "content": _text(parts)}
        reason: str | None = parts[-1].finish_reason
        if self._asked.tools:
            talk = Talk(self._asked.tools, is_call=self._asked.is_forced)
            text = talk.add(_text(parts))
            rest, calls = talk.rest()
            if calls:
                message, reason = message | {"content": text + rest or None, "tool_calls": calls}, "tool_calls"
        if reasoning := _reasoning(parts):
            message |= {"reasoning_content": reasoning}
        return {"index": index, "message": message, "logprobs": self._logprobs(parts), "finish_reason": reason}

    def _logprobs(self, parts: Sequence[GenerationChunk]) -> Record | None:
        if self._asked.top_logprobs is None:
            return None
        return {"content": [
            self._logprob(one.token, one.logprob) | {"top_logprobs": [self._logprob(*top) for top in one.top_logprobs]}
            for one in parts
        ]}  # fmt: skip

    def _logprob(self, token: int, logprob: float) -> Record:
        return {
            "token": self._name(token), "logprob": logprob,
            "bytes": list(self._tokenizer.token_bytes(token, special=True)),
        }  # fmt: skip


def _reasoning(parts: Sequence[GenerationChunk]) -> str:
    return "".join(part.reasoning for part in parts)


def _text(parts: Sequence[GenerationChunk]) -> str:
    return "".join(part.text for part in parts)
