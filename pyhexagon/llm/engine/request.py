# SPDX-License-Identifier: MIT
"""A request: what a client wants a model to compute, and how far the engine is with it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
from pyhexagon.llm.engine.forward import ForwardPass

Deliver = Callable[[list[Any], "Exception | None", bool], None]


class RequestStatus(Enum):
    """How far a request is: it waits for a place, runs, gave its place to another client's request, or has ended."""

    WAITING = "waiting"
    RUNNING = "running"
    PREEMPTED = "preempted"
    FINISHED = "finished"


def _nobody(outputs: list[Any], error: Exception | None, is_end: bool) -> None:
    """Deliver to nobody: the owner takes the outputs."""


@dataclass(eq=False)
class Request:
    """A completion, which yields a ``GenerationChunk`` per token, or embeddings, which yield a float32 vector per text.

    The first fields are plain data, which ``plain`` copies for another machine. ``LanguageModel.prepare`` makes the
    steps of it.

    Attributes:
        tokens: ids of the prompt.
        max_tokens: of the completion; 0: only the chunks of the prompt; None: up to the context length.
        sampling: ``SamplingParams`` and temperature; ``cache_salt`` and ``lora`` are among them.
        prompt_logprobs: number of top log-probabilities of the prompt's tokens, whose chunks come first; None: no
            chunks of the prompt.
        texts: token ids of texts to embed, in place of a completion.
        embeddings: of tokens with negative ids in the prompt.
        client: name of the client, for fair scheduling.
        deadline: on the clock of ``time.monotonic``; then the request ends with an error.
        after: a request with the same prompt; this one begins when that one has its first output, and shares its
            prefix.
        deliver: called on any thread with new outputs, an error or None, and whether the request has ended.
        steps: yields forward passes and outputs; the engine computes a pass before it resumes them.
        status: how far it is.
        forward: the pass that it waits for; None before its first and after its last one.
        outputs: since the last ``take``.
        error: the exception that ended the request; other requests continue.
        warnings: what of its grammar or JSON schema is ignored.
        n_deaths: number of times that the DSP was lost while it ran.
        arrival, started, first_output: when it was made, when it first ran, and when its first output was taken (0
            before), on the clock of ``deadline``.
    """

    tokens: Sequence[int] = ()
    max_tokens: int | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    prompt_logprobs: int | None = None
    texts: Sequence[Sequence[int]] = ()
    embeddings: Embeddings = NO_EMBEDDINGS
    client: str = ""
    deadline: float = math.inf
    after: Request | None = field(default=None, repr=False)
    deliver: Deliver = field(default=_nobody, repr=False)
    steps: Iterator[Any] = field(default=iter(()), init=False, repr=False)
    status: RequestStatus = field(default=RequestStatus.WAITING, init=False)
    forward: ForwardPass | None = field(default=None, init=False, repr=False)
    outputs: list[Any] = field(default_factory=list, init=False, repr=False)
    error: Exception | None = field(default=None, init=False)
    warnings: Sequence[str] = field(default=(), init=False)
    n_deaths: int = field(default=0, init=False)
    started: float = field(default=0.0, init=False)
    first_output: float = field(default=0.0, init=False)
    arrival: float = field(default_factory=time.monotonic, init=False)

    def plain(self, **changes: Any) -> Request:
        """Return a new request of the same plain data, which can be pickled, with some fields changed."""
        return replace(self, **{"after": None, "deliver": _nobody, **changes})

    @property
    def is_held(self) -> bool:
        """Whether it waits for the first output of another request."""
        return not (self.after is None or self.after.first_output or self.after.status is RequestStatus.FINISHED)

    def begin(self) -> None:
        """Compute what comes before its first forward pass, unless it began earlier."""
        self.started = self.started or time.monotonic()
        if self.forward is None:
            self.advance()

    def advance(self) -> None:
        """Continue to the next forward pass that is needed, or to the end."""
        try:
            for step in self.steps:
                if isinstance(step, ForwardPass):
                    self.forward = step
                    return
                self.outputs.append(step)
        except Exception as problem:
            self.error = problem
        self.forward = None

    def take(self) -> list[Any]:
        """Return the outputs since the last call."""
        outputs, self.outputs = self.outputs, []
        if outputs and not self.first_output:
            self.first_output = time.monotonic()
        return outputs

    def release(self) -> None:
        """Give up the pass that it waits for, so that its cached tokens may be evicted."""
        if self.forward is not None and self.forward.engine is not None:
            self.forward.engine.abort(self.forward)
