# SPDX-License-Identifier: MIT
"""The KV cache manager: allocates pages and state slots to sequences, and keeps idle sequences for prefix caching.

A sequence is active while a forward pass extends it, and idle afterwards. Prefix caching reuses idle sequences. The
manager evicts them, least recently used first, when an active sequence needs their pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyhexagon.cache import PAGE_TOKENS, Cache, PageTable
from pyhexagon.errors import ArgumentError, DspMemoryError
from pyhexagon.llm.engine.checkpoints import Checkpoints, marks_of
from pyhexagon.llm.engine.forward import I32, ForwardPass
from pyhexagon.llm.engine.prefix_index import PrefixIndex
from pyhexagon.llm.engine.recurrent_state import StateSlots
from pyhexagon.llm.engine.sequence import NO_SALT, Salt, TokenSequence, n_common
from pyhexagon.llm.engine.stage import n_pages_of
from pyhexagon.llm.engine.window_pages import WindowPool

Saved = dict[str, Any]  # arrays


class KVCacheManager:
    """The sequences of a model. Not for several threads at once.

    Args:
        pages: of keys and values in layers without a window.
        windows: pages of sliding-window layers, if the model has such layers.
        states: slots of recurrent states, if the model has recurrent layers.
        fingerprint: of the model; ``load`` refuses what another model saved.

    Attributes:
        idle: sequences that no forward pass extends, least recently used first.
    """

    def __init__(
        self, pages: PageTable, states: StateSlots | None, fingerprint: str, windows: WindowPool | None = None
    ) -> None:
        self.pages, self.windows, self.states, self._fingerprint = pages, windows, states, fingerprint
        self.idle: dict[TokenSequence, None] = {}
        self._index = PrefixIndex()
        self._by_end: dict[tuple[int, int], dict[TokenSequence, None]] = {}  # by length and last token
        self._n_uses = 0

    # --- Prefix caching ---

    def acquire(self, forward: ForwardPass, waiting: Sequence[ForwardPass]) -> TokenSequence:
        """Return a sequence that holds the longest cached prefix of a pass, up to the first position with logits.

        An idle sequence is continued or rolled back where no other waiting pass needs more of it than that; otherwise
        it is forked and shares its pages.
        """
        tokens = forward.tokens
        n_max = len(tokens) - forward.n_logits
        if n_max and (sequence := self._continued(forward, n_max, waiting)) is not None:
            return sequence
        best, n_kept, n_shared = self._longest_prefix(forward, n_max)
        sequence = self._prefix(forward, waiting, best, n_kept)
        if sequence.checkpoints is not None and not forward.n_draft:
            forward.marks = marks_of(len(tokens), n_kept, min(n_shared, n_max), forward.turn)
            sequence.checkpoints.marks, sequence.checkpoints.n_prompt = forward.marks, len(tokens)
        return sequence

    def _prefix(
        self, forward: ForwardPass, waiting: Sequence[ForwardPass], best: TokenSequence | None, n_kept: int
    ) -> TokenSequence:
        """Return a sequence with the first ``n_kept`` tokens of an idle one: that one, or a fork of it."""
        tokens = forward.tokens
        if best is None or not n_kept:
            return self.new_sequence(forward.salt)
        is_same = len(best.tokens) == len(tokens) == n_kept + 1  # all but the last token
        if (is_same or n_kept >= len(best.tokens) - best.n_draft) and not any(
            n_common(best.tokens, other.tokens) > n_kept
            for other in waiting
            if other is not forward and other.sequence is None and other.salt == forward.salt
        ):
            self._activate(best)
            best.truncate(n_kept)
            self._index.update(best)
            return best
        n_draft = best.n_draft
        self._activate(best)
        self.release(best, n_draft)  # the most recently used one
        return best.fork(n_kept)

    def _continued(self, forward: ForwardPass, n_tokens: int, waiting: Sequence[ForwardPass]) -> TokenSequence | None:
        """Return the idle sequence that holds exactly the first n_tokens of a pass, as in each decode step.

        It is forked if another beam that waits has the same first tokens.
        """
        candidates = self._by_end.get((n_tokens, forward.tokens[n_tokens - 1]))
        if candidates is None:
            return None
        prefix = forward.tokens[:n_tokens]
        for sequence in candidates:
            if (
                sequence.tokens == prefix
                and sequence.salt == forward.salt
                and (sequence.checkpoints is None or sequence.reach(n_tokens) == n_tokens)
            ):
                is_shared = forward.is_beam and any(
                    other is not forward
                    and other.sequence is None
                    and other.salt == forward.salt
                    and other.tokens[:n_tokens] == prefix
                    for other in waiting
                )
                self._activate(sequence)
                if not is_shared:
                    return sequence
                self.release(sequence)
                return sequence.fork(n_tokens)
        return None

    def _longest_prefix(self, forward: ForwardPass, n_max: int) -> tuple[TokenSequence | None, int, int]:
        """Return the idle sequence with the longest usable prefix, the length of that, and of what they share."""
        best, key = None, (0, 0, 0)
        for length, group in self._index.candidates(forward.tokens, forward.salt):
            for sequence in group:
                if sequence not in self.idle:
                    continue
                n = n_common(sequence.tokens, forward.tokens)
                now = sequence.reach(min(n, n_max)), n, -sequence.last_used
                if best is None or now > key:
                    best, key = sequence, now
            if best is not None and key[0] >= min(length - 1, n_max):
                break  # sequences of later groups share fewer tokens
        return best, key[0], key[1]

    def _activate(self, sequence: TokenSequence) -> None:
        del self.idle[sequence]
        end = len(sequence.tokens), sequence.tokens[-1]
        found = self._by_end[end]
        del found[sequence]
        if not found:
            del self._by_end[end]
        sequence.n_draft = 0

    def release(self, sequence: TokenSequence, n_draft: int = 0) -> None:
        """Make a sequence idle.

        Args:
            sequence: that no pass extends any more.
            n_draft: number of its last tokens that are draft tokens.
        """
        if not sequence.tokens:
            sequence.close()
            return
        sequence.n_draft = n_draft
        self._n_uses += 1
        sequence.last_used = self._n_uses
        self.idle[sequence] = None
        end = len(sequence.tokens), sequence.tokens[-1]
        if end in self._by_end:
            self._by_end[end][sequence] = None
        else:
            self._by_end[end] = {sequence: None}
        self._index.update(sequence)

    # --- Allocation ---

    def new_sequence(self, salt: Salt = NO_SALT) -> TokenSequence:
        """Return an active sequence without tokens."""
        checkpoints = None if self.states is None else Checkpoints(self.states)
        window = None if self.windows is None else self.windows.sequence()
        return TokenSequence([], self.pages.sequence(), checkpoints, salt=salt, window=window)

    def append(self, sequence: TokenSequence, n_tokens: int, n_draft: int = 0) -> I32 | None:
        """Allocate room for more tokens of a sequence, evicting idle sequences, and return their positions.

        Returns:
            None if nothing is left to evict.
        """
        try:
            return sequence.append(n_tokens, n_draft)
        except DspMemoryError:
            if not self.idle:
                has_dropped = sequence.checkpoints is not None and sequence.checkpoints.drop_spare()
                return self.append(sequence, n_tokens, n_draft) if has_dropped else None
        self.evict()
        return self.append(sequence, n_tokens, n_draft)

    def evict(self) -> None:
        """Free the least recently used idle sequence."""
        sequence = next(iter(self.idle))
        self._activate(sequence)
        self.close(sequence)

    def close(self, sequence: TokenSequence) -> None:
        """Free an active sequence."""
        self._index.discard(sequence)
        sequence.close()

    def reserve(self, tokens: Sequence[int], n_pages: int) -> tuple[I32, I32]:
        """Keep a sequence that the caller writes keys and values for, and return its rows of the page tables.

        Returns:
            Pages of layers without a window and window pages, (n_pages,) each. Window pages before the last window are
            -1, if they are short: nothing reads their keys and values.

        Raises:
            DspMemoryError: it is longer than the cache.
        """
        sequence = self.new_sequence()
        for start in range(0, len(tokens), PAGE_TOKENS):
            part = tokens[start : start + PAGE_TOKENS]
            if self.append(sequence, len(part)) is None:
                sequence.append(len(part), 0)  # raises the error that names the shortage
            sequence.extend(part)
        sequence.pin()
        self.release(sequence)
        pages: I32 = self.pages.tables([sequence.pages], n_pages)[0]
        window = pages if sequence.window is None else self.pages.tables([sequence.window], n_pages)[0]
        return pages, window

    def truncate(self, n_tokens: int) -> None:
        """Roll each idle sequence back to n_tokens tokens, or to the last checkpoint of recurrent state before that."""
        for sequence in list(self.idle):
            n_kept = sequence.reach(min(n_tokens, len(sequence.tokens)))
            self._activate(sequence)
            sequence.truncate(n_kept)
            sequence.pin()
            if sequence.tokens:
                self.release(sequence)
            else:
                self.close(sequence)

    def clear(self) -> None:
        """Evict all idle sequences."""
        while self.idle:
            self.evict()

    # --- Saving ---

    def save(self) -> Saved:
        """Return the state of the most recently used sequence, for ``numpy.savez`` and ``load``."""
        sequence = next(reversed(self.idle))
        tokens = np.array(sequence.tokens, np.int32)
        saved = {**sequence.pages.save(), "tokens": tokens, "model": np.array(self._name())}
        saved |= {} if sequence.window is None else sequence.window.save_window()
        return saved if sequence.checkpoints is None else saved | sequence.checkpoints.save()

    def tokens_of(self, saved: Saved) -> list[int]:
        """Return the tokens of a saved sequence.

        Raises:
            ArgumentError: another model or another kind of cache saved it, or ``save`` did not.
        """
        try:
            name, tokens = str(saved["model"]), [int(token) for token in saved["tokens"]]
        except (KeyError, TypeError, ValueError) as problem:
            raise ArgumentError(f"the saved sequence is incomplete: {problem}") from None
        if name != self._name():
            raise ArgumentError("the saved sequence belongs to another model or another kind of cache")
        return tokens

    def load(self, tokens: list[int], saved: Saved) -> None:
        """Restore a saved sequence as an idle one.

        Raises:
            ArgumentError: ``saved`` is damaged.
            DspMemoryError: it is longer than the cache.
        """
        sequence = self.new_sequence()
        n_pages, windows = n_pages_of(len(tokens)), self.windows
        while self.idle and not (
            self.pages.free_pages >= n_pages
            and (windows is None or windows.make_room(min(n_pages, windows.n_pages)))
        ):  # fmt: skip
            self.evict()
        try:
            sequence.load(tokens, saved)
        except BaseException:
            sequence.close()
            raise
        self.release(sequence)

    def _name(self) -> str:
        kind = self.pages.kind.upper() if isinstance(self.pages, Cache) else ""
        revision = 3 if kind == "F16" else 2  # of the byte layout of a page
        window = "" if self.windows is None else f" window {self.windows.window}"
        return f"{self._fingerprint} {kind} rotated {revision}{window}"
