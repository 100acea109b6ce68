# SPDX-License-Identifier: MIT
"""The interface between the HTTP routes and a backend: an engine with a model on this machine's DSP, or a router in
front of several boards. Outputs come back on any thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pyhexagon.llm import Tokenizer
from pyhexagon.llm.chat.templates import Message
from pyhexagon.llm.engine.request import Request
from pyhexagon.llm.vision.memory import EncoderPlan


class Backend(Protocol):
    """Runs requests: an ``EngineThread`` or a ``Router``."""

    @property
    def problem(self) -> str:
        """Return why no request can run now; empty if they can."""

    @property
    def counts(self) -> tuple[int, int]:
        """Return the number of running and of waiting requests."""

    def figures(self) -> Mapping[str, float]:
        """Return the current values of the gauges, for ``Metrics.watch``."""

    def prepare(self, request: Request) -> None:
        """Validate a request before it is submitted. May take long; any thread.

        Raises:
            HexagonError: the request is invalid.
        """

    def submit(self, requests: Sequence[Request]) -> None:
        """Queue prepared requests, all or none, without waiting.

        Raises:
            RequestError: the queue is full, or the backend cannot take requests now.
        """

    def cancel(self, requests: Sequence[Request]) -> None:
        """Cancel requests without waiting for them; requests that have ended are ignored."""


class ServedModel(Protocol):
    """The parts of a model that the routes use directly and that need no DSP. An ``LLM`` is one."""

    path: str
    has_vision: bool
    encoder_plan: EncoderPlan | None

    @property
    def tokenizer(self) -> Tokenizer: ...

    @property
    def n_ctx(self) -> int: ...

    @property
    def n_ctx_train(self) -> int: ...

    @property
    def embedding_length(self) -> int: ...

    @property
    def chat_template(self) -> str | None: ...

    @property
    def sampling_defaults(self) -> Mapping[str, Any]: ...

    @property
    def adapters(self) -> Sequence[str]: ...

    @property
    def can_embed(self) -> bool: ...
    @property
    def embeds_tokens(self) -> bool: ...

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
