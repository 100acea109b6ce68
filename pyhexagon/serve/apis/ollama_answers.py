# SPDX-License-Identifier: MIT
"""Build the responses and the stream's lines of Ollama's API from generated chunks."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Final

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.shape import Delta, Turn, Usage
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.json_responses import as_json

NANOSECONDS: Final = 1_000_000_000


class OllamaShape:
    """The responses of ``/api/chat`` and ``/api/generate``.

    Args:
        content: the field of the completion, "message" or "response".
    """

    media_type = "application/x-ndjson"
    ping = b" "  # before the object of the next line

    def __init__(self, parsed: ParsedRequest, context: RequestContext, content: str) -> None:
        self._content, self._model, self._is_load = content, context.model, not parsed.prompts
        self._tokenizer = context.prompts.model.tokenizer if parsed.top_logprobs is not None else None
        is_unload = context.use is not None and not context.use.keep_alive
        self._turn = Turn(parsed)
        self._loading, self._reason = context.loading, "stop"
        self._began = time.monotonic() - context.loading
        if self._is_load:
            self._reason = "unload" if is_unload else "load"

    def begin(self, n_prompt: int) -> bytes:
        return b""

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        delta = self._add(parts)
        if not (delta.text or delta.reasoning or delta.tool_calls or self._tokenizer):
            return b""
        return _line(self._record(delta) | self._logprobs(parts) | {"done": False})

    def end(self, usage: Usage) -> bytes:
        return _line(self._record(Delta("", "", (), None)) | self._end(usage))

    def failed(self, error: ServeError) -> bytes:
        return _line(error.body("/api/"))

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], usage: Usage) -> Record:
        delta = Delta("", "", (), None) if self._is_load else self._add(parts[0])
        return self._record(delta) | (self._logprobs(parts[0]) if parts else {}) | self._end(usage)

    def _logprobs(self, parts: Sequence[GenerationChunk]) -> Record:
        if self._tokenizer is None:
            return {}
        return {"logprobs": openai_format.chat_logprobs(parts, self._tokenizer)["content"]}

    def _add(self, parts: Sequence[GenerationChunk]) -> Delta:
        delta = self._turn.add(parts)
        self._reason = "length" if delta.finish_reason == "length" else self._reason
        return delta

    def _record(self, delta: Delta) -> Record:
        head: Record = {"model": self._model, "created_at": time_of()}
        thinking = {"thinking": delta.reasoning} if delta.reasoning else {}
        if self._content == "response":
            return head | {"response": delta.text} | thinking
        calls = [
            {"function": {"name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}}
            for call in delta.tool_calls
        ]
        message = {"role": "assistant", "content": delta.text, **thinking, **({"tool_calls": calls} if calls else {})}
        return head | {"message": message}

    def _end(self, usage: Usage) -> Record:
        """Return the fields of the last line."""
        total, generation = time.monotonic() - self._began, usage.generation_seconds
        seconds = {
            "total_duration": total, "load_duration": self._loading,
            "prompt_eval_duration": total - self._loading - generation, "eval_duration": generation,
        }  # fmt: skip
        counts = {"prompt_eval_count": usage.prompt_tokens, "eval_count": usage.completion_tokens}
        durations = {name: int(value * NANOSECONDS) for name, value in seconds.items()}
        return {"done": True, "done_reason": self._reason} | counts | durations


def time_of(later: timedelta = timedelta()) -> str:
    """Return the time, now or later, as Ollama writes it."""
    return (datetime.now(timezone.utc) + later).isoformat()


def _line(record: Record) -> bytes:
    return as_json(record) + b"\n"
