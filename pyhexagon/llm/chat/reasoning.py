# SPDX-License-Identifier: MIT
"""Separate the reasoning of a model from its answer, in the formats that models were trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from pyhexagon.llm.engine.generation import ReasoningDelta
from pyhexagon.llm.engine.stopping import n_begun
from pyhexagon.llm.tokens.tokenizer import Tokenizer

_TAIL: Final = 32  # tokens of a prompt in which it may open the reasoning


@dataclass(frozen=True)
class ReasoningFormat:
    """How a model writes its reasoning.

    Attributes:
        name: as ``/props`` has it.
        begin, end: marks around the reasoning, which comes first.
        answers: marks that may be around the answer, which are no part of it.
        tokens: control tokens within ``begin``.
        signs: a chat template that has one of these texts uses the format; none: one that has ``end``.
        closing: text that ends the reasoning before its time; empty: ``end`` in a line of its own.
        efforts: pairs of marks that templates open the reasoning of other efforts with, in place of begin and end.
    """

    name: str
    begin: str
    end: str
    answers: tuple[tuple[str, str], ...] = ()
    tokens: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    closing: str = ""
    efforts: tuple[tuple[str, str], ...] = ()

    @property
    def close(self) -> str:
        """The text that ends the reasoning."""
        return self.closing or f"\n{self.end}\n\n"

    @property
    def empty(self) -> str:
        """The text of no reasoning."""
        return f"{self.begin}{self.close}" if self.closing else f"{self.begin}\n{self.close}"


_COHERE: Final = tuple((f"<|START_{name}|>", f"<|END_{name}|>") for name in ("RESPONSE", "TEXT"))
_XML: Final = (("<answer>", "</answer>"), ("<response>", "</response>"))
THINK: Final = ReasoningFormat("think", "<think>", "</think>", signs=("</think>", "<think>"))
# The first row with a sign in the template is the format of the model.
FORMATS: Final = (
    ReasoningFormat("gemma4", "<|channel>thought", "<channel|>", tokens=("<|channel>",), closing="\n<channel|>"),
    ReasoningFormat("seed-oss", "<seed:think>", "</seed:think>"),
    ReasoningFormat("cohere", "<|START_THINKING|>", "<|END_THINKING|>", _COHERE, closing="<|END_THINKING|>"),
    ReasoningFormat("minicpm", "<|thought_start|>", "<|thought_end|>"),
    ReasoningFormat("hunyuan", "<think:opensource>", "</think:opensource>", signs=("'</think{}>'",)),
    ReasoningFormat(
        "k2-horizon", "<ifm|think>", "</ifm|think>", signs=("<ifm|think>",),
        efforts=(("<ifm|think_fast>", "</ifm|think_fast>"), ("<ifm|think_faster>", "</ifm|think_faster>")),
    ),
    ReasoningFormat("minimax-m3", "<mm:think>", "</mm:think>"),
    ReasoningFormat("exaone", "<thought>", "</thought>"),
    ReasoningFormat(
        "apriel", "Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]", (("", "[END FINAL RESPONSE]"),),
    ),
    ReasoningFormat("granite", "Here is my thought process:", "Here is my response:"),
    ReasoningFormat("think", "<think>", "</think>", _XML, signs=("<answer>", "<response>")),
    THINK,
    ReasoningFormat("mistral", "[THINK]", "[/THINK]", signs=("[/THINK]", "[INST]"), closing="[/THINK]"),
)  # fmt: skip


@lru_cache(maxsize=64)
def format_of(template: str | None) -> ReasoningFormat | None:
    """Return the format that a chat template uses; None if it knows no reasoning."""
    if template is None:
        return None
    for row in FORMATS:
        has_sign = any(sign in template for sign in row.signs or (row.end,))
        if has_sign and (not row.answers or row.begin in template or row.end in template):
            return row
    return None


class Thinking:
    """Parses reasoning between marks: ``<think>reasoning</think>answer``, as Qwen 3, DeepSeek R1 and SmolLM3 write it,
    and the other rows of ``FORMATS``.

    Reasoning may begin in the prompt. A completion that does not begin with the mark is an answer. White space around
    reasoning is dropped.

    Args:
        tokenizer: of the model.
        prompt: its tokens.
        marks: the format of the model.
    """

    def __init__(self, tokenizer: Tokenizer, prompt: Sequence[int], marks: ReasoningFormat = THINK) -> None:
        tail = tokenizer.decode(list(prompt[-_TAIL:]), special=True).rstrip()
        pairs = ((marks.begin, marks.end), *marks.efforts)
        opened = next((pair for pair in pairs if tail.endswith(pair[0])), None)
        self._begin, self._end = opened or pairs[0]
        self._tokenizer, self._format = tokenizer, replace(marks, begin=self._begin, end=self._end)
        names = (self._begin, self._end, *marks.tokens, *(mark for pair in marks.answers for mark in pair if mark))
        self._marks = {tokenizer.id_of(mark): mark for mark in names}  # control tokens have no text
        self._state: Literal["undecided", "reasoning", "blank", "unwrapped", "answer"] = "undecided"
        self._state = "reasoning" if opened else "undecided"
        self._held = ""  # text that more text decides about: a part of a mark, white space
        self._has_reasoned = False
        self._wrapper_end, self._is_wrapped = "", False  # mark behind the answer; white space follows the one before it

    @property
    def is_reasoning(self) -> bool:
        return self._state == "reasoning"

    def final(self) -> list[int]:
        if self._state != "reasoning":
            return []
        self._state = "answer"
        return self.closing()

    def closing(self) -> list[int]:
        return self._tokenizer.encode(self._format.close, add_special=False)

    def add(self, token: int, text: str) -> ReasoningDelta:
        return self._add(text or self._marks.get(token, ""))

    def rest(self, text: str) -> ReasoningDelta:
        delta = self._add(text)
        held, self._held = self._held, ""
        if self._state in ("undecided", "unwrapped", "answer"):
            held = held if not self._wrapper_end or held.strip() else ""
            return ReasoningDelta(delta.content + held, delta.reasoning)
        return ReasoningDelta(delta.content, delta.reasoning + held.rstrip())

    def _add(self, text: str) -> ReasoningDelta:
        self._held += text
        if self._state == "undecided":
            begun = self._held.lstrip()
            if len(begun) < len(self._begin) and self._begin.startswith(begun):
                return ReasoningDelta()
            is_open = begun.startswith(self._begin)
            self._state = "reasoning" if is_open else "unwrapped"
            self._held = begun[len(self._begin) :] if is_open else self._held
        reasoning = self._reasoning() if self._state == "reasoning" else ""
        if self._state == "blank":
            self._held = self._held.lstrip()
            self._state = "unwrapped" if self._held else "blank"
        if self._state == "unwrapped":
            self._unwrap()
        return ReasoningDelta(self._answer() if self._state == "answer" else "", reasoning)

    def _reasoning(self) -> str:
        """Take the reasoning from the held text, up to the end of it."""
        text, is_end, after = self._held.partition(self._end)
        n_held = 0 if is_end else n_begun(text, self._end)
        text = text[: len(text) - n_held].rstrip()
        self._held = after if is_end else self._held[len(text) :]
        self._state = "blank" if is_end else "reasoning"
        text = text if self._has_reasoned else text.lstrip()
        self._has_reasoned = self._has_reasoned or bool(text)
        return text

    def _unwrap(self) -> None:
        """Drop the mark before the answer, if it has one."""
        begun = self._held.lstrip()
        for begin, end in self._format.answers:
            if begun.startswith(begin):
                self._held, self._wrapper_end, self._state = begun[len(begin) :], end, "answer"
                self._is_wrapped = bool(begin)
                return
        if not any(begin.startswith(begun) for begin, _ in self._format.answers):
            self._state = "answer"

    def _answer(self) -> str:
        """Take the answer from the held text, without the mark behind it."""
        if not self._wrapper_end:
            text, self._held = self._held, ""
            return text
        if self._is_wrapped:
            self._held = self._held.lstrip("\n")
            self._is_wrapped = not self._held
        text, is_end, after = self._held.partition(self._wrapper_end)
        if is_end:
            self._held, self._wrapper_end, self._state = after, "", "blank"
            return text.rstrip()
        text = text[: len(text) - n_begun(text, self._wrapper_end)].rstrip()
        self._held = self._held[len(text) :]
        return text
