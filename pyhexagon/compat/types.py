# SPDX-License-Identifier: MIT
"""The classes that programs pass to ``Llama`` or receive from it, and the types of its callbacks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pyhexagon.llm import prompt_lookup
from pyhexagon.llm.engine.sampling import Logits

LogitsProcessor = Callable[[npt.NDArray[np.intc], Logits], Logits]
StoppingCriteria = Callable[[npt.NDArray[np.intc], Logits], bool]


class LlamaPromptLookupDecoding:
    """A draft model that searches the sequence for an earlier occurrence of its last tokens (prompt lookup).

    Args:
        max_ngram_size: most tokens to compare.
        num_pred_tokens: most draft tokens per forward pass.
    """

    def __init__(self, max_ngram_size: int = 2, num_pred_tokens: int = 10) -> None:
        self.num_pred_tokens = num_pred_tokens
        self._draft = prompt_lookup(max_ngram_size)

    def __call__(self, input_ids: Sequence[int], n: int) -> Sequence[int]:
        """Return at most n draft tokens for a sequence."""
        return self._draft(input_ids, n)


class LlamaGrammar:
    """A grammar that restricts a completion; made by ``from_string``, ``from_file`` or ``from_json_schema``."""

    def __init__(self, **rules: str) -> None:
        self.rules = rules

    @classmethod
    def from_string(cls, grammar: str, verbose: bool = True) -> LlamaGrammar:
        """Return the grammar that a text in llama.cpp's format (GBNF) describes."""
        return cls(grammar=grammar)

    @classmethod
    def from_file(cls, file: str | os.PathLike[str], verbose: bool = True) -> LlamaGrammar:
        """Return the grammar that a file in llama.cpp's format (GBNF) describes."""
        return cls.from_string(Path(file).read_text(encoding="utf-8"))

    @classmethod
    def from_json_schema(cls, json_schema: str, verbose: bool = True) -> LlamaGrammar:
        """Return a grammar of the JSON values that a schema accepts.

        Args:
            json_schema: the JSON schema, as text.
        """
        return cls(json_schema=json_schema)


@dataclass(frozen=True)
class LlamaState:
    """The sequence of ``Llama.eval``, as ``Llama.save_state`` returns it. It contains no pages of the KV cache: if they
    are evicted before the state is loaded, the next ``eval`` computes them again, to the same bits.

    Attributes:
        input_ids: tokens of the sequence.
        scores: logits after the last token, (V,) float32; None if the sequence is empty.
    """

    input_ids: tuple[int, ...]
    scores: Logits | None
