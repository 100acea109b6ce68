# SPDX-License-Identifier: MIT
"""An index of sequences by the hashes of their prefixes: finds the longest cached prefix of a prompt.

Prefixes of 1, 2, 4, ... 64 tokens and of each further page of 64 tokens have an entry. A sequence that has n tokens in
common with a prompt shares all entries up to n with it, so the deepest entry that a prompt finds names every sequence
that can have the longest common prefix. A lookup costs one hash per entry of the prompt, however many sequences there
are; the tokens of the few candidates are compared, so that equal hashes do no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pyhexagon.cache import PAGE_TOKENS
from pyhexagon.llm.engine.sequence import Salt, TokenSequence

Key = tuple[int, int]  # length of a prefix, and its hash
_SHORT: Final = [1 << n for n in range(PAGE_TOKENS.bit_length())]  # 1 to 64


def _lengths(n_tokens: int, start: int = 0) -> Iterator[int]:
    """Yield the indexed prefix lengths above ``start`` up to n_tokens."""
    for length in _SHORT:
        if start < length <= n_tokens:
            yield length
    yield from range(max(2 * PAGE_TOKENS, start - start % PAGE_TOKENS + PAGE_TOKENS), n_tokens + 1, PAGE_TOKENS)


def _keys(tokens: list[int], salt: Salt, known: list[Key]) -> Iterator[Key]:
    """Yield the keys of a token list that follow the known keys; each hash includes the one before it."""
    start, value = known[-1] if known else (0, hash(salt))
    for length in _lengths(len(tokens), start):
        value = hash((value, *tokens[start:length]))
        start = length
        yield length, value


class PrefixIndex:
    """Sequences by their prefixes."""

    def __init__(self) -> None:
        self._sequences: dict[Key, dict[TokenSequence, None]] = {}

    def update(self, sequence: TokenSequence) -> None:
        """Index the tokens of a sequence, which may have grown or been rolled back since the last call."""
        keys, n_tokens = sequence.prefix_keys, len(sequence.tokens)
        while keys and keys[-1][0] > n_tokens:
            self._remove(keys.pop(), sequence)
        if keys and n_tokens < keys[-1][0] + min(keys[-1][0], PAGE_TOKENS):
            return  # no further entry, as after most decode steps
        for key in _keys(sequence.tokens, sequence.salt, keys):
            self._sequences.setdefault(key, {})[sequence] = None
            keys.append(key)

    def discard(self, sequence: TokenSequence) -> None:
        """Remove a sequence."""
        for key in sequence.prefix_keys:
            self._remove(key, sequence)
        sequence.prefix_keys.clear()

    def _remove(self, key: Key, sequence: TokenSequence) -> None:
        found = self._sequences[key]
        del found[sequence]
        if not found:
            del self._sequences[key]

    def candidates(self, tokens: list[int], salt: Salt) -> Iterator[tuple[int, list[TokenSequence]]]:
        """Yield groups of sequences that share a prefix with the tokens, those with the longest prefix first.

        Yields:
            A length n, and the sequences that share at least n tokens and were in no group before. Sequences of later
            groups share fewer than n.
        """
        found = []
        for key in _keys(tokens, salt, []):
            if key not in self._sequences:
                break
            found.append(key)
        seen: set[TokenSequence] = set()
        for key in reversed(found):
            group = [one for one in self._sequences[key] if one not in seen]
            seen.update(group)
            yield key[0], group
