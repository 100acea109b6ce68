# SPDX-License-Identifier: MIT
"""Which formats a model writes calls and reasoning in: its chat template and its vocabulary tell."""

from __future__ import annotations

from pyhexagon.llm.chat.formats.table import detected
from pyhexagon.llm.chat.harmony import Harmony
from pyhexagon.llm.chat.reasoning import format_of
from pyhexagon.llm.tokens.tokenizer import Tokenizer


def tool_call_format(template: str | None, tokenizer: Tokenizer) -> str | None:
    """Return the name of the format of a model's tool calls; None if it is not known."""
    if Harmony.speaks(tokenizer):
        return "harmony"
    return detected(template) or None


def reasoning_format(template: str | None, tokenizer: Tokenizer) -> str | None:
    """Return the name of the format of a model's reasoning; None if the chat template knows none."""
    if Harmony.speaks(tokenizer):
        return "harmony"
    found = format_of(template)
    return None if found is None else found.name
