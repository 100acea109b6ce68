# SPDX-License-Identifier: MIT
"""DRY ("don't repeat yourself"): penalizes tokens that would continue a repetition, as llama.cpp does.

The longer the repeated sequence already is, the larger the penalty of the token that would extend it. A sequence
breaker, such as a line break, ends what counts as a repetition.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.arguments import whole_number
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.sampling import Logits, Processor
from pyhexagon.llm.tokens.tokenizer import Tokenizer

BREAKERS: Final = ("\n", ":", '"', "*")
_LONGEST_BREAKER: Final = 40  # bytes
_LONGEST_TAIL: Final = 20  # tokens
_MOST_BREAKERS: Final = 64
_LARGEST: Final = float(np.finfo(np.float32).max)
MOST: Final = (1 << 31) - 1  # tokens

Tails = Mapping[int, Sequence[tuple[int, ...]]]  # by the first token of a breaker, the tokens that may follow it there


class SequenceBreakers:
    """Finds the tokens that sequence breakers are made of in a vocabulary.

    Args:
        tokenizer: of the model.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._found: dict[str, list[tuple[int, tuple[int, ...]]]] = {}

    @cached_property
    def _words(self) -> list[bytes]:
        tokenizer = self._tokenizer
        return [tokenizer.token_bytes(token, special=True) for token in range(tokenizer.n_tokens)]

    def tails(self, texts: Iterable[str]) -> Tails:
        """Return the breakers as tokens. A token that contains a breaker is one by itself; one that ends with the
        beginning of a breaker is one if the tokens of the rest follow it.

        Raises:
            ArgumentError: ``texts`` is no list of texts, or has too many.
        """
        given = None if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable) else list(texts)
        if given is None or len(given) > _MOST_BREAKERS or not all(isinstance(text, str) for text in given):
            raise ArgumentError(f"dry_sequence_breakers is {texts!r}: expected at most {_MOST_BREAKERS} texts")
        made: dict[int, list[tuple[int, ...]]] = {}
        for text in given:
            if text not in self._found:
                if len(self._found) > _MOST_BREAKERS:
                    self._found.clear()
                self._found[text] = self._pairs(text)
            for head, tail in self._found[text]:
                tails = made.setdefault(head, [])
                if tail not in tails:
                    tails.append(tail)
        return made

    def _pairs(self, text: str) -> list[tuple[int, tuple[int, ...]]]:
        breaker = text.encode("utf-8", "replace")[:_LONGEST_BREAKER]
        if not breaker:
            return []
        rests = {
            breaker[:n]: tuple(self._tokenizer.encode_within(breaker[n:].decode("utf-8", "replace"))[:_LONGEST_TAIL])
            for n in range(1, len(breaker))
        }
        pairs: list[tuple[int, tuple[int, ...]]] = []
        for token, word in enumerate(self._words):
            if breaker in word:
                pairs.append((token, ()))
            elif rests:
                pairs += [(token, tail) for begun, tail in rests.items() if word.endswith(begun)]
        return pairs


def dry(
    multiplier: float,
    *,
    base: float = 1.75,
    allowed_length: int = 2,
    last: int = -1,
    breakers: Tails | None = None,
    n_ctx: int = MOST,
) -> Processor:
    """Return a processor that subtracts ``multiplier * base ** (n - allowed_length)`` from the logits of tokens that
    would extend a repetition of n tokens.

    Args:
        multiplier: of the penalty; 0: none.
        base: of the penalty's growth, 1 or more.
        allowed_length: repetitions of fewer tokens are not penalized.
        last: number of last tokens to search for repetitions; -1: the whole context; 0: none.
        breakers: end what counts as a repetition.
        n_ctx: context length.

    Raises:
        ArgumentError: a number is out of range.
    """
    for name, value, least in (("dry_multiplier", multiplier, 0), ("dry_base", base, 1)):
        if not isinstance(value, (int, float, np.number)) or not least <= value < math.inf:
            raise ArgumentError(f"{name} is {value!r}: expected a number, {least} or more")
    whole_number("dry_allowed_length", allowed_length, 0, MOST, "0")
    whole_number("dry_penalty_last_n", last, -1, MOST, "-1")
    n_last = n_ctx if last == -1 else min(last, n_ctx)
    most = int(math.log(_LARGEST) / math.log(base)) if base > 1.000001 else 0  # exponent of the base; 0: any
    tails = breakers or {}

    def process(tokens: Sequence[int], logits: Logits) -> Logits:
        ids, lengths = repetitions(tokens[max(0, len(tokens) - n_last) :], allowed_length, tails, most)
        if not len(ids):
            return logits
        exponents = lengths - allowed_length
        exponents = np.minimum(exponents, most) if most else exponents
        penalties = np.minimum(multiplier * np.power(float(base), exponents), _LARGEST)
        changed: Logits = logits.copy()
        changed[ids] -= penalties.astype(np.float32)
        return changed

    return process


def repetitions(
    tokens: Sequence[int], allowed_length: int, breakers: Tails, most: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the tokens that would extend a repetition, and the length of the longest one that each would extend.

    Args:
        tokens: to search.
        allowed_length: shortest repetition.
        breakers: as of ``dry``; none of their tokens is returned.
        most: lengths beyond allowed_length that matter; 0: all.
    """
    given = np.asarray(tokens, np.intp)
    none = given[:0]
    n = len(given)
    if n <= allowed_length:
        return none, none
    limit = _n_since_breaker(tokens, breakers)
    if limit < allowed_length:
        return none, none
    if most:
        limit = min(limit, allowed_length + most)
    ends = np.arange(n - 1)  # places whose next token would extend what ends there
    lengths = np.zeros(n - 1, np.intp)
    for length in range(limit):  # ends whose last ``length`` tokens are also the last ones of all
        ends = ends[ends >= length]
        ends = ends[given[ends - length] == given[n - 1 - length]]
        if not len(ends):
            break
        lengths[ends] = length + 1
    places = np.flatnonzero(lengths >= allowed_length)
    longest: dict[int, int] = {}
    for token, length in zip(given[places + 1].tolist(), lengths[places].tolist(), strict=True):
        if length > longest.get(token, -1) and () not in breakers.get(token, ()):
            longest[token] = length
    return np.array([*longest], np.intp), np.array([*longest.values()], np.intp)


def _n_since_breaker(tokens: Sequence[int], breakers: Tails) -> int:
    """Return the number of tokens after the last sequence breaker."""
    n = len(tokens)
    if not breakers:
        return n
    for n_after in range(n):
        tails = breakers.get(tokens[n - 1 - n_after])
        if tails is None:
            continue
        after = tokens[n - n_after :]
        matches = [len(tail) for tail in tails if tuple(after[: len(tail)]) == tail]
        if matches:
            return n_after - max(matches)
    return n
