# SPDX-License-Identifier: MIT
"""The seam between the addresses and what computes: a scheduler with a model on this machine's DSP, or a router before
several of them. What crosses it downwards is data that can be sent elsewhere; what comes back comes in pieces, from any
thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pyhexagon.llm import Tokenizer
from pyhexagon.llm.engine import Running
from pyhexagon.llm.templates import Message
from pyhexagon.serve.errors import ServeError


@dataclass(frozen=True)
class Continuation:
    """A text that shall go on. It gives a ``Part`` for each token.

    Attributes:
        ids: of the prompt.
        n_most: tokens of the answer; 0: only the prompt's own parts; None: as many as there is room for.
        sampling: keyword arguments of ``LLM.stream``.
        n_scored: the prompt's parts come first, each with so many likely tokens; None: they do not.
        cache_salt: prefix caching is among those with the same one.
    """

    ids: Sequence[int]
    n_most: int | None
    sampling: Mapping[str, Any]
    n_scored: int | None = None
    cache_salt: str = ""


@dataclass(frozen=True)
class Embedding:
    """Texts that become vectors. It gives a row of float32 for each.

    Attributes:
        texts: ids of each.
    """

    texts: Sequence[Sequence[int]]


@dataclass(eq=False)
class Job:
    """Something that a client wants.

    Attributes:
        client: whose turn it takes.
        work: what.
        deliver: called, on any thread, with what was made, why it failed, and whether it has ended.
        until: of ``time.monotonic``: then it ends with an error.
        after: it begins when this one has said something: their prompts are the same.
        is_over: whether it has ended.

    The others are the scheduler's.
    """

    client: str
    work: Continuation | Embedding
    deliver: Callable[[list[Any], ServeError | None, bool], None]
    until: float
    after: Job | None = None
    is_over: bool = False
    running: Running[Any] = field(default_factory=lambda: Running(iter(())))
    n_deaths: int = 0
    has_spoken: bool = False
    since: float = field(default_factory=time.monotonic)


class Backend(Protocol):
    """What computes."""

    @property
    def problem(self) -> str:
        """Why nothing can be computed now, if so."""

    @property
    def counts(self) -> tuple[int, int]:
        """How many texts go on, and how many wait."""

    def figures(self) -> Mapping[str, float]:
        """For ``Metrics.watch``."""

    def prepare(self, job: Job) -> None:
        """Looks whether it can be done, before it is submitted. May take long; any thread.

        Raises:
            HexagonError: it cannot.
        """

    def submit(self, jobs: Sequence[Job]) -> None:
        """Takes prepared jobs in, all or none; does not wait.

        Raises:
            ServeError: too many wait, or it is about to end.
        """

    def cancel(self, jobs: Sequence[Job]) -> None:
        """Nobody wants them any more; those that are over do not mind. Does not wait."""


class Vocabulary(Protocol):
    """What the addresses ask of a model themselves: what needs no DSP. An ``LLM`` is one."""

    path: str

    @property
    def tokenizer(self) -> Tokenizer: ...

    @property
    def n_ctx(self) -> int: ...

    @property
    def can_embed(self) -> bool: ...

    def apply_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = True,
    ) -> str:
        """The text of a conversation; see ``LLM.apply_template``."""
