# SPDX-License-Identifier: MIT
"""An index of sequences by the hashes of their prefixes: finds the longest cached prefix of a prompt.

Prefixes of 1, 2, 4, ... 64 tokens and of each further page of 64 tokens have an entry. A sequence that has n tokens in
common with a prompt shares all entries up to n with it, so the deepest entry that a prompt finds names every sequence
that can have the longest common prefix. A lookup costs one hash per entry of the prompt, however many sequences there
are; the tokens of the few candidates are compared, so that equal hashes do no harm.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from pyhexagon.cache import PAGE_TOKENS
from pyhexagon.llm.engine.sequence import Salt, TokenSequence

Key = tuple[int, int]  # length of a prefix, and its hash


def _extend(keys: list[Key], tokens: list[int], salt: Salt, known: Container[Key] | None = None) -> None:
    """Append the keys of longer prefixes of a token list; each hash includes the one before it.

    Args:
        keys: of its shortest prefixes.
        known: ends at the first key that is not among these; None: goes on to the whole list.
    """
    start, value = keys[-1] if keys else (0, hash(salt))
    while True:
        length = start + min(start, PAGE_TOKENS) or 1  # 1, 2, 4, ... 64, 128, 192, ...
        if length > len(tokens):
            break
        value = hash((value, *tokens[start:length]))
        if known is not None and (length, value) not in known:
            break
        start = length
        keys.append((length, value))


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
        n_known = len(keys)
        _extend(keys, sequence.tokens, sequence.salt)
        for key in keys[n_known:]:
            self._sequences.setdefault(key, {})[sequence] = None

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
        found: list[Key] = []
        _extend(found, tokens, salt, self._sequences)
        seen: set[TokenSequence] = set()
        for key in reversed(found):
            group = [sequence for sequence in self._sequences[key] if sequence not in seen]
            seen.update(group)
            yield key[0], group
