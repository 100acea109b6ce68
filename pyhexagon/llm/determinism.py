# SPDX-License-Identifier: MIT
"""Compare completions of the same request under other conditions: batches, caches, speculation, a lost device."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import zip_longest
from typing import Final, NamedTuple

import numpy as np

from pyhexagon.llm.llm import LLM

PROMPTS: Final = (
    "The capital of France is",
    "one two three four one two three four one two three",  # prompt lookup finds drafts
    "def fibonacci(n):\n    if n < 2:\n        return n\n    return",
    "Once upon a time, in a house by the sea, there lived",
)
_N_STRANGERS: Final = 4  # other requests in a batch
N_SEQUENCES: Final = len(PROMPTS) + _N_STRANGERS
_SEED: Final = 7
_TEMPERATURE: Final = 1.0
_TOKEN_BYTES: Final = 12  # an id and a log-probability


class Condition(NamedTuple):
    """A way to run the prompts, and its result.

    Attributes:
        name: of the condition.
        tokens: that were generated.
        differing_bytes: of token ids and log-probabilities, compared with each prompt alone in an empty cache.
    """

    name: str
    tokens: int
    differing_bytes: int


def conditions(llm: LLM, max_tokens: int) -> Iterator[Condition]:
    """Run ``PROMPTS`` under each condition, and compare their tokens and log-probabilities byte by byte.

    Args:
        llm: with ``N_SEQUENCES`` sequences, and with prompt lookup or a draft model.
        max_tokens: of a completion.

    Raises:
        HexagonError: as ``LLM.stream``.
    """

    def alone(half_way: Callable[[], object] | None = None, *, is_cold: bool = False, n_draft: int = 0) -> list[bytes]:
        made = []
        for prompt in PROMPTS:
            if is_cold:
                llm.clear_cache()
            parts = []
            for part in llm.stream(prompt, max_tokens, _TEMPERATURE, seed=_SEED, num_draft_tokens=n_draft):
                parts.append((part.token, part.logprob))
                if half_way is not None and len(parts) == max_tokens // 2:
                    half_way()
            made.append(_bytes(parts))
        return made

    def batched(n_strangers: int, n_draft: int = 0) -> list[bytes]:
        rng = np.random.default_rng(_SEED)
        n_tokens = llm.tokenizer.n_tokens
        strangers = [rng.integers(0, n_tokens, 5 + 7 * number).tolist() for number in range(n_strangers)]
        llm.clear_cache()
        made = llm.generate_all(
            [*strangers, *PROMPTS], max_tokens, _TEMPERATURE, seed=_SEED, num_draft_tokens=n_draft
        )
        return [_bytes(zip(generation.tokens, generation.logprobs, strict=True)) for generation in made[n_strangers:]]

    ways: dict[str, Callable[[], list[bytes]]] = {
        "alone, cache empty": partial(alone, is_cold=True),
        "again, cache warm": alone,
        "in one batch": partial(batched, 0),
        f"in a batch with {_N_STRANGERS} strangers": partial(batched, _N_STRANGERS),
        "with speculation": partial(alone, is_cold=True, n_draft=4),
        "in one batch with speculation": partial(batched, 0, 4),
        "cache emptied half-way": partial(alone, llm.clear_cache),
        "device reopened half-way": partial(alone, llm.reopen),
    }
    wanted: list[bytes] = []
    for name, way in ways.items():
        got = way()
        wanted = wanted or got
        n_differing = sum(a != b for one, other in zip(got, wanted, strict=True) for a, b in zip_longest(one, other))
        yield Condition(name, sum(map(len, got)) // _TOKEN_BYTES, n_differing)


def _bytes(made: Iterable[tuple[int, float]]) -> bytes:
    """Return tokens and their log-probabilities as bytes."""
    return b"".join(struct.pack("<id", token, logprob) for token, logprob in made)
