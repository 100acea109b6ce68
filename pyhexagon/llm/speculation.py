# SPDX-License-Identifier: MIT
"""Speculative decoding: one message verifies several draft tokens.

A *draft* is any function of the tokens so far and a number n; it returns at most n draft tokens. It changes no token of
a completion, only the number of messages: the model computes the logits after each draft token, the sampler draws from
them as it does without a draft. The first draft token that differs from the drawn one is rejected, with all behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Final, cast

import numpy as np

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine import Engine
from pyhexagon.llm.forward import ForwardPass
from pyhexagon.llm.sequence import NO_SALT, Salt

Draft = Callable[[Sequence[int], int], Sequence[int]]

NUM_DRAFT_TOKENS: Final = 4


def prompt_lookup(max_ngram_size: int = 3) -> Draft:
    """Return a draft that needs no model: it proposes what followed the last n-gram when that occurred before.

    Args:
        max_ngram_size: longest n-gram to look up, in tokens; shorter ones are tried if it did not occur.

    Raises:
        ArgumentError: max_ngram_size is less than 1.
    """
    if max_ngram_size < 1:
        raise ArgumentError(f"max_ngram_size is {max_ngram_size}: expected 1 or more")

    def draft(tokens: Sequence[int], n: int) -> Sequence[int]:
        text = np.array(tokens, np.int64)
        for length in range(min(max_ngram_size, len(text) - 1), 0, -1):
            windows = np.lib.stride_tricks.sliding_window_view(text[:-1], length)
            found = np.flatnonzero((windows == text[-length:]).all(axis=1))
            if len(found):
                first = int(found[-1]) + length  # the most recent occurrence
                return [int(token) for token in text[first : first + n]]
        return ()

    return draft


class ModelDraft:
    """The most probable tokens of another model, usually a much smaller one.

    Args:
        engine: of the draft model.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __call__(self, tokens: Sequence[int], n: int) -> Sequence[int]:
        steps = self.steps(tokens, n)
        while True:
            try:
                forward = next(steps)
            except StopIteration as end:
                return cast("list[int]", end.value)
            self._engine.finish(forward)

    def steps(self, tokens: Sequence[int], n: int, salt: Salt = NO_SALT) -> Generator[ForwardPass, None, list[int]]:
        """Yield the forward passes that drafting n tokens takes, and return the draft tokens."""
        draft: list[int] = []
        for _ in range(min(n, self._engine.n_ctx + 1 - len(tokens))):
            forward = self._engine.forward(
                [*tokens, *draft], 1, n_draft=len(draft), n_logits=1, salt=salt, is_of_draft=True
            )
            yield forward
            draft.append(int(forward.top.ids[0]))
        return draft
