# SPDX-License-Identifier: MIT
"""Iterates over the outputs of requests: a stream of chunks, or whole generations."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence

from pyhexagon.llm.engine.forward import MAX_BATCH_TOKENS, ForwardPass
from pyhexagon.llm.engine.generation import Generation, GenerationChunk
from pyhexagon.llm.engine.request import Request
from pyhexagon.llm.engine.scheduler import Scheduler


class Stream:
    """An iterator of chunks. Each step is computed when its chunk is asked for.

    Attributes:
        request: for a scheduler, instead of iterating.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self._n_chunks = 0
        self._state = "not started"

    def __iter__(self) -> Iterator[GenerationChunk]:
        return self

    def __next__(self) -> GenerationChunk:
        request = self.request
        while True:
            forward = request.forward
            if forward is not None and forward.engine is not None:
                forward.engine.finish(forward)  # if the device fails here, the next call tries again
                request.forward = None
            try:
                step: ForwardPass | GenerationChunk = next(request.steps)
            except BaseException as problem:
                self._state = "ended" if isinstance(problem, StopIteration) else "failed"
                raise
            if not isinstance(step, ForwardPass):
                self._n_chunks += 1
                self._state = step.finish_reason or "running"
                return step
            request.forward = step

    def close(self) -> None:
        """End the request."""
        self.request.forward, self._state = None, "closed"
        if isinstance(self.request.steps, Generator):
            self.request.steps.close()

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
            text="".join(chunk.text for chunk in chunks),
            prompt_tokens=self._ids,
            tokens=tuple(chunk.token for chunk in chunks),
            logprobs=tuple(chunk.logprob for chunk in chunks),
            finish_reason=(chunks[-1].finish_reason if chunks else None) or "length",
            prompt_seconds=self._first,
            generation_seconds=self._now - self._start - self._first,
            draft_n=sum(chunk.draft_n for chunk in chunks),
            draft_n_accepted=sum(chunk.from_draft for chunk in chunks),
            reasoning="".join(chunk.reasoning for chunk in chunks),
            cached_tokens=sum(chunk.cached_tokens for chunk in chunks),
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


def collect_all(requests: Sequence[Request]) -> list[Generation]:
    """Return the completions of several requests, which share messages, as many at a time as a message holds."""
    scheduler = Scheduler(MAX_BATCH_TOKENS)
    collectors = {request: _Collector(request.tokens) for request in requests}
    scheduler.submit(requests)
    try:
        while scheduler.running or scheduler.waiting.queues:
            for request in scheduler.step():
                if request.error is not None:
                    raise request.error
                for chunk in request.take():
                    collectors[request].add(chunk)
    finally:
        scheduler.close()
    return [collector.generation() for collector in collectors.values()]
