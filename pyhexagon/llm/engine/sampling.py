# SPDX-License-Identifier: MIT
"""Sampling: logits processors, and samplers that draw a token from logits.

A *processor* is any function of the tokens so far and the logits, (V,) float32, that returns logits of that shape. A
*sampler* is any function of the logits that returns a token. Users may pass their own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon.arguments import described
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.truncation import typical, within_sigma, without_top_choices

Logits = npt.NDArray[np.float32]
Processor = Callable[[Sequence[int], Logits], Logits]
Sampler = Callable[[Logits], int]

_FIRST_SORTED: Final = 512  # tokens to sort at first without top_k; top_p and min_p rarely keep more


def log_probabilities(logits: Logits) -> npt.NDArray[np.float64]:
    """Return ``log(softmax(logits))`` over the last axis, float64."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def top_logprobs_of(logprobs: npt.NDArray[np.float64], n: int) -> tuple[tuple[int, float], ...]:
    """Return the n most probable tokens with their log-probabilities; the lower id wins a tie."""
    ids = _largest(logprobs, n)
    return tuple(zip(ids.tolist(), logprobs[ids].tolist(), strict=True))


def greedy(logits: Logits) -> int:
    """Return the most probable token; the lowest id wins a tie."""
    return int(np.argmax(logits))


def sampler(
    temperature: float = 0.8,
    *,
    top_k: int = 40,
    top_p: float = 0.95,
    min_p: float = 0.05,
    seed: int | None = None,
    typical_p: float = 1.0,
    top_n_sigma: float = -1.0,
    xtc_probability: float = 0.0,
    xtc_threshold: float = 0.1,
) -> Sampler:
    """Return a sampler that drops tokens and draws one of the others.

    The order is that of llama.cpp: top_n_sigma, top_k, typical_p, top_p, min_p, XTC, temperature.

    Args:
        temperature: 0 takes the most probable token that is kept; 1 draws from the model's own distribution, larger
            values from a flatter one.
        top_k: number of most probable tokens to keep; 0: all.
        top_p: keeps the most probable tokens until their probabilities add up to top_p; 1: all. At least one is kept.
        min_p: keeps tokens whose probability is at least min_p times the largest probability; 0: all.
        seed: of the random numbers; the same seed draws the same tokens. None: a new seed.
        typical_p: keeps the tokens whose information is closest to the entropy, until their probabilities add up to
            more than typical_p (locally typical sampling); 1: all.
        top_n_sigma: keeps tokens whose logit is at most this many standard deviations below the largest one; 0 or
            less: all.
        xtc_probability: how often XTC drops, of the tokens that have at least ``xtc_threshold``, all but the least
            probable one; 0: never.
        xtc_threshold: least probability of a top choice for XTC; above 0.5 there is never more than one.

    Raises:
        ArgumentError: a parameter is out of range.
    """
    for name, value, least, most in (
        ("temperature", temperature, 0, np.inf), ("top_k", top_k, 0, np.inf), ("top_p", top_p, 0, 1),
        ("min_p", min_p, 0, 1), ("typical_p", typical_p, 0, 1), ("top_n_sigma", top_n_sigma, -np.inf, np.inf),
        ("xtc_probability", xtc_probability, 0, 1), ("xtc_threshold", xtc_threshold, 0, 1),
    ):  # fmt: skip
        if not isinstance(value, Real) or not least <= value <= most or abs(value) == np.inf:
            bounds = f"{least} or more" if most == np.inf else f"{least} to {most}"
            expected = "a number" if least == -np.inf else bounds
            raise ArgumentError(f"{name} is {value!r}: expected {expected}")
    for name, whole in (("top_k", top_k), ("seed", 0 if seed is None else seed)):
        if not isinstance(whole, (int, np.integer)) or whole < 0:
            raise ArgumentError(f"{name} is {whole!r}: expected a whole number, 0 or more")
    has_xtc = xtc_probability > 0 and xtc_threshold <= 0.5
    if temperature == 0 and typical_p == 1 and not has_xtc:  # nothing else drops the most probable token
        return greedy
    chance = np.random.default_rng(seed)

    def kept_of(logits: Logits) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        """Return the ids that top_k, typical_p, top_p and min_p keep, and their logits, most probable first.

        Without top_k and typical_p, the number of sorted tokens grows until top_p or min_p drops one of them.
        """
        values = np.asarray(logits, np.float64)
        if not top_k and typical_p == top_p == 1 and min_p == 0:
            return np.arange(len(values)), values
        n = top_k or (_FIRST_SORTED if typical_p == 1 else len(values))
        total = None if top_k or typical_p < 1 else np.exp(values - values.max()).sum()
        while True:
            kept = _largest(logits, n)
            n_sorted = len(kept)
            ordered = values[kept]
            if typical_p < 1:
                chosen = typical(ordered, typical_p)
                kept, ordered = kept[chosen], ordered[chosen]
            likelihoods = np.exp(ordered - ordered[0])
            probabilities = likelihoods / (likelihoods.sum() if total is None else total)
            n_likely = int(np.searchsorted(np.cumsum(probabilities), top_p)) + 1 if top_p < 1 else len(values)
            n_fair = int((probabilities >= min_p * probabilities[0]).sum())
            n_kept = max(1, min(n_likely, n_fair))
            if total is None or n_kept < n_sorted or n_sorted == len(values):
                return kept[:n_kept], ordered[:n_kept]
            n *= 8

    def draw(logits: Logits) -> int:
        if top_n_sigma > 0:
            among = within_sigma(logits, top_n_sigma)
            kept, ordered = kept_of(logits[among])
            kept = among[kept]
        else:
            kept, ordered = kept_of(logits)
        if has_xtc and chance.random() <= xtc_probability:
            kept, ordered = without_top_choices(kept, ordered, xtc_threshold)
        if temperature == 0:
            return int(kept[np.argmax(ordered)])
        weights = np.cumsum(np.exp((ordered - ordered.max()) / temperature))
        drawn = int(np.searchsorted(weights, chance.random() * weights[-1], side="right"))
        return int(kept[min(drawn, len(weights) - 1)])

    return draw


def _largest(logits: npt.NDArray[np.floating[Any]], n: int) -> npt.NDArray[np.intp]:
    """Return the ids of the n largest logits, largest first; the lower id wins a tie. It sorts no other logits."""
    falling = -logits
    if n >= len(logits):
        return np.argsort(falling, kind="stable")
    among = np.flatnonzero(~(falling > np.partition(falling, n - 1)[n - 1]))
    return among[np.argsort(falling[among], kind="stable")[:n]]


def biased(bias: Mapping[int, float]) -> Processor:
    """Return a processor that adds a logit bias; -inf bans a token.

    Args:
        bias: numbers by token id. Ids may be strings of digits, as in JSON.

    Raises:
        ArgumentError: ``bias`` is no mapping of ids to numbers, or a number is NaN.
    """
    try:
        ids = np.array([int(token) if isinstance(token, str) else operator.index(token) for token in bias], np.intp)
        values = np.array([*bias.values()], np.float32)
    except (TypeError, ValueError, AttributeError):
        raise ArgumentError(f"a bias of {described(bias)}: expected numbers by ids of tokens") from None
    if np.isnan(values).any():
        raise ArgumentError(f"a bias of {described(bias)}: nan says nothing")

    def process(_: Sequence[int], logits: Logits) -> Logits:
        outside = ids[(ids < 0) | (ids >= len(logits))]
        if len(outside):
            raise ArgumentError(f"a bias for token {outside[0]}: tokens are 0 to {len(logits) - 1}")
        changed: Logits = logits.copy()
        changed[ids] += values
        return changed

    return process


def penalised(*, repeat: float = 1.0, frequency: float = 0.0, presence: float = 0.0, last: int = 64) -> Processor:
    """Return a processor that penalizes tokens among the last ones of the sequence, as llama.cpp does.

    Args:
        repeat: repeat penalty: divides positive logits and multiplies negative ones.
        frequency: frequency penalty: subtracted once for each occurrence of a token.
        presence: presence penalty: subtracted once from the logit of each token that occurs.
        last: number of last tokens to consider (llama.cpp's repeat_last_n); 0: none.

    Raises:
        ArgumentError: ``repeat`` is not positive, ``last`` is negative, or a penalty is no finite number.
    """
    for name, number in (("repeat", repeat), ("frequency", frequency), ("presence", presence)):
        if not isinstance(number, (int, float, np.number)) or not np.isfinite(number):
            raise ArgumentError(f"{name} is {number!r}: expected a finite number")
    if not repeat > 0 or last < 0:
        raise ArgumentError(f"repeat is {repeat!r} and last is {last!r}: expected more than 0, and 0 or more")

    def process(tokens: Sequence[int], logits: Logits) -> Logits:
        ids, counts = np.unique(np.array(tokens[max(0, len(tokens) - last) :], np.intp), return_counts=True)
        changed: Logits = logits.copy()
        chosen = changed[ids]
        chosen = np.where(chosen > 0, chosen / repeat, chosen * repeat)
        changed[ids] = chosen - counts * frequency - presence
        return changed

    return process
