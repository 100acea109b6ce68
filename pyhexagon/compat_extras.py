# SPDX-License-Identifier: MIT
"""What is handed to ``Llama``, under llama-cpp-python's names: drafts, grammars, states."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyhexagon.llm import prompt_lookup
from pyhexagon.llm.sampling import Logits


class LlamaPromptLookupDecoding:
    """Guesses ``num_pred_tokens`` tokens: those that followed the last ones, at most ``max_ngram_size``, before."""

    def __init__(self, max_ngram_size: int = 2, num_pred_tokens: int = 10) -> None:
        self.num_pred_tokens = num_pred_tokens
        self._draft = prompt_lookup(max_ngram_size)

    def __call__(self, input_ids: Sequence[int], n: int) -> Sequence[int]:
        """At most n tokens that may follow."""
        return self._draft(input_ids, n)


class LlamaGrammar:
    """What an answer must follow; made by ``from_string``, ``from_file`` or ``from_json_schema``."""

    def __init__(self, **rules: str) -> None:
        self.rules = rules

    @classmethod
    def from_string(cls, grammar: str, verbose: bool = True) -> LlamaGrammar:
        """In llama.cpp's form (GBNF)."""
        return cls(grammar=grammar)

    @classmethod
    def from_file(cls, file: str | os.PathLike[str], verbose: bool = True) -> LlamaGrammar:
        """As ``from_string``, the text being in a file."""
        return cls.from_string(Path(file).read_text(encoding="utf-8"))

    @classmethod
    def from_json_schema(cls, json_schema: str, verbose: bool = True) -> LlamaGrammar:
        """A schema of a JSON answer, as text."""
        return cls(json_schema=json_schema)


@dataclass(frozen=True)
class LlamaState:
    """What ``Llama.save_state`` keeps of a text: its tokens, and what may follow. The cache's rows are not in it: those
    that are gone when the text goes on are computed again, to the same bits."""

    input_ids: tuple[int, ...]
    scores: Logits | None
