# SPDX-License-Identifier: MIT
"""A sequence: tokens whose keys and values are in the KV cache, and the recurrent state after some of them.

Keys and values of sliding-window layers are in window pages: those of the last window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy.typing as npt

from pyhexagon.cache import CachedSequence
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.checkpoints import Checkpoints
from pyhexagon.llm.engine.recurrent_state import I32
from pyhexagon.llm.engine.window_pages import WindowPages
from pyhexagon.llm.graph.lora import Adapters

Salt = tuple[str, Adapters]
"""What sequences that share a prefix have in common beside its tokens: the requests' ``cache_salt``, and adapters."""

NO_SALT: Final[Salt] = "", ()


@dataclass(eq=False)
class TokenSequence:
    """Tokens of one sequence that were computed.

    Attributes:
        tokens: in the KV cache.
        pages: of the KV cache that hold them, in layers without a window.
        checkpoints: recurrent states of the sequence; None for models without recurrent layers.
        n_draft: number of last tokens that were draft tokens; a later pass may roll them back.
        salt: only passes with the same salt may reuse the sequence.
        window: pages of sliding-window layers; None for models without them.
        last_used: grows with each use, for LRU eviction.
        prefix_keys: of ``PrefixIndex``.
    """

    tokens: list[int]
    pages: CachedSequence
    checkpoints: Checkpoints | None = None
    n_draft: int = 0
    salt: Salt = NO_SALT
    window: WindowPages | None = None
    last_used: int = 0
    prefix_keys: list[tuple[int, int]] = field(default_factory=list, repr=False)

    def reach(self, n_tokens: int) -> int:
        """Return the largest length, at most n_tokens, to which the sequence can be rolled back."""
        n_tokens = n_tokens if self.checkpoints is None else self.checkpoints.reach(n_tokens)
        return n_tokens if self.window is None else self.window.reach(n_tokens)

    def truncate(self, n_tokens: int) -> None:
        """Roll back to n_tokens tokens."""
        del self.tokens[n_tokens:]
        self.pages.truncate(n_tokens)
        if self.window is not None:
            self.window.truncate(n_tokens)
        if self.checkpoints is not None:
            self.checkpoints.truncate(n_tokens)

    def fork(self, n_tokens: int) -> TokenSequence:
        """Return a new sequence of the first n_tokens tokens. It shares the pages; appending copies on write."""
        pages = self.pages.fork()
        pages.truncate(n_tokens)
        checkpoints = None if self.checkpoints is None else self.checkpoints.fork(n_tokens)
        window = None if self.window is None else self.window.fork()
        if window is not None:
            window.truncate(n_tokens)
        return TokenSequence(self.tokens[:n_tokens], pages, checkpoints, salt=self.salt, window=window)

    def append(self, n_tokens: int, n_draft: int) -> I32:
        """Allocate pages and state slots for n_tokens more tokens, and return their positions, (n_tokens,) int32.

        Args:
            n_tokens: that the next message computes.
            n_draft: number of them, at the end, that are draft tokens.

        Raises:
            DspMemoryError: the cache is full; nothing has changed.
        """
        if self.checkpoints is not None:
            start = len(self.tokens)
            self.checkpoints.begin(start, start + n_tokens, n_draft)
        positions = self.pages.append(n_tokens)
        if self.window is not None:
            try:
                self.window.append(n_tokens, n_draft)
            except BaseException:
                self.pages.truncate(len(self.tokens))
                raise
        return positions

    def pin(self) -> None:
        """Keep the checkpoint at the present length for as long as the sequence lives."""
        if self.checkpoints is not None:
            self.checkpoints.pinned = len(self.tokens)

    def extend(self, tokens: Sequence[int]) -> None:
        """Add tokens for which ``append`` allocated room, and whose message was sent."""
        self.tokens += tokens
        if self.window is not None:
            self.window.settle()
        if self.checkpoints is not None:
            self.checkpoints.finish()

    def load(self, tokens: list[int], saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore a sequence that was saved into this one, which has no tokens yet.

        Raises:
            ArgumentError: ``saved`` is of another cache, or damaged.
            DspMemoryError: it does not fit.
        """
        self.pages.load(dict(saved))
        if len(self.pages) != len(tokens):
            raise ArgumentError(f"{len(tokens)} tokens were saved, and keys and values of {len(self.pages)}")
        if self.window is not None:
            self.window.load_window(len(tokens), saved)
        if self.checkpoints is not None:
            self.checkpoints.load(len(tokens), saved)
        self.tokens = tokens

    def close(self) -> None:
        """Free its pages and state slots. Again is a no-op."""
        self.pages.close()
        if self.window is not None:
            self.window.close()
        if self.checkpoints is not None:
            self.checkpoints.close()


def n_common(first: list[int], second: list[int]) -> int:
    """Return the length of the common prefix of two token lists."""
    n = min(len(first), len(second))
    if (first if n == len(first) else first[:n]) == (second if n == len(second) else second[:n]):
        return n
    return next(at for at in range(n) if first[at] != second[at])
