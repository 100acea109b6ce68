# SPDX-License-Identifier: MIT
"""SentencePiece's BPE: of all neighbours whose concatenation is a token, the pair with the best score merges first.

The ``tokenizers`` package wants every pair of tokens that can merge, 515,000 of them for Gemma's vocabulary: that takes
2 s and 250 MiB. This module looks the concatenations up in the vocabulary instead, as llama.cpp does, word by word, and
keeps the ids of the words that it saw last.
"""

from __future__ import annotations

import heapq
import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

SPACE: Final = "\u2581"  # SentencePiece writes it for a space
_MAX_WORDS: Final = 1 << 14  # whose ids are kept
_LONGEST_KEPT: Final = 32  # characters
_LONGEST_SCANNED: Final = 48  # characters; a heap finds the best pair of longer words


class ScoredBPE:
    """Encodes texts whose spaces are written as U+2581. Any thread may use it.

    Args:
        tokens: the vocabulary.
        ids: the id of each token.
        scores: of each token; higher ones merge first, of equal ones the leftmost.
        names: the tokens that no text becomes.
    """

    def __init__(self, tokens: Sequence[str], ids: dict[str, int], scores: np.ndarray, names: np.ndarray) -> None:
        self._ids = ids
        _, ranks = np.unique(-scores.astype(np.float64), return_inverse=True)
        self._no_merge = len(tokens)
        self._ranks = array("i", np.where(names, len(tokens), ranks).astype(np.int32).tobytes())  # 0 merges first
        self._bytes = [ids.get(f"<0x{byte:02X}>") for byte in range(256)]
        # No token crosses the start of a word: a space that follows a character which precedes no space within a token.
        inner = "".join(sorted({found[0] for found in re.findall(f"[^\0]{SPACE}", "\0".join(tokens))} | {SPACE}))
        self._word_start = re.compile(f"(?<=[^{re.escape(inner)}])(?={SPACE})")
        self._words: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text. A character that is no token becomes the tokens of its bytes, or else token 0."""
        words, encoded = self._words, list[int]()
        for word in self._split(text):
            ids = words.get(word)
            if ids is None:
                ids = self._encode_word(word)
                if len(word) <= _LONGEST_KEPT:
                    if len(words) >= _MAX_WORDS:
                        words.clear()
                    words[word] = ids
            encoded += ids
        return encoded

    def _split(self, text: str) -> Iterator[str]:
        """Yield the words of a text; one search at a time, since a search holds the GIL."""
        start = 0
        for boundary in self._word_start.finditer(text):
            yield text[start : boundary.start()]
            start = boundary.start()
        yield text[start:]

    def _encode_word(self, word: str) -> list[int]:
        pieces = self._merged_by_scan(word) if len(word) <= _LONGEST_SCANNED else self._merged_by_heap(word)
        encoded = list[int]()
        for piece in pieces:
            number = self._ids.get(piece)
            if number is None or self._ranks[number] == self._no_merge:
                found = [self._bytes[byte] for byte in piece.encode()]
                encoded += [0] if None in found else [token for token in found if token is not None]
            else:
                encoded.append(number)
        return encoded

    def _rank(self, text: str) -> int:
        number = self._ids.get(text)
        return self._no_merge if number is None else self._ranks[number]

    def _merged_by_scan(self, word: str) -> list[str]:
        """Return the pieces of a word; quadratic in its length."""
        pieces = list(word)
        ranks = [self._rank(left + right) for left, right in pairwise(pieces)]
        while ranks and (best := min(ranks)) < self._no_merge:
            at = ranks.index(best)
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
            del ranks[at]
            if at:
                ranks[at - 1] = self._rank(pieces[at - 1] + pieces[at])
            if at < len(ranks):
                ranks[at] = self._rank(pieces[at] + pieces[at + 1])
        return pieces

    def _merged_by_heap(self, word: str) -> list[str]:
        """Return the pieces of a word in n log n."""
        n, pieces, none = len(word), list(word), self._no_merge
        after, before = list(range(1, n + 1)), list(range(-1, n - 1))
        pairs = ((self._rank(word[at : at + 2]), at, 2) for at in range(n - 1))
        heap = [pair for pair in pairs if pair[0] < none]
        heapq.heapify(heap)
        while heap:
            _, left, length = heapq.heappop(heap)
            piece, right = pieces[left], after[left]
            if not piece or right == n or len(piece) + len(pieces[right]) != length:
                continue  # a piece of this pair has merged with another one: pieces only grow
            piece += pieces[right]
            pieces[left], pieces[right] = piece, ""
            after[left] = following = after[right]
            if following < n:
                before[following] = left
                if (rank := self._rank(piece + pieces[following])) < none:
                    heapq.heappush(heap, (rank, left, length + len(pieces[following])))
            previous = before[left]
            if previous >= 0 and (rank := self._rank(pieces[previous] + piece)) < none:
                heapq.heappush(heap, (rank, previous, length + len(pieces[previous])))
        return [piece for piece in pieces if piece]
