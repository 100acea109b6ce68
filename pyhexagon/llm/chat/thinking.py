# SPDX-License-Identifier: MIT
"""Switch the reasoning of a model on and off, and bound it.

A request says how much a model may think by an effort (none, low, medium, high) or by a number of tokens. A chat
template that has a switch of its own is rendered with it; otherwise an empty block of reasoning in the prompt says that
there is none. A budget ends the reasoning by forcing the tokens that end it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from pyhexagon.llm.chat.harmony import Harmony
from pyhexagon.llm.chat.reasoning import format_of
from pyhexagon.llm.chat.repair import quotes
from pyhexagon.llm.engine.generation import ReasoningParser
from pyhexagon.llm.engine.sampling import Logits
from pyhexagon.llm.tokens.tokenizer import Tokenizer

_OFF: Final = ("none", "off", "disabled", "no_think")
_LEVELS: Final = {"minimal": "low", "xhigh": "high", "max": "high"}
_SWITCHES: Final = ("enable_thinking", "thinking", "enable_reasoning")
_TAG: Final = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_NAME: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


def is_off(template_kwargs: Mapping[str, Any]) -> bool:
    """Whether a request wants no reasoning, by its effort or a switch of its template."""
    effort = template_kwargs.get("reasoning_effort")
    if any(template_kwargs.get(name) is False for name in _SWITCHES):
        return True
    return isinstance(effort, str) and effort.lower() in _OFF


def switched(template: str, template_kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variables of a chat template, with its switches as the "reasoning_effort" of a request demands.
    Variables that the request gives stay as they are.

    Args:
        template: Jinja source.
        template_kwargs: of the request.
    """
    more, effort = dict(template_kwargs), template_kwargs.get("reasoning_effort")
    has_no = is_off(more)
    if not isinstance(effort, str) and not any(isinstance(more.get(name), bool) for name in _SWITCHES):
        return more
    known = variables(template)
    for name in _SWITCHES:
        if name in known:
            more.setdefault(name, not has_no)
    if "thinking_budget" in known and has_no:
        more.setdefault("thinking_budget", 0)
    if not isinstance(effort, str):
        return more
    level = effort.lower()
    if has_no:
        named = [word for word in _OFF if quotes(template, word)]
        level = named[0] if named else "low"
    level = _LEVELS.get(level, level) if not quotes(template, level) else level
    if not quotes(template, level) and level == "medium" and quotes(template, "high"):
        level = "high"  # of templates that know low and high
    return more | {"reasoning_effort": level}


def closed(prompt: str, template: str, tokenizer: Tokenizer, *, has_tools: bool) -> str:
    """Return a prompt without reasoning: what the template opened is closed, and where it has no switch, an empty block
    is added.

    Args:
        prompt: ends where the assistant's message begins.
        has_tools: gpt-oss's answer may be a call, which has a channel of its own.
    """
    if Harmony.speaks(tokenizer):
        return prompt if has_tools else f"{prompt}<|channel|>final<|message|>"
    marks = format_of(template)
    if marks is None or (marks.name == "mistral" and marks.end not in template):
        return prompt
    if prompt.rstrip().endswith(marks.begin):
        return prompt.rstrip() + marks.close
    has_switch = not {*_SWITCHES, "thinking_budget", "reasoning_effort"}.isdisjoint(variables(template))
    return prompt if has_switch or prompt.rstrip().endswith(marks.end) else prompt + marks.empty


@lru_cache(16)
def variables(template: str) -> frozenset[str]:
    """Return the names in a template's tags that are no attributes: its variables among them."""
    return frozenset(_NAME.findall(_QUOTED.sub("", " ".join(_TAG.findall(template)))))


class ThinkingBudget:
    """A logits processor that ends reasoning after a number of tokens.

    Args:
        parser: of the completion.
        n_tokens: of reasoning, at most.
    """

    def __init__(self, parser: ReasoningParser, n_tokens: int) -> None:
        self._parser, self._n_left = parser, n_tokens
        self._forced: list[int] = []

    def __call__(self, tokens: Sequence[int], logits: Logits) -> Logits:
        """Return the logits of the next token, of which only one is left where the reasoning ends."""
        if not self._forced and self._parser.is_reasoning:
            if not self._n_left:
                self._forced = self._parser.closing()
            self._n_left = max(0, self._n_left - 1)
        if not self._forced:
            return logits
        token = self._forced.pop(0)
        only = np.full_like(logits, -np.inf)
        only[token] = 0
        return only
