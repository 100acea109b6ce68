# SPDX-License-Identifier: MIT
"""The interface of response formats, and what they share: a completion's content, reasoning and tool calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from pyhexagon.llm import GenerationChunk, Tokenizer
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.chat.tool_calls import ToolCallParser
from pyhexagon.serve.apis.requests import ParsedRequest
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.json_responses import as_json

EVENT_STREAM: Final = "text/event-stream; charset=utf-8"
PING: Final = b": ping\n\n"  # a comment of an event stream


class AnswerShape(Protocol):
    """Builds the response to one request, in the format of its API.

    Attributes:
        media_type: of a stream.
        ping: what a stream says while a long prompt is computed, so that nobody takes it for dead; empty: nothing.
        first_token: when the scheduler made the first chunk, on the clock of ``time.monotonic``; 0 before that.
    """

    media_type: str
    ping: bytes
    first_token: float

    def begin(self, n_prompt: int) -> bytes:
        """Return what a stream begins with, for the number of prompt tokens."""

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        """Return what a stream says about new chunks of completion ``index``; empty if nothing."""

    def end(self, n_prompt: int, n_completion: int) -> bytes:
        """Return what a stream ends with, for the numbers of tokens."""

    def failed(self, error: ServeError) -> bytes:
        """Return what a stream ends with if the request fails."""

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], n_prompt: int, n_completion: int) -> Record:
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
