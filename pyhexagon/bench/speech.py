# SPDX-License-Identifier: MIT
"""What a whisper model costs on the DSP, counted under QEMU, and the real-time factor that follows.

One layer of the encoder and of the decoder is counted, and multiplied. An encoding is that of a window of 30 s, with
the keys and values for all layers of the decoder. A token is the 64th of one sequence, with all logits. No board has
confirmed the factors, which are for 1, 1.5 and 2 cycles a packet at 1.25 GHz, and three speeds of memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from math import prod
from typing import Final, NamedTuple

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon import quants
from pyhexagon.bench.estimate import BYTES_PER_SECOND, CYCLES_PER_SECOND, MESSAGE_SECONDS
from pyhexagon.bench.timed import traced
from pyhexagon.cache import PAGE_TOKENS, page_bytes
from pyhexagon.device import Device
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.gguf.reading import Rows
from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.files.weight_types import WeightType
from pyhexagon.program.report import OpReport
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.hyper_parameters import HyperParameters
from pyhexagon.speech.model import WhisperModel
from pyhexagon.speech.tensor_shapes import Role, tensor_shapes

THREADS: Final = 4
WINDOW_SECONDS: Final = 30
TOKENS_PER_SECOND: Final = 3.5  # of English speech, about
_ASSUMED: Final = {"low": (1.0, 17e9), "expected": (1.5, BYTES_PER_SECOND), "high": (2.0, 8e9)}  # cycles, bytes/s
_TIMEOUT: Final = 3600.0
_POSITION: Final = 64


def _shape(n_vocab: int, width: int, n_audio_layer: int, n_text_layer: int, n_mels: int = 80) -> HyperParameters:
    heads = width // 64
    return HyperParameters(n_vocab, 1500, width, heads, n_audio_layer, 448, width, heads, n_text_layer, n_mels, 1)


SHAPES: Final = {
    "tiny": _shape(51865, 384, 4, 4),
    "base": _shape(51865, 512, 6, 6),
    "small": _shape(51865, 768, 12, 12),
    "medium": _shape(51865, 1024, 24, 24),
    "turbo": _shape(51866, 1280, 32, 4, 128),
    "large-v3": _shape(51866, 1280, 32, 32, 128),
}


class RandomWeights(WhisperFile):
    """A model of random F16 weights, in place of a file.

    Args:
        sizes: of the model; ``SHAPES`` has those of published ones.
    """

    def __init__(self, sizes: HyperParameters) -> None:
        self.path, self.hyper_parameters = "random weights", sizes

    def names(self) -> list[str]:
        """Return the tensors' names."""
        return list(tensor_shapes(self.hyper_parameters))

    def info(self, name: str) -> TensorInfo:
        """Return a tensor's description."""
        role, shape = tensor_shapes(self.hyper_parameters)[name]
        dtype = Type.F32 if role is Role.VECTOR else Type.F16
        return TensorInfo(name, shape, dtype, prod(shape) * gguf.GGML_QUANT_SIZES[dtype][1], 0, "")

    def rows(self, name: str) -> Rows:
        """Return a function that gives a tensor's rows."""
        tensor = self.tensor(name)
        return lambda first, last: tensor[first:last]

    def tensor(self, name: str) -> npt.NDArray[np.uint8]:
        """Return a tensor's bytes."""
        info = self.info(name)
        values = np.random.default_rng(len(name)).standard_normal(info.shape, dtype=np.float32)
        values *= np.float32(prod(info.shape[1:]) ** -0.5)
        return quants.quantise(values.reshape(-1, info.shape[-1]), info.gguf_type)


class SpeechCost(NamedTuple):
    """Packets of all threads and of the busiest one, and bytes that are read."""

    packets: int = 0
    busiest: int = 0
    bytes: int = 0

    def plus(self, other: SpeechCost, times: int = 1) -> SpeechCost:
        """Return the sum with so many times another cost."""
        return SpeechCost(*(a + times * b for a, b in zip(self, other, strict=True)))


class SpeechCosts(NamedTuple):
    """The costs of an encoding and of a token."""

    encoding: SpeechCost
    token: SpeechCost

    def factors(self) -> dict[str, float]:
        """Return real-time factors, the time of 30 s of speech over 30 s: low, expected and high."""
        found = {}
        for name, (cycles, speed) in _ASSUMED.items():
            encoding, token = (
                max(cost.busiest * cycles / CYCLES_PER_SECOND, cost.bytes / speed) + MESSAGE_SECONDS for cost in self
            )
            found[name] = encoding / WINDOW_SECONDS + TOKENS_PER_SECOND * token
        return found


def costs(file: WhisperFile, *, weights: WeightType = "file", kv: str = "f16") -> SpeechCosts:
    """Count what a model costs.

    Args:
        file: the model's file.
        weights, kv: as for ``Whisper``.

    Raises:
        DeviceNotFoundError: there is no qemu-hexagon.
    """
    sizes, one = file.hyper_parameters, copy(file)
    one.hyper_parameters = replace(sizes, n_audio_layer=1, n_text_layer=1)
    n_pages = -(-sizes.n_audio_ctx // PAGE_TOKENS)
    with Device("loopback:qemu", transport="invoke", threads=THREADS, timeout=_TIMEOUT) as device:
        model = WhisperModel(device, one, weights=weights, kv=kv, n_sequences=1, n_windows=1, lock=threading.Lock())
        frames = np.random.default_rng(0).standard_normal((2 * sizes.n_audio_ctx, sizes.n_mels), dtype=np.float32)
        window = EncoderInput(frames)
        found = _reported(device, lambda: model.encoder.encode(frames, np.arange(n_pages, dtype=np.int32)))
        before, layer, after = _parts(found)
        encoding = before.plus(layer, sizes.n_audio_layer).plus(after, sizes.n_text_layer)
        tokens = list(range(_POSITION))
        for _ in range(2):  # the first one compiles the program
            tokens.append(1)
            forward = model.engine.forward(tokens, encoder_input=window)
            found = _reported(device, partial(model.engine.finish, forward))
        before, layer, after = _parts(found)
        head_size = sizes.n_text_state // sizes.n_text_head
        audio = sizes.n_text_layer * n_pages * page_bytes(sizes.n_text_head, head_size, kv)  # that a token attends to
        return SpeechCosts(encoding, before.plus(layer, sizes.n_text_layer).plus(after).plus(SpeechCost(bytes=audio)))


def _cost(ops: Sequence[OpReport]) -> SpeechCost:
    return SpeechCost(
        sum(op.packets or 0 for op in ops),
        sum(op.packets_max_thread or 0 for op in ops),
        sum(op.dma_bytes for op in ops),
    )


def _parts(ops: Sequence[OpReport]) -> tuple[SpeechCost, SpeechCost, SpeechCost]:
    """Return the costs of what comes before the only layer, of the layer, and of what begins with the last norm."""
    norms = [index for index, op in enumerate(ops) if op.op == "norm"]
    return _cost(ops[: norms[0]]), _cost(ops[norms[0] : norms[-1]]), _cost(ops[norms[-1] :])


def _reported(device: Device, work: Callable[[], object]) -> list[OpReport]:
    """Return the reports of all ops of ``work``."""
    with traced(device) as tracer:
        work()
    return [op for report in tracer.reports for op in report.ops]
