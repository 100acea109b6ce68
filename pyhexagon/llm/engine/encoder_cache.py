# SPDX-License-Identifier: MIT
"""The encoder cache: keys and values of encodings, for the cross-attention of an encoder-decoder model.

Each encoding has a slot of the cache. An input is encoded before the first message that attends to it, and encoded
again if its slot was given to another input, or was lost with the DSP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import NO_PAGE, Cache
from pyhexagon.device import Device
from pyhexagon.errors import UnsupportedError
from pyhexagon.llm.engine.sequence import Salt
from pyhexagon.llm.files.config import Config
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.llm.engine.batching import Scheduled
    from pyhexagon.llm.engine.forward import ForwardPass

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]

Encode = Callable[["EncoderInput", I32], None]
"""Encodes an input, and writes keys and values of each decoder layer to pages (N,) int32."""

_NUMBERS: Final = count()


class EncoderInput:
    """An input of the encoder, such as the spectrum of a window of audio. It is compared by identity.

    Args:
        features: (frames, features) float32. They are kept, to be encoded again.
        keeps_keys: whether keys are returned to the host, too.

    Attributes:
        salt: of prefix caching: no other input has the same.
        keys: of some layers of the decoder, (N, width) float32, by their numbers, once it was encoded.
    """

    def __init__(self, features: F32, *, keeps_keys: bool = False) -> None:
        self.features, self.keeps_keys = features, keeps_keys
        self.keys: Mapping[int, F32] = {}
        self.salt: Salt = f"encoder input {next(_NUMBERS)}", ()


class EncoderCache:
    """Encodings that passes attend to. Not for several threads at once.

    Args:
        device: of the model.
        config: of the model, which has an encoder.
        n_inputs: number of encodings that are kept; as many inputs can share a message.
        kind: of the cache, see ``pyhexagon.cache``.

    Attributes:
        layers: keys and values of each layer of the decoder.
        encode: of the model; the owner sets it.
        n_encoded: how often an input was encoded.

    Raises:
        DspMemoryError: the cache does not fit.
    """

    encode: Encode

    def __init__(self, device: Device, config: Config, n_inputs: int, *, kind: str = "q8_0") -> None:
        if config.encoder is None:
            raise UnsupportedError(f"{config.architecture} has no encoder")
        self._config, self._n_pages = config.encoder, config.encoder.n_pages
        self._cache = Cache(
            device,
            n_layers=config.n_layers,
            n_pages=n_inputs * self._n_pages,
            n_kv_heads=list(config.n_kv_heads),
            head_size=[config.head_size] * config.n_layers,
            kind=kind,
        )
        self.layers: Sequence[Tensor] = self._cache.layers
        self._free = list(range(n_inputs - 1, -1, -1))
        self._slots: WeakKeyDictionary[EncoderInput, int] = WeakKeyDictionary()  # least recently used first
        self._n_inputs, self.n_encoded = n_inputs, 0

    def tensors(self) -> list[Tensor]:
        """Return its tensors in DSP memory."""
        return list(self.layers)

    def encoded(self, batch: Sequence[Scheduled]) -> list[Scheduled]:
        """Return the parts of a message whose inputs are encoded, after encoding them; roll the others back.

        They are those of n_inputs inputs at most, first of those that are encoded already.

        Raises:
            HexagonError: the device fails.
        """
        inputs = dict.fromkeys(_input_of(part.forward) for part in batch)
        chosen = sorted(inputs, key=lambda encoder_input: encoder_input not in self._slots)[: self._n_inputs]
        self.load(chosen)
        for part in batch:
            if part.forward.encoder_input not in chosen:
                part.sequence.truncate(len(part.sequence.tokens))
        return [part for part in batch if part.forward.encoder_input in chosen]

    def load(self, inputs: Sequence[EncoderInput]) -> None:
        """Encode inputs, n_inputs at most, that are not encoded.

        Raises:
            HexagonError: the device fails.
        """
        for encoder_input in inputs:
            if encoder_input in self._slots:
                self._slots[encoder_input] = self._slots.pop(encoder_input)  # the most recently used one
        for encoder_input in inputs:
            if encoder_input not in self._slots:
                self._encode(encoder_input, self._slot(inputs))

    def pages(self, encoder_input: EncoderInput) -> I32:
        """Return the page table (N,) of an encoded input."""
        return self._pages(self._slots[encoder_input])

    def _encode(self, encoder_input: EncoderInput, slot: int) -> None:
        try:
            self.encode(encoder_input, self._pages(slot))
        except BaseException:
            self._free.append(slot)
            raise
        self._slots[encoder_input] = slot
        self.n_encoded += 1

    def _slot(self, wanted: Sequence[EncoderInput]) -> int:
        """Return a free slot: of an input that is gone, or of the least recently used one that is not wanted."""
        if not self._free:
            gone = set(range(self._n_inputs)) - set(self._slots.values())
            self._free = sorted(gone, reverse=True)
        if not self._free:
            unwanted = next(encoder_input for encoder_input in self._slots if encoder_input not in wanted)
            self._free.append(self._slots.pop(unwanted))
        return self._free.pop()

    def numbers(self, inputs: Sequence[EncoderInput | None], n_sequences: int) -> I32:
        """Return the numbers of a message for its sequences: page tables, and lengths of encodings; see ``StepInputs``.

        Args:
            inputs: of each sequence, encoded.
            n_sequences: of the program; the others attend to nothing.
        """
        pages = np.full((n_sequences, self._n_pages), NO_PAGE, np.int32)
        lengths = np.zeros(n_sequences, np.int32)
        for row, encoder_input in enumerate(inputs):
            if encoder_input is not None:
                pages[row], lengths[row] = self.pages(encoder_input), self._config.n_ctx
        return np.concatenate([pages.reshape(-1), lengths])

    def _pages(self, slot: int) -> I32:
        return np.arange(slot * self._n_pages, (slot + 1) * self._n_pages, dtype=np.int32)

    def clear(self) -> None:
        """Forget all encodings, which are lost."""
        self._slots.clear()
        self._free = list(range(self._n_inputs - 1, -1, -1))

    def close(self) -> None:
        """Free the memory."""
        self.clear()
        self._cache.close()


def _input_of(forward: ForwardPass) -> EncoderInput:
    if forward.encoder_input is None:
        raise UnsupportedError("a pass without an input of the encoder, to which the model attends")
    return forward.encoder_input
