# SPDX-License-Identifier: MIT
"""What recurrent layers remember of texts: slots, each of which holds all of it at one place of a text.

What a layer remembers cannot be rolled back. So a message reads one slot and writes another, and a text keeps the
slots of a few places, from the nearest of which it goes on:

    the end           the next token goes on from there
    before guesses    if they were wrong
    ends of pieces    of a prompt, the last ones: a conversation often goes on from there
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon._ffi.rpcmem import PAGE
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, DspMemoryError, UnsupportedError
from pyhexagon.llm.config import Config, DeltaNet
from pyhexagon.llm.step import Tables
from pyhexagon.program.graph import Value
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

ZEROS: Final = 0  # the slot that texts begin from
NOWHERE: Final = 1  # what rows that are missing leave
SLOTS_PER_TEXT: Final = 4
_FIRST: Final = 2
_KEPT_PIECES: Final = 2
_SAVED: Final = "state"  # and a number: how arrays of a file are called

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]


class Slots:
    """Which slots are held, wherever they lie.

    Args:
        n_texts: for how many texts there is room.

    Attributes:
        shapes: of a slot in each table of a layer.
    """

    def __init__(self, config: Config, n_texts: int) -> None:
        self._net = net = net_of(config)
        self.n_slots = n_slots_of(n_texts)
        self.shapes = [(net.n_before, net.n_channels), (net.n_values, net.size**2)]
        self._holders = [1] * _FIRST + [0] * (self.n_slots - _FIRST)

    def take(self, n: int) -> list[int]:
        """So many slots that nobody holds.

        Raises:
            DspMemoryError: there are not so many; none is taken.
        """
        free = [slot for slot, n_holders in enumerate(self._holders) if not n_holders]
        if n > len(free):
            raise DspMemoryError(f"{n} of {self.n_slots} slots of recurrent layers, of which {len(free)} are free")
        for slot in free[:n]:
            self._holders[slot] = 1
        return free[:n]

    @property
    def n_free(self) -> int:
        """Slots that nobody holds."""
        return self._holders.count(0)

    def hold(self, slot: int) -> None:
        """One more text holds it."""
        self._holders[slot] += 1

    def release(self, slot: int) -> None:
        """One text less does."""
        self._holders[slot] -= 1

    def rows(self, slots: Sequence[int]) -> I32:
        """The numbers of the rows of slots: those of the first table, then those of the second."""
        net, first = self._net, np.array(slots, np.int32)[:, None]
        parts = [(first * n + np.arange(n, dtype=np.int32)).reshape(-1) for n in (net.n_before, net.n_values)]
        return np.concatenate(parts)


class States(Slots):
    """Slots on the device.

    Args:
        layers: of the model that lie there.
        n_texts: for how many texts there is room.

    Attributes:
        layers: the tables of each recurrent layer, by its number.

    Raises:
        DspMemoryError: they do not fit.
    """

    def __init__(self, device: Device, config: Config, layers: Sequence[int], n_texts: int) -> None:
        super().__init__(config, n_texts)
        self._device = device
        self.layers = {
            index: Tables(*(_zeros(device, (self.n_slots * n_rows, k)) for n_rows, k in self.shapes))
            for index in layers
            if config.is_recurrent(index)
        }
        self._read: Program | None = None
        self._write: Program | None = None

    def tensors(self) -> list[Tensor]:
        """All of them."""
        return [tensor for tables in self.layers.values() for tensor in tables]

    def read(self, slot: int) -> list[F32]:
        """A copy of what is in it: of each layer the rows of both tables."""
        if self._read is None:
            with self._device.program() as p:
                inputs, matrices = self._ids(p.input((self._net.n_rows,), np.int32))
                for tables in self.layers.values():
                    p.output(p.get_rows(tables.inputs, inputs), p.get_rows(tables.matrices, matrices))
            self._read = p.compile()
        return [np.array(one.numpy()) for one in self._read.run(self.rows([slot]))]

    def write(self, slot: int, content: Sequence[F32]) -> None:
        """The reverse of ``read``."""
        if self._write is None:
            with self._device.program() as p:
                inputs, matrices = self._ids(p.input((self._net.n_rows,), np.int32))
                for tables in self.layers.values():
                    for table, ids in zip(tables, (inputs, matrices), strict=True):
                        p.set_rows(table, p.input((ids.shape[0], table.shape[1])), ids)
            self._write = p.compile()
        self._write.run(self.rows([slot]), *content)

    def _ids(self, numbers: Value) -> tuple[Value, Value]:
        return numbers[: self._net.n_before], numbers[self._net.n_before :]

    def close(self) -> None:
        """Gives the memory back."""
        self._read = self._write = None
        for tensor in self.tensors():
            tensor.let_go()


class _Snapshot(NamedTuple):
    """What is remembered after so many tokens, in a slot."""

    n_tokens: int
    slot: int
    is_piece: bool  # whether a piece of a prompt ends there


class Snapshots:
    """The slots of a text.

    Args:
        states: whose slots they are.
        kept: in the order of the text, that of no token first. They are held from now on.

    Attributes:
        pinned: after so many tokens, what is remembered is kept however long the text gets.
    """

    def __init__(self, states: Slots, kept: Sequence[_Snapshot] = (_Snapshot(0, ZEROS, is_piece=False),)) -> None:
        self.states = states
        self._kept = list(kept)
        self._written: list[_Snapshot] = []  # by the message that is on its way
        self._n_sure = 0  # tokens before its guesses
        self.pinned = 0
        for one in self._kept:
            states.hold(one.slot)

    def reach(self, n_tokens: int) -> int:
        """The most tokens, not more than so many, that the text can go on from."""
        return max(one.n_tokens for one in self._kept if one.n_tokens <= n_tokens)

    def fork(self, n_tokens: int) -> Snapshots:
        """Those of the first tokens."""
        return Snapshots(self.states, [one for one in self._kept if one.n_tokens <= n_tokens])

    def truncate(self, n_tokens: int) -> None:
        """Without those of more tokens."""
        self._drop([one for one in self._kept if one.n_tokens > n_tokens])

    @property
    def n_guessed(self) -> int:
        """Before how many of the last tokens the message leaves what is remembered there, too."""
        return self._written[-1].n_tokens - self._written[0].n_tokens

    def begin(self, start: int, end: int, n_guessed: int = 0) -> None:
        """Takes slots for what the next message leaves: at its end, and before the guesses if they begin within it.

        Args:
            start, end: how many tokens the text has before and after it.
            n_guessed: how many of the last ones are guesses.

        Raises:
            DspMemoryError: there are no slots.
        """
        self._give_back()
        self._n_sure = end - n_guessed
        places = (self._n_sure, end) if start < self._n_sure < end else (end,)
        is_piece = end - start > 1 and not n_guessed
        while len(places) > self.states.n_free and len(self._kept) > 2:  # beside no token and the end
            self._drop(self._kept[1:2])
        slots = self.states.take(len(places))
        self._written = [_Snapshot(*place, is_piece) for place in zip(places, slots, strict=True)]

    @property
    def slots(self) -> list[int]:
        """That the message reads, and those that it writes for each of its places."""
        return [one.slot for one in (self._kept[-1], *self._written)]

    def finish(self) -> None:
        """The message was answered."""
        kept = [one for one in self._kept if one.is_piece][-_KEPT_PIECES:]
        kept += [one for one in self._kept if one.n_tokens in (self._n_sure, self.pinned)]
        self._drop([one for one in self._kept[1:] if one not in kept])
        self._kept += self._written
        self._written.clear()

    def save(self) -> dict[str, F32]:
        """What is remembered at the end, for ``load``."""
        content = self._content.read(self._kept[-1].slot)
        return {f"{_SAVED}{number}": one for number, one in enumerate(content)}

    def load(self, n_tokens: int, saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Becomes what was saved after so many tokens.

        Raises:
            ArgumentError: it is not what ``save`` gives.
            DspMemoryError: there is no slot.
        """
        states = self._content
        content = [saved.get(f"{_SAVED}{number}") for number in range(2 * len(states.layers))]
        shapes = states.shapes
        good = [one for one in content if one is not None and one.dtype == np.float32]
        if [one.shape for one in good] != shapes * len(states.layers):
            raise ArgumentError("what was saved lacks what recurrent layers remember, or has other shapes")
        self.begin(0, n_tokens)
        states.write(self._written[0].slot, good)
        self.finish()

    @property
    def _content(self) -> States:
        if not isinstance(self.states, States):
            raise UnsupportedError("what lies on several devices cannot be saved or loaded")
        return self.states

    def _drop(self, ones: Sequence[_Snapshot]) -> None:
        for one in ones:
            self._kept.remove(one)
            self.states.release(one.slot)

    def _give_back(self) -> None:
        for one in self._written:
            self.states.release(one.slot)
        self._written.clear()

    def close(self) -> None:
        """Gives them back. Again is a no-op."""
        self._give_back()
        self._drop(list(self._kept))


def net_of(config: Config) -> DeltaNet:
    """The delta nets of a model that has them."""
    if config.delta_net is None:
        raise UnsupportedError(f"{config.architecture} has no delta nets")
    return config.delta_net


def n_slots_of(n_texts: int) -> int:
    """How many slots there are for so many texts."""
    return _FIRST + SLOTS_PER_TEXT * n_texts


def state_bytes(config: Config, n_texts: int) -> int:
    """What the tables of a recurrent layer take for so many texts."""
    net = net_of(config)
    sizes = net.n_before * net.n_channels, net.n_values * net.size**2
    return sum(-(-4 * n_slots_of(n_texts) * size // PAGE) * PAGE for size in sizes)


def _zeros(device: Device, shape: tuple[int, int]) -> Tensor:
    """Lasting rows of zeros that only programs read and write."""
    n_bytes = 4 * prod(shape)
    tensor = Tensor(device, device.memory.allocate(n_bytes, is_lasting=True), Type.F32, shape, n_bytes)
    tensor.buffer.bytes[:n_bytes] = 0
    tensor.is_private = True
    return tensor
