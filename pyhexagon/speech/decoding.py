# SPDX-License-Identifier: MIT
"""Decoding a window of audio: greedy, by sampling, or by beam search, on the engine's forward passes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.sampling import Logits, log_probabilities

Passes = Generator[list[ForwardPass], None, "Decoded"]
"""Yields the passes that are needed next, and is resumed when all are done."""

Rules = Callable[[Sequence[int], Logits], Logits]
"""Returns logits, with -inf for tokens that may not follow those that were sampled so far."""

_NO_PROBABILITY: Final = -np.inf


class Strategy(NamedTuple):
    """How tokens are chosen.

    Attributes:
        temperature: 0: the most probable tokens; else they are drawn from probabilities at this temperature.
        n: number of sequences: of beams, or of independent draws. The best one is the result.
    """

    temperature: float = 0.0
    n: int = 1


@dataclass(frozen=True)
class Decoded:
    """The result of decoding a window.

    Attributes:
        tokens: that were sampled, timestamps included, without the end.
        logprobs: of each token, after the rules.
        sum_logprob: of all tokens and of the end.
        is_complete: the model ended it.
        no_speech_prob: the probability that the window has no speech.
        temperature: of the strategy.
    """

    tokens: list[int]
    logprobs: list[float]
    sum_logprob: float
    is_complete: bool
    no_speech_prob: float
    temperature: float

    @property
    def avg_logprob(self) -> float:
        """The mean log-probability of the tokens and of the end."""
        return self.sum_logprob / (len(self.tokens) + 1)


@dataclass(frozen=True)
class _Beam:
    """A sequence under construction."""

    tokens: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    is_complete: bool = False
    sum_logprob: float = field(default=0.0)

    def then(self, token: int, logprob: float, end: int) -> _Beam:
        """Return the sequence with a further token, or ended."""
        total = self.sum_logprob + logprob
        if token == end:
            return _Beam(self.tokens, self.logprobs, True, total)
        return _Beam((*self.tokens, token), (*self.logprobs, logprob), False, total)

    @property
    def score(self) -> float:
        """The mean log-probability, by which sequences are ranked."""
        return self.sum_logprob / (len(self.tokens) + 1)


def decode(
    engine: Engine,
    window: EncoderInput,
    prompt: Sequence[int],
    rules: Rules,
    strategy: Strategy,
    *,
    end: int,
    no_speech: int | None,
    max_tokens: int,
    random: np.random.Generator,
) -> Passes:
    """Decode a window, and return the best sequence.

    Args:
        engine: of the model.
        window: the spectrum of the audio.
        prompt: the first tokens.
        rules: which tokens may follow.
        end: the token that ends a sequence.
        no_speech: the token whose probability after the prompt is that of no speech; None: there is none.
        max_tokens: of a sequence; the context of the model limits it, too.
        random: draws tokens at temperatures above 0.
    """
    live, done, no_speech_prob = [_Beam()], list[_Beam](), float("nan")
    for step in range(min(max_tokens, engine.n_ctx - len(prompt))):
        passes = [
            engine.forward(
                [*prompt, *beam.tokens], n_checked=len(prompt) if step else 0, is_beam=len(live) > 1,
                encoder_input=window,
            )
            for beam in live
        ]  # fmt: skip
        yield passes
        if not step and no_speech is not None:
            no_speech_prob = float(np.exp(log_probabilities(passes[0].logits)[no_speech]))
        rows = [
            log_probabilities(rules(beam.tokens, forward.logits)) for beam, forward in zip(live, passes, strict=True)
        ]
        if strategy.temperature > 0:
            live = _drawn(
                live if step else live * strategy.n, rows if step else rows * strategy.n, strategy, end, random
            )
        else:
            live = _best(live, rows, strategy.n - len(done), end)
        done += [beam for beam in live if beam.is_complete]
        live = [beam for beam in live if not beam.is_complete]
        if len(done) >= strategy.n or not live:
            break
    best = max(done or live, key=lambda beam: beam.score)
    return Decoded(
        list(best.tokens), list(best.logprobs), best.sum_logprob, best.is_complete, no_speech_prob,
        strategy.temperature,
    )  # fmt: skip


def _best(beams: Sequence[_Beam], rows: Sequence[npt.NDArray[np.float64]], n: int, end: int) -> list[_Beam]:
    """Return the n most probable continuations of all beams; of equal ones the first."""
    found = []
    for beam, row in zip(beams, rows, strict=True):
        few = np.argpartition(-row, min(n, len(row) - 1))[: n + 1] if n > 1 else np.array([np.argmax(row)])
        found += [
            beam.then(int(token), float(row[token]), end) for token in sorted(few, key=lambda one: (-row[one], one))
        ]
    found.sort(key=lambda beam: -beam.sum_logprob)
    return [beam for beam in found if beam.sum_logprob > _NO_PROBABILITY][:n]


def _drawn(
    beams: Sequence[_Beam],
    rows: Sequence[npt.NDArray[np.float64]],
    strategy: Strategy,
    end: int,
    random: np.random.Generator,
) -> list[_Beam]:
    """Return a continuation of each beam, drawn at a temperature."""
    result = []
    for beam, row in zip(beams, rows, strict=True):
        weights = np.exp((row - row.max()) / strategy.temperature)
        token = int(np.searchsorted(np.cumsum(weights), random.random() * weights.sum(), side="right"))
        token = min(token, len(row) - 1)
        result.append(beam.then(token, float(row[token]), end))
    return result
