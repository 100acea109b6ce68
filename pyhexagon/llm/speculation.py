# SPDX-License-Identifier: MIT
"""Tokens that are guessed, so that one message computes what follows each of them: speculative decoding.

A *draft* is any function of the tokens so far and a number n; it returns at most n tokens that may come next. What it
says changes no token of an answer, only how many messages that takes: the model computes what follows each guess, a
token is drawn from that as if nothing had been guessed, and the first guess that is not what was drawn ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Final, cast

import numpy as np

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.batch import Asked, Batch

Draft = Callable[[Sequence[int], int], Sequence[int]]

NUM_DRAFT_TOKENS: Final = 4


def prompt_lookup(max_ngram_size: int = 3) -> Draft:
    """A draft without a model: what followed the last few tokens when they were there before.

    Args:
        max_ngram_size: how many tokens must be the same at most; fewer do where there are not so many.

    Raises:
        ArgumentError: it is not at least 1.
    """
    if max_ngram_size < 1:
        raise ArgumentError(f"max_ngram_size is {max_ngram_size}: expected 1 or more")

    def draft(tokens: Sequence[int], n: int) -> Sequence[int]:
        text = np.array(tokens, np.int64)
        for length in range(min(max_ngram_size, len(text) - 1), 0, -1):
            windows = np.lib.stride_tricks.sliding_window_view(text[:-1], length)
            found = np.flatnonzero((windows == text[-length:]).all(axis=1))
            if len(found):
                first = int(found[-1]) + length  # what was said last is the likeliest to be said again
                return [int(token) for token in text[first : first + n]]
        return ()

    return draft


class ModelDraft:
    """The likeliest tokens of another model, usually a much smaller one.

    Args:
        batch: where it runs.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def __call__(self, tokens: Sequence[int], n: int) -> Sequence[int]:
        course = self.course(tokens, n)
        while True:
            try:
                asked = next(course)
            except StopIteration as end:
                return cast("list[int]", end.value)
            asked.batch.finish(asked.request)

    def course(self, tokens: Sequence[int], n: int, cache_salt: str = "") -> Generator[Asked, None, list[int]]:
        """What it asks for, one after the other, and at the end the guesses."""
        guesses: list[int] = []
        for _ in range(min(n, self._batch.n_ctx + 1 - len(tokens))):
            asked = self._batch.ask(
                [*tokens, *guesses], 1, n_guessed=len(guesses), n_wanted=1, cache_salt=cache_salt
            )
            yield asked
            guesses.append(int(asked.request.likeliest.ids[0]))
        return guesses
