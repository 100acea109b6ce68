# SPDX-License-Identifier: MIT
"""Recurrent state of state-space, delta-net and short-convolution layers: state slots and a sequence's checkpoints.

A state slot holds the recurrent state of all layers after one token of a sequence. A recurrent update cannot be undone,
so a message reads one slot and writes another, and a sequence keeps checkpoints. A rollback resumes from the nearest
checkpoint at or before the wanted length. A sequence keeps these checkpoints:

    end                     the next decode step reads it
    before draft tokens     a rejection rolls back to it
    ends of prefill chunks  the last ones: the next turn of a conversation often shares the prompt up to there
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon._ffi.rpcmem import PAGE
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, DspMemoryError, UnsupportedError
from pyhexagon.llm.files.config import Config, Recurrence
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

NO_SLOT: Final = 0  # what padding sequences of a batch write: it has no memory, and ops skip these sequences
ZERO_SLOT: Final = 1  # all zeros: the initial state of every sequence; the first one in a layer's tables
SLOTS_PER_SEQUENCE: Final = 4
_FIRST: Final = 2
_KEPT_CHUNKS: Final = 2
_SAVED: Final = "state"  # prefix of the names of arrays in a saved file; a number follows

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]


class StateSlots:
    """Reference counts of state slots, independent of the device that holds the state.

    Args:
        config: of the model.
        n_sequences: number of sequences that the slots suffice for.

    Attributes:
        n_slots: number of slots, the two reserved ones included.
        shapes: (rows, columns) of a slot in each table of a layer, see ``Recurrence``.
    """

    def __init__(self, config: Config, n_sequences: int) -> None:
        self.n_slots = n_slots_of(n_sequences)
        self.shapes = recurrence_of(config).tables
        self._holders = [1] * _FIRST + [0] * (self.n_slots - _FIRST)

    def take(self, n: int) -> list[int]:
        """Allocate n free slots and return their numbers.

        Raises:
            DspMemoryError: fewer than n slots are free; none is allocated.
        """
        free = [slot for slot, n_holders in enumerate(self._holders) if not n_holders]
        if n > len(free):
            raise DspMemoryError(f"{n} of {self.n_slots} slots of recurrent layers, of which {len(free)} are free")
        for slot in free[:n]:
            self._holders[slot] = 1
        return free[:n]

    @property
    def n_free(self) -> int:
        """Number of free slots."""
        return self._holders.count(0)

    def hold(self, slot: int) -> None:
        """Add a reference to a slot."""
        self._holders[slot] += 1

    def release(self, slot: int) -> None:
        """Drop a reference to a slot; the last one frees it."""
        self._holders[slot] -= 1


class DeviceStates(StateSlots):
    """State slots in DSP memory.

    Args:
        device: holds the state.
        config: of the model.
        layers: numbers of the model's layers on this device.
        n_sequences: number of sequences that the slots suffice for.

    Attributes:
        layers: the tables of each recurrent layer, by layer number.

    Raises:
        DspMemoryError: the tables do not fit.
    """

    def __init__(self, device: Device, config: Config, layers: Sequence[int], n_sequences: int) -> None:
        super().__init__(config, n_sequences)
        self._device = device
        self.layers = {
            index: [_zeros(device, ((self.n_slots - ZERO_SLOT) * n_rows, k)) for n_rows, k in self.shapes]
            for index in layers
            if config.is_recurrent(index)
        }
        self._read: Program | None = None
        self._write: Program | None = None

    def tensors(self) -> list[Tensor]:
        """Return the tables of all layers."""
        return [tensor for tables in self.layers.values() for tensor in tables]

    def read(self, slot: int) -> list[F32]:
        """Return a copy of a slot: for each layer, the rows of its tables, float32."""
        if self._read is None:
            with self._device.program() as p:
                ids = self._ids(p)
                for tables in self.layers.values():
                    p.output(*(p.get_rows(*one) for one in zip(tables, ids, strict=True)))
            self._read = p.compile()
        return self._read.run_numpy(self._rows(slot))

    def write(self, slot: int, content: Sequence[F32]) -> None:
        """Write to a slot what ``read`` returned."""
        if self._write is None:
            with self._device.program() as p:
                ids = self._ids(p)
                for tables in self.layers.values():
                    for table, rows in zip(tables, ids, strict=True):
                        p.set_rows(table, p.input((rows.shape[0], table.shape[1])), rows)
            self._write = p.compile()
        self._write.run(self._rows(slot), *content)

    def _rows(self, slot: int) -> I32:
        """Return the row indices of a slot: in the first table, then in the next."""
        return np.concatenate([(slot - ZERO_SLOT) * n + np.arange(n, dtype=np.int32) for n, _ in self.shapes])

    def _ids(self, p: Builder) -> list[Value]:
        """Return the program's input, the rows of a slot, by table."""
        lengths = [n_rows for n_rows, _ in self.shapes]
        numbers = p.input((sum(lengths),), np.int32)
        return [numbers[end - n : end] for end, n in zip(accumulate(lengths), lengths, strict=True)]

    def close(self) -> None:
        """Free the tables."""
        self._read = self._write = None
        for tensor in self.tensors():
            tensor.let_go()


class _Checkpoint(NamedTuple):
    """The recurrent state of a sequence at one length.

    Attributes:
        n_tokens: length of the sequence at the checkpoint.
        slot: holds the state.
        is_chunk_end: a prefill chunk ends here.
    """

    n_tokens: int
    slot: int
    is_chunk_end: bool


class Checkpoints:
    """The checkpoints of one sequence.

    Args:
        states: allocates the slots.
        kept: checkpoints by increasing length, the one at length 0 first. Each gets one more reference.

    Attributes:
        pinned: length of the sequence whose checkpoint is never dropped.
    """

    def __init__(
        self, states: StateSlots, kept: Sequence[_Checkpoint] = (_Checkpoint(0, ZERO_SLOT, is_chunk_end=False),)
    ) -> None:
        self.states = states
        self._kept = list(kept)
        self._written: list[_Checkpoint] = []  # by the message in flight
        self._n_accepted = 0  # length of the sequence before the draft tokens of that message
        self.pinned = 0
        for one in self._kept:
            states.hold(one.slot)

    def reach(self, n_tokens: int) -> int:
        """Return the length of the last checkpoint at or before n_tokens."""
        return max(one.n_tokens for one in self._kept if one.n_tokens <= n_tokens)

    def fork(self, n_tokens: int) -> Checkpoints:
        """Return checkpoints up to n_tokens that share the slots."""
        return Checkpoints(self.states, [one for one in self._kept if one.n_tokens <= n_tokens])

    def truncate(self, n_tokens: int) -> None:
        """Drop the checkpoints after n_tokens."""
        self._drop([one for one in self._kept if one.n_tokens > n_tokens])

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
        is_chunk_end = end - start > 1 and not n_draft
        while len(places) > self.states.n_free and len(self._kept) > 2:  # keep length 0 and the end
            self._drop(self._kept[1:2])
        slots = self.states.take(len(places))
        self._written = [_Checkpoint(*place, is_chunk_end) for place in zip(places, slots, strict=True)]

    @property
    def slots(self) -> list[int]:
        """The slot that the message reads, then the slots that it writes, by increasing length."""
        return [one.slot for one in (self._kept[-1], *self._written)]

    def finish(self) -> None:
        """Keep the checkpoints of the message that was sent, and drop older ones that rollbacks rarely need."""
        kept = [one for one in self._kept if one.is_chunk_end][-_KEPT_CHUNKS:]
        kept += [one for one in self._kept if one.n_tokens in (self._n_accepted, self.pinned)]
        self._drop([one for one in self._kept[1:] if one not in kept])
        self._kept += self._written
        self._written.clear()

    def save(self) -> dict[str, F32]:
        """Return the arrays of the last checkpoint, for ``load``."""
        content = self._content.read(self._kept[-1].slot)
        return {f"{_SAVED}{number}": one for number, one in enumerate(content)}

    def load(self, n_tokens: int, saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore the saved checkpoint of a sequence of n_tokens tokens.

        Raises:
            ArgumentError: an array is missing, or has another shape or dtype than ``save`` returns.
            DspMemoryError: no slot is free.
        """
        states = self._content
        shapes = list(states.shapes)
        content = [saved.get(f"{_SAVED}{number}") for number in range(len(shapes) * len(states.layers))]
        good = [one for one in content if one is not None and one.dtype == np.float32]
        if [one.shape for one in good] != shapes * len(states.layers):
            raise ArgumentError("the saved sequence lacks the state of recurrent layers, or its shapes differ")
        self.begin(0, n_tokens)
        states.write(self._written[0].slot, good)
        self.finish()

    @property
    def _content(self) -> DeviceStates:
        if not isinstance(self.states, DeviceStates):
            raise UnsupportedError("what lies on several devices cannot be saved or loaded")
        return self.states

    def _drop(self, ones: Sequence[_Checkpoint]) -> None:
        for one in ones:
            self._kept.remove(one)
            self.states.release(one.slot)

    def _give_back(self) -> None:
        for one in self._written:
            self.states.release(one.slot)
        self._written.clear()

    def close(self) -> None:
        """Release all slots. Again is a no-op."""
        self._give_back()
        self._drop(list(self._kept))


def recurrence_of(config: Config) -> Recurrence:
    """Return the state of a model's recurrent layers.

    Raises:
        UnsupportedError: the model has none.
    """
    if config.recurrence is None:
        raise UnsupportedError(f"{config.architecture} has no recurrent layers")
    return config.recurrence


def n_slots_of(n_sequences: int) -> int:
    """Return the number of slots for n_sequences sequences, the two reserved ones included."""
    return _FIRST + SLOTS_PER_SEQUENCE * n_sequences


def state_bytes(config: Config, n_sequences: int) -> int:
    """Return the bytes that the tables of one recurrent layer take for n_sequences sequences."""
    sizes = ((n_slots_of(n_sequences) - ZERO_SLOT) * prod(shape) for shape in recurrence_of(config).tables)
    return sum(-(-4 * size // PAGE) * PAGE for size in sizes)


def slot_ids(slots: Iterable[int]) -> I32:
    """Return the ids of slots in a layer's tables, int32: -1 for ``NO_SLOT``."""
    return np.array([*slots], np.int32) - ZERO_SLOT


def _zeros(device: Device, shape: tuple[int, int]) -> Tensor:
    """Allocate a float32 tensor of zeros that lasts until it is closed, and that only programs read and write."""
    n_bytes = 4 * prod(shape)
    tensor = Tensor(device, device._memory.allocate(n_bytes, is_lasting=True), Type.F32, shape, n_bytes)
    tensor.buffer.bytes[:n_bytes] = 0
    tensor.is_private = True
    return tensor
