# SPDX-License-Identifier: MIT
"""Decoding a window: greedy, beams and draws against plain implementations, over a model that is a table."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.speech.decoding import Candidate, Strategy, WindowDecoder

F32 = npt.NDArray[np.float32]

N_VOCAB: Final = 7
END: Final = 6
PROMPT: Final = [1, 2]
MOST: Final = 4  # tokens
WINDOW: Final = EncoderInput(np.zeros((1, 1), np.float32))


def logits(tokens: Sequence[int]) -> F32:
    """Return the model's logits after these tokens."""
    seed = sum(token * N_VOCAB**place for place, token in enumerate(tokens, 1))
    rows: F32 = 2 * np.random.default_rng(seed).standard_normal(N_VOCAB, dtype=np.float32)
    return rows


class Table:
    """Stands in for an engine: a pass is done as soon as it is computed."""

    def forward(self, tokens: Sequence[int], **options: Any) -> ForwardPass:
        assert options["encoder_input"] is WINDOW
        return ForwardPass(list(tokens), is_beam=options.get("is_beam", False))


def no_two(tokens: Sequence[int], given: F32) -> F32:
    """Forbid token 3 after token 3, and the end at the beginning."""
    masked: F32 = given.copy()
    if tokens and tokens[-1] == 3:
        masked[3] = -np.inf
    if not tokens:
        masked[END] = -np.inf
    return masked


def is_complete(tokens: Sequence[int]) -> bool:
    return tokens[-1] == END or len(tokens) == MOST


def decoded(strategy: Strategy, seed: int = 0) -> tuple[list[Candidate], list[int]]:
    """Return the sequences, and how many passes each step had."""
    decoder: Any = WindowDecoder(Table(), WINDOW, PROMPT, no_two, is_complete)  # type: ignore[arg-type]
    first = ForwardPass(PROMPT, all_logits=[logits(PROMPT)], is_done=True)
    steps, sizes = decoder.sequences(first, strategy, np.random.default_rng(seed)), []
    try:
        passes = next(steps)
        while True:
            sizes.append(len(passes))
            assert all(one.is_beam == (len(passes) > 1) for one in passes)
            for one in passes:
                one.all_logits, one.is_done = [logits(one.tokens)], True
            passes = steps.send(None)
    except StopIteration as end:
        return end.value, sizes


def logprobs(tokens: Sequence[int], temperature: float = 0.0) -> npt.NDArray[np.float64]:
    """Return the log-probabilities after sampled tokens."""
    row = logits([*PROMPT, *tokens]) / np.float32(temperature or 1.0)
    masked = no_two(tuple(tokens), row).astype(np.float64)
    return np.asarray(masked - np.log(np.exp(masked).sum()))


def test_greedy_takes_the_most_probable_token_each_time() -> None:
    (found,), sizes = decoded(Strategy())
    tokens: list[int] = []
    while not tokens or not is_complete(tokens):
        tokens.append(int(np.argmax(logprobs(tokens))))
    assert list(found.tokens) == tokens
    assert sizes == [1] * (len(tokens) - 1)
    each = [logprobs(tokens[:place])[token] for place, token in enumerate(tokens)]
    assert found.logprobs == pytest.approx(each)
    assert found.sum_logprob == pytest.approx(sum(each))


def test_wide_beams_find_the_most_probable_sequence_of_all() -> None:
    found, _ = decoded(Strategy(n=N_VOCAB**MOST))
    sums = {}
    for tokens in itertools.product(range(N_VOCAB), repeat=MOST):
        end = next(place for place in range(1, MOST + 1) if is_complete(tokens[:place]))
        each = [logprobs(tokens[:place])[tokens[place]] for place in range(end)]
        if sum(each) > -np.inf:
            sums[tokens[:end]] = sum(each)
    assert {one.tokens for one in found} == set(sums)
    for one in found:
        assert one.sum_logprob == pytest.approx(sums[one.tokens])


@pytest.mark.parametrize("n", [2, 3, 5])
def test_beams_keep_the_n_best_of_all_continuations(n: int) -> None:
    found, sizes = decoded(Strategy(n=n))
    live: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    done: list[tuple[tuple[int, ...], float]] = []
    while live:
        following = [
            ((*tokens, token), total + float(row[token]))
            for tokens, total in live
            for row in [logprobs(tokens)]
            for token in np.argsort(-row)[:n].tolist()
            if row[token] > -np.inf
        ]
        best = sorted(following, key=lambda one: -one[1])[: n - len(done)]
        done += [one for one in best if is_complete(one[0])]
        live = [one for one in best if not is_complete(one[0])]
    assert [one.tokens for one in found] == [tokens for tokens, _ in done]
    assert [one.sum_logprob for one in found] == pytest.approx([total for _, total in done])
    assert max(sizes) <= n


def test_draws_follow_the_probabilities_at_the_temperature() -> None:
    counts = np.zeros(N_VOCAB)
    for seed in range(100):
        found, sizes = decoded(Strategy(0.7, 20), seed)
        assert len(found) == 20
        assert max(sizes) <= 20
        for one in found:
            counts[one.tokens[0]] += 1
    wanted = np.exp(logprobs([], 0.7))
    assert np.abs(counts / 2000 - wanted).max() < 0.04  # 3.6 standard deviations
    assert counts[END] == 0


def test_the_same_seed_draws_the_same_tokens() -> None:
    assert decoded(Strategy(0.7, 3), 5) == decoded(Strategy(0.7, 3), 5)
    assert decoded(Strategy(0.7, 3), 5) != decoded(Strategy(0.7, 3), 6)
