# SPDX-License-Identifier: MIT
"""``EvaluatingLlama``: the calls that a program uses to generate token by token: eval, sample, generate, save_state."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyhexagon.compat.base import BaseLlama
from pyhexagon.compat.processors import adapted
from pyhexagon.compat.types import LlamaState, LogitsProcessor, StoppingCriteria
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.sampling import Logits, penalised, sampler


class EvaluatingLlama(BaseLlama):
    """A model with one sequence that ``eval`` extends. Completions do not change that sequence."""

    _tokens: Sequence[int] = ()
    _scores: Logits | None = None

    @property
    def n_tokens(self) -> int:
        """Number of tokens of the sequence."""
        return len(self._tokens)

    @property
    def input_ids(self) -> npt.NDArray[np.intc]:
        """Tokens of the sequence, (n_tokens,) intc."""
        return np.array(self._tokens, np.intc)

    @property
    def eval_logits(self) -> list[list[float]]:
        """Logits after the last token, as a list of one row; an empty list if the sequence is empty."""
        return [] if self._scores is None else [self._scores.tolist()]

    def reset(self) -> None:
        """Begin a new, empty sequence."""
        self._tokens, self._scores = (), None

    def eval(self, tokens: Sequence[int]) -> None:
        """Append tokens to the sequence and compute the logits after the last one.

        Raises:
            ArgumentError: there are no tokens, the sequence would exceed n_ctx, or a token is not in the vocabulary.
                The sequence does not change.
        """
        longer = [*self._tokens, *tokens]
        self._scores = self._llm(longer)
        self._tokens = longer

    def sample(
        self,
        *,
        top_k: int = 40,
        top_p: float = 0.95,
        min_p: float = 0.05,
        temp: float = 0.8,
        repeat_penalty: float = 1.0,
        frequency_penalty: float = 0.0,
        presence_penalty: float = 0.0,
        logits_processor: Sequence[LogitsProcessor] | None = None,
    ) -> int:
        """Return a next token that is sampled from the logits. The sequence does not change.

        Raises:
            ArgumentError: the sequence is empty, or a sampling parameter is out of range.
        """
        if self._scores is None:
            raise ArgumentError("the text is empty: eval its first tokens")
        logits = self._scores
        penalties = penalised(repeat=repeat_penalty, frequency=frequency_penalty, presence=presence_penalty)
        for process in (*adapted(logits_processor), penalties):
            logits = process(self._tokens, logits)
        seed = int(self._random.integers(1 << 63))
        return sampler(temp, top_k=top_k, top_p=top_p, min_p=min_p, seed=seed)(logits)

    def generate(
        self,
        tokens: Sequence[int],
        *,
        reset: bool = True,
        stopping_criteria: Sequence[StoppingCriteria] | None = None,
        **more: Any,
    ) -> Generator[int, Sequence[int] | None, None]:
        """Evaluate tokens, then yield sampled tokens and evaluate each, beyond end-of-sequence tokens, too.

        Args:
            reset: whether the tokens begin a new sequence; if not, they are appended to the present one.
            stopping_criteria: functions of the tokens so far (intc) and the logits, (V,) float32; generation ends as
                soon as one returns true.
            **more: as for ``sample``.

        Yields:
            Each sampled token. Tokens that are sent to the generator are appended after it.
        """
        if reset:
            self.reset()
        following = tokens
        while True:
            self.eval(following)
            assert self._scores is not None
            token = self.sample(**more)
            if any(is_end(self.input_ids, self._scores) for is_end in stopping_criteria or ()):
                return
            sent = yield token
            following = [token, *(sent or ())]

    def save_state(self) -> LlamaState:
        """Return the sequence and its logits, for ``load_state``."""
        return LlamaState(tuple(self._tokens), None if self._scores is None else self._scores.copy())

    def load_state(self, state: LlamaState) -> None:
        """Restore a sequence that ``save_state`` returned."""
        self._tokens = state.input_ids
        self._scores = None if state.scores is None else state.scores.copy()
