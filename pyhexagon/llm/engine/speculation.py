# SPDX-License-Identifier: MIT
"""Speculative decoding: one message verifies several draft tokens.

A *draft* is any function of the tokens so far and a number n; it returns at most n draft tokens. It changes no token of
a completion, only the number of messages: the model computes the logits after each draft token, the sampler draws from
them as it does without a draft. The first draft token that differs from the drawn one is rejected, with all behind it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Final, cast

import numpy as np

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.forward import DraftPass, ForwardPass
from pyhexagon.llm.engine.sequence import NO_SALT, Salt

MTP: Final = "mtp"  # names the model's own MTP block as its draft model
LOOKUP: Final = "lookup"  # names prompt_lookup()

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

    def lookup(tokens: Sequence[int], n: int) -> Sequence[int]:
        text = np.array(tokens, np.int64)
        for length in range(min(max_ngram_size, len(text) - 1), 0, -1):
            windows = np.lib.stride_tricks.sliding_window_view(text[:-1], length)
            found = np.flatnonzero((windows == text[-length:]).all(axis=1))
            if len(found):
                first = int(found[-1]) + length  # the most recent occurrence
                return [int(token) for token in text[first : first + n]]
        return ()

    return lookup


def draft_name(draft: Draft | str | os.PathLike[str] | None) -> str:
    """Return the name of a draft model: of a file without its ending, or of a function; of None it is empty."""
    if draft is None:
        return ""
    if isinstance(draft, (str, os.PathLike)):
        return Path(draft).stem if Path(draft).is_file() else os.fspath(draft)
    return getattr(draft, "__name__", type(draft).__name__)


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


class MTPDraft:
    """The most probable tokens of the model's own MTP block. One message drafts all of them, for several sequences.

    Args:
        engine: of the model.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def forward(self, tokens: Sequence[int], after: ForwardPass, row: int, n: int) -> DraftPass:
        """Return a pass that drafts n tokens and is not computed yet.

        Args:
            tokens: of the sequence. The last one was sampled from the logits of a row of ``after``.
            after: the pass that computed the others.
            row: number of that row.
            n: 1 or more.
        """
        return DraftPass(
            list(tokens), engine=self, is_of_draft=True, computed=after.computed, row=after.all_hidden[row], n_wanted=n
        )

    def compute(self, forwards: Sequence[ForwardPass]) -> None:
        """Send one message for these passes.

        Raises:
            HexagonError: the device fails. The passes can be computed again.
        """
        self._engine.draft([forward for forward in forwards if isinstance(forward, DraftPass)])

    def finish(self, forward: ForwardPass) -> None:
        """Compute a pass."""
        self.compute((forward,))

    def abort(self, forward: ForwardPass) -> None:
        """Do nothing: a pass holds no memory between its messages."""
