# SPDX-License-Identifier: MIT
"""The interface of response formats, and what they share: a completion's content, reasoning and tool calls; what a
request took: tokens and times."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from pyhexagon.llm import GenerationChunk, Tokenizer
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.chat.tool_calls import ToolCallParser
from pyhexagon.llm.engine.request import Request
from pyhexagon.serve.apis.requests import ParsedRequest
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.json_responses import as_json

EVENT_STREAM: Final = "text/event-stream; charset=utf-8"
PING: Final = b": ping\n\n"  # a comment of an event stream


@dataclass(frozen=True)
class Usage:
    """Tokens and times of a request.

    Attributes:
        prompt_tokens, completion_tokens: of all prompts and completions.
        cached_tokens: of the prompts, those whose keys and values the KV cache had.
        prompt_seconds, generation_seconds: until the first token, from when a request began to run; and of the others.
        draft_n, draft_n_accepted: number of draft tokens, and of accepted ones.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    prompt_seconds: float = 0.0
    generation_seconds: float = 0.0
    draft_n: int = 0
    draft_n_accepted: int = 0

    def openai(self) -> Record:
        """Return the objects "usage" of OpenAI's completions and "timings" of llama-server."""
        usage: Record = {
            "prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": self.cached_tokens},
        }  # fmt: skip
        return {"usage": usage, "timings": self.timings()}

    def responses(self, reasoning_tokens: int) -> Record:
        """Return the object "usage" of OpenAI's Responses API."""
        return {
            "input_tokens": self.prompt_tokens, "input_tokens_details": {"cached_tokens": self.cached_tokens},
            "output_tokens": self.completion_tokens, "output_tokens_details": {"reasoning_tokens": reasoning_tokens},
            "total_tokens": self.prompt_tokens + self.completion_tokens,
        }  # fmt: skip

    def anthropic(self) -> Record:
        """Return the object "usage" of Anthropic's API, in which input_tokens are those that no cache had."""
        return {
            "input_tokens": self.prompt_tokens - self.cached_tokens, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self.cached_tokens, "output_tokens": self.completion_tokens,
        }  # fmt: skip

    def timings(self) -> Record:
        """Return llama-server's object "timings", whose prompt_n are the prompt tokens that were computed."""
        timings: Record = {"cache_n": self.cached_tokens}
        for name, n, seconds in (
            ("prompt", self.prompt_tokens - self.cached_tokens, self.prompt_seconds),
            ("predicted", self.completion_tokens, self.generation_seconds),
        ):
            timings |= {
                f"{name}_n": n, f"{name}_ms": 1e3 * seconds, f"{name}_per_token_ms": 1e3 * seconds / n if n else 0.0,
                f"{name}_per_second": n / seconds if seconds else 0.0,
            }  # fmt: skip
        drafts = {"draft_n": self.draft_n, "draft_n_accepted": self.draft_n_accepted}
        return timings | (drafts if self.draft_n else {})


class Tally:
    """Counts the tokens of a request while they come.

    Args:
        parsed: the request.
        requests: the engine's, one for each completion.
    """

    def __init__(self, parsed: ParsedRequest, requests: Sequence[Request]) -> None:
        self._parsed, self._requests, self._is_scored = parsed, requests, parsed.is_scored
        self._begun: set[int] = set()
        self._n_made = self._n_cached = self._n_drafted = self._n_accepted = 0
        self._first = 0.0

    @property
    def prompt_tokens(self) -> int:
        """The number of tokens of all prompts."""
        return sum(map(len, self._parsed.prompts))

    def add(self, index: int, parts: Sequence[GenerationChunk]) -> None:
        """Count new chunks of completion ``index``."""
        self._n_made += len(parts)
        if index not in self._begun:
            self._begun.add(index)
            self._first = self._first or self._requests[index].first_output
            if not index % self._parsed.n and not self._is_scored:  # others of a prompt share its cache
                self._n_cached += parts[0].cached_tokens
        for part in parts:
            self._n_drafted += part.draft_n
            self._n_accepted += part.from_draft

    def usage(self) -> Usage:
        """Return what the request has taken up to now."""
        n_prompt, now = sum(map(len, self._parsed.prompts)), time.monotonic()
        n_scored = n_prompt * self._parsed.n if self._is_scored else 0
        first = self._first or now
        began = first
        if self._requests:
            began = self._requests[0].started or self._requests[0].arrival
        return Usage(
            n_prompt, self._n_made - n_scored, self._n_cached, max(0.0, first - began), now - first,
            self._n_drafted, self._n_accepted,
        )  # fmt: skip


class AnswerShape(Protocol):
    """Builds the response to one request, in the format of its API.

    Attributes:
        media_type: of a stream.
        ping: what a stream says while a long prompt is computed, so that nobody takes it for dead; clients
            ignore it between events.
    """

    media_type: str
    ping: bytes

    def begin(self, n_prompt: int) -> bytes:
        """Return what a stream begins with, for the number of prompt tokens."""

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        """Return what a stream says about new chunks of completion ``index``; empty if nothing."""

    def end(self, usage: Usage) -> bytes:
        """Return what a stream ends with."""

    def failed(self, error: ServeError) -> bytes:
        """Return what a stream ends with if the request fails."""

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], usage: Usage) -> Record:
        """Return the response without a stream, for all chunks of each completion."""


@dataclass(frozen=True)
class Delta:
    """What new chunks add to the assistant's message.

    Attributes:
        text: of the content.
        reasoning: of the reasoning content.
        tool_calls: OpenAI's objects of calls that are complete.
        finish_reason: of the last chunk, "stop", "length" or "tool_calls"; before it None.
        first_call: number of tool calls before these.
    """

    text: str
    reasoning: str
    tool_calls: Sequence[Record]
    finish_reason: str | None
    first_call: int = 0


class Turn:
    """The assistant's message of one completion, while it is generated."""

    def __init__(self, parsed: ParsedRequest) -> None:
        self._parser = ToolCallParser(parsed.tools, is_call=parsed.is_forced) if parsed.tools else None
        self._n_calls = 0

    def add(self, parts: Sequence[GenerationChunk]) -> Delta:
        """Return what these chunks, at least one, add to the message."""
        text, reason = openai_format.text(parts), parts[-1].finish_reason
        calls: list[Record] = []
        first_call = self._n_calls
        if self._parser is not None:
            text = self._parser.add(text)
            calls = self._parser.complete()
            if reason is not None:
                rest, more = self._parser.rest()
                text, calls = text + rest, calls + more
            self._n_calls += len(calls)
        ended = "tool_calls" if reason is not None and self._n_calls else reason
        return Delta(text, openai_format.reasoning(parts), calls, ended, first_call)


def matched_stop(parsed: ParsedRequest, parts: Sequence[GenerationChunk], tokenizer: Tokenizer) -> str | None:
    """Return the stop sequence of the request that ended a completion; None if something else did."""
    if not parts or parts[-1].finish_reason != "stop" or parts[-1].token in tokenizer.ends:
        return None
    text = tokenizer.decode([part.token for part in parts])
    found = [(text.find(stop), stop) for stop in parsed.sampling.get("stop", ()) if stop in text]
    return min(found)[1] if found else None


def event(record: Record, name: str = "") -> bytes:
    """Return a server-sent event."""
    return (f"event: {name}\n".encode() if name else b"") + b"data: " + as_json(record) + b"\n\n"
