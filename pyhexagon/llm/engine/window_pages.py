# SPDX-License-Identifier: MIT
"""Window pages: the KV cache of sliding-window layers, which holds the tokens in and just before each window.

Window layers have a page table and a pool of pages of their own. A sequence keeps all of its pages while the pool has
free ones, so that it can be rolled back or forked anywhere. When pages are short, those behind the windows are freed
and reused. If that is not enough, a sequence goes on in the page that leaves its window with the same message: tokens
with the same place in a page are as far apart as the pages of a sequence have room for, so no visible token is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import NO_PAGE, PAGE_TOKENS, CachedSequence, PageTable
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.pages import bits_of_tokens

_CONTENT, _START = "window", "window_start"  # names of arrays in a saved file

I32 = npt.NDArray[np.int32]


class WindowPool:
    """The window pages of a model, and the sequences that hold them.

    Args:
        table: of the pages; at least ``n_pages``, or as many as a sequence of n_ctx tokens needs.
        window: number of positions that a window layer sees.
        n_pages: pages that suffice for one sequence: those of the window and of a message's tokens.
    """

    def __init__(self, table: PageTable, window: int, n_pages: int) -> None:
        self.table, self.window, self.n_pages = table, window, n_pages
        self._sequences: WeakValueDictionary[int, WindowPages] = WeakValueDictionary()  # oldest first
        self._numbers = count()

    def sequence(self) -> WindowPages:
        """Return a new, empty sequence."""
        return WindowPages(self, [], 0)

    def add(self, sequence: WindowPages) -> None:
        """Include a sequence in ``make_room``."""
        self._sequences[next(self._numbers)] = sequence

    def make_room(self, n_pages: int) -> bool:
        """Free pages behind the windows, those of the oldest sequences first, until n_pages are free.

        Returns:
            Whether n_pages are free.
        """
        for sequence in list(self._sequences.values()):
            if self.table.free_pages >= n_pages:
                break
            sequence.free_behind(n_pages)
        return self.table.free_pages >= n_pages


class WindowPages(CachedSequence):
    """The window pages of one sequence. They hold the keys and values of all positions from some position on."""

    def __init__(self, pool: WindowPool, pages: list[int], length: int) -> None:
        super().__init__(pool.table, pages, length)
        self._pool = pool
        self._held_from = 0  # keys and values of the positions from here on are intact
        self._needed_from = 0  # pages before this position may be freed
        self._first = 0  # the first page that is held
        self._n_accepted = length  # tokens before the draft tokens of the last ``append``
        pool.add(self)

    def reach(self, n_tokens: int) -> int:
        """Return n_tokens if the window before that length is held, else 0."""
        return n_tokens if not self._held_from or n_tokens >= self._held_from + self._pool.window - 1 else 0

    def append(self, n_tokens: int, n_draft: int = 0) -> I32:
        """As ``CachedSequence.append``, for at most 64 tokens; may free pages behind the windows.

        Args:
            n_tokens: number of tokens.
            n_draft: number of them, at the end, to which a rollback must remain possible.
        """
        start, end = len(self), len(self) + n_tokens
        self._n_accepted = end - n_draft
        self._need(min(start, self._n_accepted), end)
        positions = super().append(n_tokens)
        reused = len(self.pages) - 1 - self._pool.n_pages
        if reused >= self._first and self.pages[reused] == self.pages[-1]:
            self._held_from = max(self._held_from, end - self._pool.n_pages * PAGE_TOKENS)
        return positions

    def settle(self) -> None:
        """Note that the message with the appended tokens was sent: only draft tokens may be rolled back now."""
        self._need(self._n_accepted, len(self))

    def _need(self, n_tokens: int, end: int) -> None:
        """Require the window of a rollback to n_tokens, and one token before it, for a sequence that ends at ``end``.

        With that token, the logits of the last token can be computed again.
        """
        self._needed_from = max(0, n_tokens - self._pool.window, end - self._pool.n_pages * PAGE_TOKENS)

    def free_behind(self, n_pages: int) -> None:
        """Release the first pages, as far as nothing needs them, until n_pages are free."""
        table = self._pool.table
        while table.free_pages < n_pages and (self._first + 1) * PAGE_TOKENS <= self._needed_from:
            table.release([self.pages[self._first]])
            self.pages[self._first] = NO_PAGE
            self._first += 1
            self._held_from = max(self._held_from, self._first * PAGE_TOKENS)

    def _take(self, n_new: int, n_copies: int) -> list[int]:
        table, n_pages = self._pool.table, n_new + n_copies
        for free in (self.free_behind, self._pool.make_room):  # this sequence's own pages first
            free(n_pages)
            reused = len(self.pages) - self._pool.n_pages
            if n_new and table.free_pages == n_pages - 1 and reused >= self._first:
                page = self.pages[reused]
                if not self._is_of_others(reused):
                    table.hold([page])
                    return [page, *table.take(n_copies)]
        return table.take(n_pages)

    def _is_of_others(self, at: int) -> bool:
        page = self.pages[at]
        return self.cache.n_holders(page) > self.pages.count(page)

    def fork(self) -> WindowPages:
        """As ``CachedSequence.fork``."""
        self._check()
        self.cache.hold(self.pages)
        other = WindowPages(self._pool, list(self.pages), len(self))
        other._held_from, other._needed_from, other._first = self._held_from, self._needed_from, self._first
        return other

    def truncate(self, length: int) -> None:
        """As ``CachedSequence.truncate``, for a length that ``reach`` returns."""
        super().truncate(length)
        if not length:
            self._held_from = self._first = 0
        self._need(length, length)

    def save_window(self) -> dict[str, npt.NDArray[Any]]:
        """Return the keys and values that a continuation needs, for ``load_window``."""
        length = len(self)
        start, cache = max(self._held_from, length - self._pool.window, 0), self._content
        numbers = range(start // PAGE_TOKENS, -(-length // PAGE_TOKENS))
        content = np.zeros((len(numbers), len(cache.layers), cache.page_bytes), np.uint8)
        for number, rows in zip(numbers, content, strict=True):
            rows[:] = cache.read(self.pages[number])
            first = number * PAGE_TOKENS
            for row, layer in zip(rows, cache.layers, strict=True):
                shape = layer.shape[1], layer.shape[2], cache.kind
                before, upto = (
                    bits_of_tokens(*shape, min(max(end - first, 0), PAGE_TOKENS)) for end in (start, length)
                )
                row[: upto.size] &= upto & ~before  # clear bits of other tokens
        return {_CONTENT: content, _START: np.array(start)}

    def load_window(self, length: int, saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what ``save_window`` returned of a sequence of ``length`` tokens into this one, which is empty.

        Raises:
            ArgumentError: the arrays are of another cache, or damaged.
            DspMemoryError: too few pages are free.
        """
        try:
            start, content = int(saved[_START]), saved[_CONTENT]
        except (KeyError, TypeError, ValueError) as problem:
            raise ArgumentError(f"the saved sequence lacks the pages of window layers: {problem}") from None
        if not 0 <= start <= max(0, length - self._pool.window + 1):
            raise ArgumentError(f"window layers were saved from position {start} on, of {length} tokens")
        kept = np.arange(start // PAGE_TOKENS, -(-length // PAGE_TOKENS))
        self._pool.make_room(len(kept))
        self.load({"length": np.array(length), "shifted": np.array(0), "kept": kept, "content": content})
        self._held_from, self._first = start, start // PAGE_TOKENS
        self._n_accepted = length
        self._need(length, length)
