# SPDX-License-Identifier: MIT
"""Recurrent state of state-space, delta-net and short-convolution layers: state slots.

A state slot holds the recurrent state of all layers after one token of a sequence. A recurrent update cannot be undone,
so a message reads one slot and writes another, and a sequence keeps checkpoints (checkpoints.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import prod
from operator import attrgetter
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon._ffi.rpcmem import PAGE
from pyhexagon.device import Device
from pyhexagon.errors import DspMemoryError, UnsupportedError
from pyhexagon.llm.files.config import Config, Recurrence
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

NO_SLOT: Final = 0  # what padding sequences of a batch write: it has no memory, and ops skip these sequences
ZERO_SLOT: Final = 1  # all zeros: the initial state of every sequence; the first one in a layer's tables
SLOTS_PER_SEQUENCE: Final = 4
_FIRST: Final = 2
_N_SPARE: Final = attrgetter("n_spare")

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]


class SlotHolder(Protocol):
    """The checkpoints of a sequence, which may hold more than its share of the slots while others are free."""

    @property
    def n_spare(self) -> int:
        """Number of slots beyond its share; below 1: none."""

    def drop_spare(self) -> bool:
        """Release one of them, and return whether there was one."""


class StateSlots:
    """Reference counts of state slots, independent of the device that holds the state.

    Args:
        config: of the model.
        n_sequences: number of sequences that the slots suffice for.

    Attributes:
        n_slots: number of slots, the two reserved ones included.
        owners: who holds slots.
        shapes: (rows, columns) of a slot in each table of a layer, see ``Recurrence``.
    """

    def __init__(self, config: Config, n_sequences: int) -> None:
        self.n_slots = n_slots_of(n_sequences)
        self.shapes = recurrence_of(config).tables
        self._holders = [1] * _FIRST + [0] * (self.n_slots - _FIRST)
        self.owners: dict[SlotHolder, None] = {}

    def reclaim(self, n: int) -> None:
        """Have owners give up slots beyond their shares until n are free, or none has more than its share."""
        while n > self.n_free:
            owner = max(self.owners, key=_N_SPARE, default=None)
            if owner is None or owner.n_spare < 1 or not owner.drop_spare():
                break

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
                    p.output(*(p.get_rows(*table_and_ids) for table_and_ids in zip(tables, ids, strict=True)))
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
