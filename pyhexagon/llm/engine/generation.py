# SPDX-License-Identifier: MIT
"""The result of a request: a stream of chunks, or a whole generation."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from pyhexagon.llm.engine.forward import MAX_BATCH_TOKENS, ForwardPass
from pyhexagon.llm.engine.request import GenerationRequest, RunningRequests

FinishReason = Literal["stop", "length"]


@dataclass(frozen=True)
class GenerationChunk:
    """One token's addition to a completion.

    Attributes:
        text: that the token completes, in whole characters. A character that max_tokens cuts is missing here; its bytes
            are in the tokens.
        token: its id.
        logprob: log-probability of the token in the model's own distribution, before processors and temperature.
        finish_reason: of the last chunk, "stop" (a token or a stop sequence ended the completion) or "length"; of all
            others None.
        from_draft: it is an accepted draft token.
        draft_n: number of draft tokens in the forward pass whose first token this is; 0 for its other tokens.
        top_logprobs: the most probable tokens in its place with their log-probabilities, as many as were asked for.
        reasoning: of the model before its answer, where ``stream`` parses it.
    """

    text: str
    token: int
    logprob: float
    finish_reason: FinishReason | None
    from_draft: bool = False
    draft_n: int = 0
    top_logprobs: tuple[tuple[int, float], ...] = ()
    reasoning: str = ""


Steps = Iterator["ForwardPass | GenerationChunk"]  # the forward passes that a request needs, and the chunks they give


class ReasoningDelta(NamedTuple):
    """The text that a token adds to the content and to the reasoning content."""

    content: str = ""
    reasoning: str = ""


class ReasoningParser(Protocol):
    """Splits a completion into reasoning and content, token by token."""

    @property
    def is_reasoning(self) -> bool:
        """Whether the next token belongs to the reasoning."""

    def closing(self) -> list[int]:
        """Return the tokens that end reasoning before its time."""

    def final(self) -> list[int]:
        """End reasoning that the prompt opens, for completions with a grammar, and return the tokens that do it."""

    def add(self, token: int, text: str) -> ReasoningDelta:
        """Process a token of the completion; ``text`` has the characters that it completes."""

    def rest(self, text: str) -> ReasoningDelta:
        """Finish; ``text`` has the characters left by the last tokens."""


@dataclass(frozen=True)
class Generation:
    """A whole completion; ``str`` of it is the text.

    Attributes:
        text: of the completion.
        prompt_tokens, tokens: ids of the prompt and of the completion, its end-of-text token included.
        logprobs: of the tokens.
        finish_reason: as of ``GenerationChunk``.
        prompt_seconds: time to first token.
        generation_seconds: time of all other tokens.
        draft_n, draft_n_accepted: number of draft tokens, and of accepted ones.
        reasoning: as of ``GenerationChunk``.
    """

    text: str
    prompt_tokens: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish_reason: FinishReason
    prompt_seconds: float
    generation_seconds: float
    draft_n: int = 0
    draft_n_accepted: int = 0
    reasoning: str = ""

    def __str__(self) -> str:
        return self.text


class Stream:
    """An iterator of chunks. Each step is computed when its chunk is asked for.

    Attributes:
        steps: for ``GenerationRequest``, instead of iterating.
    """

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self._forward: ForwardPass | None = None
        self._n_chunks = 0
        self._state = "not started"

    def __iter__(self) -> Iterator[GenerationChunk]:
        return self

    def __next__(self) -> GenerationChunk:
        while True:
            forward = self._forward
            if forward is not None and forward.engine is not None:
                forward.engine.finish(forward)  # if the device fails here, the next call tries again
                self._forward = None
            try:
                one = next(self.steps)
            except BaseException as problem:
                self._state = "ended" if isinstance(problem, StopIteration) else "failed"
                raise
            if not isinstance(one, ForwardPass):
                self._n_chunks += 1
                self._state = one.finish_reason or "running"
                return one
            self._forward = one

    def close(self) -> None:
        """End the request."""
        self._forward, self._state = None, "closed"
        if isinstance(self.steps, Generator):
            self.steps.close()

    def __repr__(self) -> str:
        return f"<Stream {self._state}, {self._n_chunks} chunks>"


class _Collector:
    """Joins the chunks of a completion, and takes the time."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids = tuple(ids)
        self._start = self._now = time.perf_counter()
        self._first = 0.0
        self._chunks: list[GenerationChunk] = []

    def add(self, chunk: GenerationChunk) -> None:
        """Add the next chunk."""
        self._chunks.append(chunk)
        self._now = time.perf_counter()
        self._first = self._first or self._now - self._start

    def generation(self) -> Generation:
        """Return the whole completion."""
        chunks = self._chunks
        return Generation(
            text="".join(one.text for one in chunks),
            prompt_tokens=self._ids,
            tokens=tuple(one.token for one in chunks),
            logprobs=tuple(one.logprob for one in chunks),
            finish_reason=(chunks[-1].finish_reason if chunks else None) or "length",
            prompt_seconds=self._first,
            generation_seconds=self._now - self._start - self._first,
            draft_n=sum(one.draft_n for one in chunks),
            draft_n_accepted=sum(one.from_draft for one in chunks),
            reasoning="".join(one.reasoning for one in chunks),
        )


def collect(ids: Sequence[int], chunks: Iterable[GenerationChunk]) -> Generation:
    """Return the whole completion of a prompt.

    Args:
        ids: of the prompt.
        chunks: of the completion.
    """
    collector = _Collector(ids)
    for chunk in chunks:
        collector.add(chunk)
    return collector.generation()


def collect_all(prompts: Sequence[Sequence[int]], steps: Sequence[Steps]) -> list[Generation]:
    """Return the completions of several prompts, which share messages, as many at a time as a message holds.

    Args:
        prompts: their ids.
        steps: of each completion.
    """
    running = RunningRequests[GenerationChunk]()
    collectors = {GenerationRequest(one): _Collector(ids) for ids, one in zip(prompts, steps, strict=True)}
    waiting = deque(collectors)
    try:
        while waiting or running.requests:
            while waiting and len(running.requests) < MAX_BATCH_TOKENS:
                running.add_request(waiting.popleft())
            for request in running.step():
                if request.error is not None:
                    raise request.error
                for chunk in request.take():
                    collectors[request].add(chunk)
    finally:
        for request in list(running.requests):
            running.abort(request)
    return [one.generation() for one in collectors.values()]
