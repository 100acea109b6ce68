# SPDX-License-Identifier: MIT
"""The checkpoints of a sequence in models with a recurrent state: a rollback resumes from the nearest one before it.

A sequence keeps these checkpoints:

    end                     the next decode step reads it
    before draft tokens     a rejection rolls back to it
    ends of prefill chunks  the last ones: the next turn of a conversation often shares the prompt up to there
    ends of prompts         the last ones: an answer is asked for again, or without its reasoning
    marks                   where prompts are likely to branch: where the last user's turn begins, where this prompt
                            branched off another one, and some tokens before the end of a long prompt

It may hold more slots than its share while others are free. Marks are dropped last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.llm.engine.recurrent_state import F32, SLOTS_PER_SEQUENCE, ZERO_SLOT, DeviceStates, StateSlots

_KEPT: Final = 2  # checkpoints of a kind
_SAVED: Final = "state"  # prefix of the names of arrays in a saved file; a number follows
_LEAST_PREFILL: Final = 512  # tokens of a prompt that gets a mark before its end
_BEFORE_END: Final = 256  # tokens: a question about a document is usually shorter
_LEAST_BRANCH: Final = 64  # tokens that a mark must save


class CheckpointKind(IntEnum):
    """Kinds of checkpoints, by the order in which they are dropped."""

    STEP = 0
    CHUNK = 1
    PROMPT = 2
    MARK = 3


def marks_of(n_tokens: int, n_cached: int, n_common: int, turn: int) -> tuple[int, ...]:
    """Return the lengths at which a prompt gets marks, in increasing order.

    Args:
        n_tokens: of the prompt.
        n_cached: number of its tokens that need no computation.
        n_common: number of tokens that it shares with another sequence.
        turn: where its last user's turn begins; 0: unknown.
    """
    wanted = {turn}
    if n_common - n_cached >= _LEAST_BRANCH:
        wanted.add(n_common)
    if n_tokens - n_cached >= _LEAST_PREFILL:
        wanted.add((n_tokens - _BEFORE_END) // 64 * 64)
    return tuple(sorted(mark for mark in wanted if n_cached < mark < n_tokens))


class _Checkpoint(NamedTuple):
    """The recurrent state of a sequence at one length.

    Attributes:
        n_tokens: length of the sequence at the checkpoint.
        slot: holds the state.
    """

    n_tokens: int
    slot: int
    kind: CheckpointKind


class Checkpoints:
    """The checkpoints of one sequence.

    Args:
        states: allocates the slots.
        kept: checkpoints by increasing length, the one at length 0 first. Each gets one more reference.

    Attributes:
        pinned: length of the sequence whose checkpoint is never dropped.
        marks: lengths at which the prompt that is computed gets marks.
        n_prompt: number of tokens of that prompt.
    """

    def __init__(
        self, states: StateSlots, kept: Sequence[_Checkpoint] = (_Checkpoint(0, ZERO_SLOT, CheckpointKind.STEP),)
    ) -> None:
        self.states = states
        self._kept = list(kept)
        self._written: list[_Checkpoint] = []  # by the message in flight
        self._n_accepted = 0  # length of the sequence before the draft tokens of that message
        self.pinned = self.n_prompt = 0
        self.marks: Collection[int] = ()
        for checkpoint in self._kept:
            states.hold(checkpoint.slot)
        states.owners[self] = None

    def reach(self, n_tokens: int) -> int:
        """Return the length of the last checkpoint at or before n_tokens."""
        return max(checkpoint.n_tokens for checkpoint in self._kept if checkpoint.n_tokens <= n_tokens)

    def fork(self, n_tokens: int) -> Checkpoints:
        """Return checkpoints up to n_tokens that share the slots."""
        return Checkpoints(self.states, [checkpoint for checkpoint in self._kept if checkpoint.n_tokens <= n_tokens])

    def truncate(self, n_tokens: int) -> None:
        """Drop the checkpoints after n_tokens."""
        self._drop([checkpoint for checkpoint in self._kept if checkpoint.n_tokens > n_tokens])

    @property
    def n_draft(self) -> int:
        """Number of last tokens of the message before which it writes a second checkpoint; 0: none."""
        return self._written[-1].n_tokens - self._written[0].n_tokens

    def begin(self, start: int, end: int, n_draft: int = 0) -> None:
        """Allocate the slots that the next message writes: at its end, and before its draft tokens unless it has no
        others.

        Args:
            start, end: length of the sequence before and after the message.
            n_draft: number of draft tokens at the end.

        Raises:
            DspMemoryError: too few slots are free.
        """
        self._give_back()
        self._n_accepted = end - n_draft
        places = (self._n_accepted, end) if start < self._n_accepted < end else (end,)
        is_chunk = end - start > 1 and not n_draft
        is_mark, is_prompt = end in self.marks, end == self.n_prompt
        kind = CheckpointKind.MARK if is_mark else CheckpointKind.PROMPT if is_prompt else CheckpointKind(is_chunk)
        self.states.reclaim(len(places))
        while len(places) > self.states.n_free and self._drop_least(CheckpointKind.STEP, CheckpointKind.PROMPT):
            pass
        slots = self.states.take(len(places))
        self._written = [_Checkpoint(*place, kind) for place in zip(places, slots, strict=True)]

    @property
    def n_spare(self) -> int:
        """Number of slots beyond the share of a sequence, without those of the message in flight."""
        return min(len(self._kept) - 1 - SLOTS_PER_SEQUENCE, len(self._droppable(CheckpointKind.CHUNK)))

    def drop_spare(self) -> bool:
        """Drop the checkpoint that is needed least, and return whether there was one."""
        return self._drop_least(CheckpointKind.CHUNK)

    def _droppable(self, least: CheckpointKind, most: CheckpointKind = CheckpointKind.MARK) -> list[_Checkpoint]:
        """Return the checkpoints of some kinds, without the pinned one; length 0 and the end stay."""
        return [
            checkpoint for checkpoint in self._kept[1:-1]
            if least <= checkpoint.kind <= most and checkpoint.n_tokens != self.pinned
        ]  # fmt: skip

    def _drop_least(self, least: CheckpointKind, most: CheckpointKind = CheckpointKind.MARK) -> bool:
        """Drop the checkpoint, of some kinds, that is needed least, and return whether there was one."""
        others = self._droppable(least, most)
        if others:
            self._drop([min(others, key=lambda checkpoint: (checkpoint.kind, checkpoint.n_tokens))])
        return bool(others)

    @property
    def slots(self) -> list[int]:
        """The slot that the message reads, then the slots that it writes, by increasing length."""
        return [checkpoint.slot for checkpoint in (self._kept[-1], *self._written)]

    def finish(self) -> None:
        """Keep the checkpoints of the message that was sent, and drop older ones that rollbacks rarely need."""
        kept = [checkpoint for checkpoint in self._kept if checkpoint.kind][-_KEPT:]
        for kind in (CheckpointKind.PROMPT, CheckpointKind.MARK):
            kept += [checkpoint for checkpoint in self._kept if checkpoint.kind is kind][-_KEPT:]
        kept += [checkpoint for checkpoint in self._kept if checkpoint.n_tokens in (self._n_accepted, self.pinned)]
        self._drop([checkpoint for checkpoint in self._kept[1:] if checkpoint not in kept])
        self._kept += self._written
        self._written.clear()

    def save(self) -> dict[str, F32]:
        """Return the arrays of the last checkpoint, for ``load``."""
        content = self._content.read(self._kept[-1].slot)
        return {f"{_SAVED}{number}": array for number, array in enumerate(content)}

    def load(self, n_tokens: int, saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore the saved checkpoint of a sequence of n_tokens tokens.

        Raises:
            ArgumentError: an array is missing, or has another shape or dtype than ``save`` returns.
            DspMemoryError: no slot is free.
        """
        states = self._content
        shapes = list(states.shapes)
        content = [saved.get(f"{_SAVED}{number}") for number in range(len(shapes) * len(states.layers))]
        good = [array for array in content if array is not None and array.dtype == np.float32]
        if [array.shape for array in good] != shapes * len(states.layers):
            raise ArgumentError("the saved sequence lacks the state of recurrent layers, or its shapes differ")
        self.begin(0, n_tokens)
        states.write(self._written[0].slot, good)
        self.finish()

    @property
    def _content(self) -> DeviceStates:
        if not isinstance(self.states, DeviceStates):
            raise UnsupportedError("what lies on several devices cannot be saved or loaded")
        return self.states

    def _drop(self, checkpoints: Sequence[_Checkpoint]) -> None:
        for checkpoint in checkpoints:
            self._kept.remove(checkpoint)
            self.states.release(checkpoint.slot)

    def _give_back(self) -> None:
        for checkpoint in self._written:
            self.states.release(checkpoint.slot)
        self._written.clear()

    def close(self) -> None:
        """Release all slots. Again is a no-op."""
        self._give_back()
        self._drop(list(self._kept))
        self.states.owners.pop(self, None)
