# SPDX-License-Identifier: MIT
"""Separate the reasoning of a model from its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pyhexagon.llm.engine.generation import ReasoningDelta
from pyhexagon.llm.engine.stopping import n_begun
from pyhexagon.llm.tokens.tokenizer import Tokenizer

_BEGIN: Final = "<think>"
_END: Final = "</think>"
_TAIL: Final = 8  # tokens of a prompt in which it may open the reasoning


class Thinking:
    """Parses ``<think>reasoning</think>answer``, as Qwen 3, DeepSeek R1 and SmolLM3 write it.

    Reasoning may begin in the prompt. A completion that does not begin with ``<think>`` is an answer. White space
    around reasoning is dropped.

    Args:
        tokenizer: of the model.
        prompt: its tokens.
    """

    def __init__(self, tokenizer: Tokenizer, prompt: Sequence[int]) -> None:
        self._tokenizer = tokenizer
        self._marks = {tokenizer.id_of(mark): mark for mark in (_BEGIN, _END)}  # control tokens have no text
        is_open = tokenizer.decode(list(prompt[-_TAIL:]), special=True).rstrip().endswith(_BEGIN)
        self._state: Literal["undecided", "reasoning", "blank", "answer"] = "reasoning" if is_open else "undecided"
        self._held = ""  # text that more text decides about: a part of a mark, white space
        self._has_reasoned = False

    @staticmethod
    def speaks(template: str | None) -> bool:
        """Return whether a model may reason in this format: its chat template knows it."""
        return template is not None and _END in template

    def final(self) -> list[int]:
        if self._state != "reasoning":
            return []
        self._state = "answer"
        return self._tokenizer.encode(f"\n{_END}\n\n", add_special=False)

    def add(self, token: int, text: str) -> ReasoningDelta:
        return self._add(text or self._marks.get(token, ""))

    def rest(self, text: str) -> ReasoningDelta:
        delta = self._add(text)
        held, self._held = self._held, ""
        if self._state == "undecided":
            return ReasoningDelta(delta.content + held)
        return ReasoningDelta(delta.content, delta.reasoning + held.rstrip())

    def _add(self, text: str) -> ReasoningDelta:
        self._held += text
        if self._state == "undecided":
            begun = self._held.lstrip()
            if _BEGIN.startswith(begun):
                return ReasoningDelta()
            is_open = begun.startswith(_BEGIN)
            self._state = "reasoning" if is_open else "answer"
            self._held = begun[len(_BEGIN) :] if is_open else self._held
        reasoning = self._reasoning() if self._state == "reasoning" else ""
        if self._state == "blank":
            self._held = self._held.lstrip()
            self._state = "answer" if self._held else "blank"
        content = ""
        if self._state == "answer":
            content, self._held = self._held, ""
        return ReasoningDelta(content, reasoning)

    def _reasoning(self) -> str:
        """Take the reasoning from the held text, up to the end of it."""
        text, is_end, after = self._held.partition(_END)
        n_held = 0 if is_end else n_begun(text, _END)
        text = text[: len(text) - n_held].rstrip()
        self._held = after if is_end else self._held[len(text) :]
        self._state = "blank" if is_end else "reasoning"
        text = text if self._has_reasoned else text.lstrip()
        self._has_reasoned = self._has_reasoned or bool(text)
        return text
