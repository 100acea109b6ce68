# SPDX-License-Identifier: MIT
"""Requests: the passes that the engine still has to compute for them, and their chunks so far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from pyhexagon.llm.engine.forward import ForwardPass

T = TypeVar("T")


class GenerationRequest(Generic[T]):
    """Produces chunks, such as ``GenerationChunk``, as the engine computes its forward passes.

    Args:
        steps: yields forward passes and chunks; the engine computes a pass before it resumes ``steps``.

    Attributes:
        forward: the pass that the request waits for; None before its first and after its last one.
        chunks: the chunks that it has produced since the last ``take``.
        error: the exception that ended the request; other requests continue.
    """

    def __init__(self, steps: Iterator[ForwardPass | T]) -> None:
        self._steps = steps
        self.chunks: list[T] = []
        self.forward: ForwardPass | None = None
        self.error: Exception | None = None

    def take(self) -> list[T]:
        """Return the chunks since the last call."""
        chunks, self.chunks = self.chunks, []
        return chunks

    def advance(self) -> None:
        """Continue to the next forward pass that is needed, or to the end."""
        try:
            for one in self._steps:
                if isinstance(one, ForwardPass):
                    self.forward = one
                    return
                self.chunks.append(one)
        except Exception as problem:
            self.error = problem
        self.forward = None


class RunningRequests(Generic[T]):
    """The requests of one owner, such as a server, which share messages. They come and go between steps.

    Attributes:
        requests: that have not ended, in the order in which they were added.
    """

    def __init__(self) -> None:
        self.requests: list[GenerationRequest[T]] = []

    def add_request(self, request: GenerationRequest[T]) -> None:
        """Begin a request, or resume one that was aborted. If it needs nothing of the engine, the next step ends it."""
        if request.forward is None:
            request.advance()
        self.requests.append(request)

    def abort(self, request: GenerationRequest[T]) -> None:
        """End or suspend a request. Its cached tokens may be evicted, and are computed again when it is resumed."""
        self.requests.remove(request)
        if request.forward is not None and request.forward.engine is not None:
            request.forward.engine.abort(request.forward)

    def step(self) -> list[GenerationRequest[T]]:
        """Send one message, and return the requests that it advanced; those whose ``forward`` is None have ended.

        While some requests wait for a draft model, the message is theirs, so that all share the message after it.
        Requests that were added last are scheduled first: the prefixes that they share with others are cached then.

        Raises:
            HexagonError: the device fails. No request has changed: call it again.
        """
        forwards = [one.forward for one in reversed(self.requests) if one.forward is not None]
        if forwards:
            engine = next((one.engine for one in forwards if one.is_of_draft), forwards[0].engine)
            if engine is not None:
                engine.compute([one for one in forwards if one.engine is engine])
        advanced = [one for one in self.requests if one.forward is None or one.forward.is_done]
        for one in advanced:
            if one.forward is not None:
                one.advance()
        self.requests = [one for one in self.requests if one.forward is not None]
        return advanced
