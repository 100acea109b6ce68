# SPDX-License-Identifier: MIT
"""Decoding a window of audio: greedy, by sampling, or by beam search, on the engine's forward passes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.sampling import Logits, log_probabilities

F64 = npt.NDArray[np.float64]

Rules = Callable[[Sequence[int], Logits], Logits]
"""Returns logits, with -inf for tokens that may not follow those that were sampled so far."""


Passes = Generator[list[ForwardPass], None, "list[Candidate]"]


class Strategy(NamedTuple):
    """How tokens are chosen.

    Attributes:
        temperature: 0: the most probable tokens; else they are drawn from probabilities at this temperature.
        n: number of sequences: of beams, or of independent draws.
    """

    temperature: float = 0.0
    n: int = 1


class Candidate(NamedTuple):
    """A sequence of tokens.

    Attributes:
        tokens: that were sampled.
        logprobs: of each token, at the temperature and after the rules.
        sum_logprob: of all tokens.
    """

    tokens: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    sum_logprob: float = 0.0

    def then(self, token: int, logprob: float) -> Candidate:
        """Return the sequence with a further token."""
        return Candidate((*self.tokens, token), (*self.logprobs, logprob), self.sum_logprob + logprob)


@dataclass(frozen=True)
class WindowDecoder:
    """Decodes a window.

    Attributes:
        engine: of the model.
        window: the spectrum of the audio.
        prompt: the first tokens.
        rules: which tokens may follow.
        is_complete: returns whether sampled tokens need no further one; it ends every sequence.
    """

    engine: Engine
    window: EncoderInput
    prompt: Sequence[int]
    rules: Rules
    is_complete: Callable[[Sequence[int]], bool]

    def first(self) -> ForwardPass:
        """Return the pass that computes the prompt."""
        return self.engine.forward(self.prompt, encoder_input=self.window)

    def sequences(self, first: ForwardPass, strategy: Strategy, random: np.random.Generator) -> Passes:
        """Yield the passes that are needed next, which have to be done then; return the complete sequences.

        Args:
            first: the pass of the prompt, done.
            random: draws tokens at temperatures above 0.
        """
        live, done, passes = [Candidate()], list[Candidate](), [first]
        n_checked = len(self.prompt)
        while True:
            rows = [
                log_probabilities(self.rules(sequence.tokens, _scaled(forward.logits, strategy.temperature)))
                for sequence, forward in zip(live, passes, strict=True)
            ]
            if strategy.temperature > 0:
                n_each = strategy.n if passes[0] is first else 1
                live = [
                    _drawn(sequence, row, random)
                    for sequence, row in zip(live, rows, strict=True)
                    for _ in range(n_each)
                ]
            else:
                live = _best(live, rows, strategy.n - len(done))
            done += [sequence for sequence in live if self.is_complete(sequence.tokens)]
            live = [sequence for sequence in live if not self.is_complete(sequence.tokens)]
            if not live:
                return done
            passes = [
                self.engine.forward(
                    [*self.prompt, *sequence.tokens], n_checked=n_checked, is_beam=len(live) > 1,
                    encoder_input=self.window,
                )
                for sequence in live
            ]  # fmt: skip
            n_checked += 1
            yield passes


def _best(sequences: Sequence[Candidate], rows: Sequence[F64], n: int) -> list[Candidate]:
    """Return the n most probable continuations of all sequences; of equal ones the first, with the lowest tokens."""
    found = []
    for sequence, row in zip(sequences, rows, strict=True):
        tokens = np.arange(len(row))
        if n < len(row):
            tokens = np.array([np.argmax(row)]) if n == 1 else np.argpartition(-row, n - 1)[:n]
        found += [sequence.then(token, float(row[token])) for token in sorted(tokens.tolist())]
    found = [sequence for sequence in found if sequence.sum_logprob > -np.inf]
    return sorted(found, key=lambda sequence: -sequence.sum_logprob)[:n]


def _scaled(logits: Logits, temperature: float) -> Logits:
    return logits / np.float32(temperature) if temperature > 0 else logits


def _drawn(sequence: Candidate, row: F64, random: np.random.Generator) -> Candidate:
    """Return the sequence with a token that is drawn by its probability."""
    sums = np.cumsum(np.exp(row))
    token = min(int(np.searchsorted(sums, random.random() * sums[-1], side="right")), len(row) - 1)
    return sequence.then(token, float(row[token]))
