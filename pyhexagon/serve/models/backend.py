# SPDX-License-Identifier: MIT
"""The interface between the HTTP routes and a backend: a scheduler with a model on this machine's DSP, or a router in
front of several boards. Work is plain data that can be sent to another machine; chunks come back on any thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pyhexagon.llm import Tokenizer
from pyhexagon.llm.chat.templates import Message
from pyhexagon.llm.engine.request import GenerationRequest
from pyhexagon.serve.http.errors import ServeError


@dataclass(frozen=True)
class GenerationWork:
    """A completion, which yields a ``GenerationChunk`` per token.

    Attributes:
        ids: token ids of the prompt.
        max_tokens: of the completion; 0: only the chunks of the prompt; None: up to the context length.
        sampling: ``SamplingParams``.
        prompt_logprobs: number of top log-probabilities of the prompt's tokens, whose chunks come first; None: no
            chunks of the prompt.
        cache_salt: prefix caching is restricted to requests with the same salt.
    """

    ids: Sequence[int]
    max_tokens: int | None
    sampling: Mapping[str, Any]
    prompt_logprobs: int | None = None
    cache_salt: str = ""


@dataclass(frozen=True)
class EmbeddingWork:
    """Embeddings, which yield a float32 vector per input.

    Attributes:
        texts: token ids of each input.
    """

    texts: Sequence[Sequence[int]]


@dataclass(eq=False)
class QueuedRequest:
    """A request of a client, in the queue or running.

    Attributes:
        client: name of the client, for fair scheduling.
        work: to do.
        deliver: called on any thread with new chunks, an error or None, and whether the request has ended.
        until: deadline on the clock of ``time.monotonic``; then the request ends with an error.
        after: a request with the same prompt; this one begins when that one has its first chunk, and shares its prefix.
        is_over: the request has ended.
        first_token: when its first chunk was made, on the same clock; 0 before that.

    All other attributes belong to the scheduler.
    """

    client: str
    work: GenerationWork | EmbeddingWork
    deliver: Callable[[list[Any], ServeError | None, bool], None]
    until: float
    after: QueuedRequest | None = None
    is_over: bool = False
    running: GenerationRequest[Any] = field(default_factory=lambda: GenerationRequest(iter(())))
    n_deaths: int = 0
    first_token: float = 0.0
    since: float = field(default_factory=time.monotonic)


class Backend(Protocol):
    """Runs requests: a ``Scheduler`` or a ``Router``."""

    @property
    def problem(self) -> str:
        """Return why no request can run now; empty if they can."""

    @property
    def counts(self) -> tuple[int, int]:
        """Return the number of running and of waiting requests."""

    def figures(self) -> Mapping[str, float]:
        """Return the current values of the gauges, for ``Metrics.watch``."""

    def prepare(self, job: QueuedRequest) -> None:
        """Validate a request before it is submitted. May take long; any thread.

        Raises:
            HexagonError: the request is invalid.
        """

    def submit(self, jobs: Sequence[QueuedRequest]) -> None:
        """Queue prepared requests, all or none, without waiting.

        Raises:
            ServeError: the queue is full, or the server is shutting down.
        """

    def cancel(self, jobs: Sequence[QueuedRequest]) -> None:
        """Cancel requests without waiting for them; requests that have ended are ignored."""


class ServedModel(Protocol):
    """The parts of a model that the routes use directly and that need no DSP. An ``LLM`` is one."""

    path: str

    @property
    def tokenizer(self) -> Tokenizer: ...

    @property
    def n_ctx(self) -> int: ...

    @property
    def chat_template(self) -> str | None: ...

    @property
    def adapters(self) -> Sequence[str]: ...

    @property
    def can_embed(self) -> bool: ...

    @property
    def can_rerank(self) -> bool: ...

    def apply_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = True,
        template_kwargs: Mapping[str, Any] | None = None,
        continue_final_message: bool = False,
    ) -> str:
        """Return the prompt of a conversation; see ``LLM.apply_template``."""
