# SPDX-License-Identifier: MIT
"""The batcher decides which sequences join the next message: decode steps, prefill chunks, and who gives up pages.

The passes with the fewest tokens left come first, so that no decode step waits for the prefill of a long prompt. A pass
for which the KV cache has no room waits until others are done; if nothing can be evicted, a pass that has begun is
preempted, and computed anew later.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from pyhexagon.llm.engine.forward import I32, MAX_BATCH_TOKENS, ForwardPass
from pyhexagon.llm.engine.kv_cache import KVCacheManager
from pyhexagon.llm.engine.sequence import TokenSequence

_Pending = tuple[int, ForwardPass, TokenSequence]  # a pass, its number of tokens left, and its sequence
_N_LEFT: Final = operator.itemgetter(0)


class Scheduled(NamedTuple):
    """The share of one sequence in a message.

    Attributes:
        forward: the pass.
        sequence: that it extends.
        chunk: the tokens that the message computes.
        positions: of the chunk, (n,) int32.
        n_logits: number of last tokens of the chunk whose logits the message returns; 0 unless it completes the pass.
    """

    forward: ForwardPass
    sequence: TokenSequence
    chunk: Sequence[int]
    positions: I32
    n_logits: int


class Batcher:
    """Args:
    kv_cache: of the model.
    depth: number of messages that keep all pipeline stages at work.
    n_batch: most tokens of prompts in a message, of all sequences together.

    Attributes:
        begun: passes that hold a sequence after a message, and perhaps some that do not any more, oldest first.
        has_added: passes that were not among the waiting ones have been scheduled.
    """

    def __init__(self, kv_cache: KVCacheManager, depth: int, n_batch: int = MAX_BATCH_TOKENS) -> None:
        self._kv_cache, self._depth, self._n_batch = kv_cache, depth, n_batch
        self.begun: WeakKeyDictionary[ForwardPass, None] = WeakKeyDictionary()
        self.has_added = False
        self._was_decode = False  # the last message of a recurrent model had decode steps only

    def schedule(self, waiting: Sequence[ForwardPass], n_completing: int) -> list[Scheduled]:
        """Return the passes that the next message computes.

        If no waiting pass can have room beside passes that have begun, and whose threads do not wait at present, the
        message computes one of all these.

        Args:
            waiting: passes that need a message.
            n_completing: number of passes that messages in flight complete. The batcher spreads them and the waiting
                passes evenly over the stages of a pipeline.

        Raises:
            DspMemoryError: a sequence is longer than the cache.
        """
        kv_cache = self._kv_cache
        pending: list[_Pending] = []
        for forward in waiting:
            if forward.sequence is None:
                forward.sequence = kv_cache.acquire(forward, waiting)
                if forward.n_cached < 0:
                    forward.n_cached = len(forward.sequence.tokens)
            pending.append((len(forward.tokens) - len(forward.sequence.tokens), forward, forward.sequence))
        if len(pending) > 1:
            pending.sort(key=_N_LEFT)
        if kv_cache.states is not None:
            pending = self._same_length(pending)
        if self._depth > 1:
            pending = pending[: -(-(len(waiting) + n_completing) // self._depth)]
        scheduled: list[Scheduled] = []
        token_budget, prompt_budget = MAX_BATCH_TOKENS, self._n_batch
        for n_left, forward, sequence in pending:
            if not token_budget or forward.sequence is None:  # the pass was preempted
                break
            chunk: Sequence[int] = forward.tokens[-1:]
            if n_left > 1:
                chunk = forward.next_chunk(n_left, token_budget, prompt_budget, is_alone=len(pending) == 1)
            n, is_block = len(chunk), False
            if forward.embeddings.blocks:
                is_block = forward.n_block(n_left) > 0
            if not n or (is_block and scheduled):
                continue
            is_last = n == n_left
            n_draft = forward.n_draft if is_last else 0
            positions = kv_cache.append(sequence, n, n_draft)
            if positions is None:
                if scheduled:
                    continue
                if others := [begun for begun in self.begun if begun.sequence is not None and begun not in waiting]:
                    self.has_added = True
                    return self.schedule([*others, *waiting], n_completing)
                positions = self.append_preempting(sequence, n, n_draft, waiting)
            scheduled.append(Scheduled(forward, sequence, chunk, positions, forward.n_logits if is_last else 0))
            token_budget -= n
            if n_left > 1 and not (is_last and forward.n_logits > 1):
                prompt_budget -= n
            if is_block:
                break
        return scheduled

    def _same_length(self, pending: list[_Pending]) -> list[_Pending]:
        """Return the passes that a program for recurrent layers can compute together, sorted as ``pending``.

        These programs take the same numbers of tokens and of draft tokens of each sequence. So decode steps share a
        message, and so do verifications of as many draft tokens; passes that had to wait come first. A prefill chunk
        has its own message, and both take turns.
        """
        decode, prefill = list[_Pending](), list[_Pending]()
        for n_left, forward, sequence in pending:
            is_decode = n_left == 1 or (forward.n_draft > 0 and n_left < 2 * forward.n_logits)
            (decode if is_decode else prefill).append((n_left, forward, sequence))
        self._was_decode = bool(decode) and not (prefill and self._was_decode)
        if not self._was_decode:
            return prefill[:1]
        decode.sort(key=_n_skipped, reverse=True)
        n_left, first, _ = decode[0]
        same = [entry for entry in decode if entry[0] == n_left and entry[1].n_draft == first.n_draft]
        most = 1 << (max(1, MAX_BATCH_TOKENS // n_left).bit_length() - 1)  # with padding, at most 64 tokens
        for _, forward, _ in decode:
            forward.n_skipped += 1
        return same[:most]

    def append_preempting(
        self, sequence: TokenSequence, n_tokens: int, n_draft: int, others: Sequence[ForwardPass]
    ) -> I32:
        """Append to a sequence, preempting the last passes of ``others`` until it has room.

        Raises:
            DspMemoryError: it has none although all others were preempted.
        """
        for other in reversed(others):
            if other.sequence is not None and other.sequence is not sequence:
                self._kv_cache.close(other.sequence)
                other.sequence = None
                positions = self._kv_cache.append(sequence, n_tokens, n_draft)
                if positions is not None:
                    return positions
        return sequence.append(n_tokens, n_draft)  # raises the error that names the shortage


def _n_skipped(pending: _Pending) -> int:
    """Return ``ForwardPass.n_skipped`` of the pass."""
    return pending[1].n_skipped
