# SPDX-License-Identifier: MIT
"""The outputs of a completion: a chunk for each token, and the whole generation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from pyhexagon.llm.engine.forward import ForwardPass

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
        cached_tokens: of the first chunk, the number of the prompt's tokens that the KV cache had; of others 0.
    """

    text: str
    token: int
    logprob: float
    finish_reason: FinishReason | None
    from_draft: bool = False
    draft_n: int = 0
    top_logprobs: tuple[tuple[int, float], ...] = ()
    reasoning: str = ""
    cached_tokens: int = 0


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
        cached_tokens: number of the prompt's tokens that the KV cache had.
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
    cached_tokens: int = 0

    def __str__(self) -> str:
        return self.text
