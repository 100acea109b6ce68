# SPDX-License-Identifier: MIT
"""Count what whisper models cost on the DSP, under QEMU: packets of the busiest of four threads, and bytes of a token.

    .venv/bin/python -m benchmarks.speech_table tiny base small --weights q8_0 --kv q8_0

The weights are random, of published shapes. One layer of the encoder and of the decoder is counted, and multiplied. An
encoding is that of a window of 30 s, with the keys and values for all layers of the decoder. A token is the 64th of one
sequence, with all logits. No board has confirmed the estimates, which take 1 to 2 cycles a packet at 1.25 GHz.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Final, NamedTuple

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon import Device, quants
from pyhexagon.bench.estimate import BYTES_PER_SECOND, CYCLES_PER_SECOND, MESSAGE_SECONDS
from pyhexagon.bench.timed import Reports
from pyhexagon.cache import KINDS, PAGE_TOKENS, page_bytes
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.gguf.reading import Rows
from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.program.report import OpReport
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.hyper_parameters import HyperParameters
from pyhexagon.speech.model import WeightType, WhisperModel
from pyhexagon.speech.tensor_shapes import Role, tensor_shapes

THREADS: Final = 4
TIMEOUT: Final = 3600.0
POSITION: Final = 64
TOKENS_PER_SECOND: Final = 3.5  # of English speech, about
WINDOW_SECONDS: Final = 30
HEAD: Final = (
    "| model | weights, keys and values | encoder, packets | token, packets | token, MiB | real-time factor |\n"
    "|---|---|--:|--:|--:|--:|"
)
MULTILINGUAL, V3 = 51865, 51866


def shape(n_vocab: int, width: int, n_audio_layer: int, n_text_layer: int, n_mels: int = 80) -> HyperParameters:
    """Return the hyper-parameters of a published model."""
    heads = width // 64
    return HyperParameters(n_vocab, 1500, width, heads, n_audio_layer, 448, width, heads, n_text_layer, n_mels, 1)


SHAPES: Final = {
    "tiny": shape(MULTILINGUAL, 384, 4, 4),
    "base": shape(MULTILINGUAL, 512, 6, 6),
    "small": shape(MULTILINGUAL, 768, 12, 12),
    "medium": shape(MULTILINGUAL, 1024, 24, 24),
    "turbo": shape(V3, 1280, 32, 4, 128),
    "large-v3": shape(V3, 1280, 32, 32, 128),
}


class RandomFile(WhisperFile):
    """A model of random weights, in place of a file."""

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


class Cost(NamedTuple):
    """Packets of all threads and of the busiest one, and bytes that are read."""

    packets: int = 0
    busiest: int = 0
    bytes: int = 0

    def plus(self, other: Cost, times: int = 1) -> Cost:
        """Return the sum with so many times another cost."""
        return Cost(*(a + times * b for a, b in zip(self, other, strict=True)))


def cost(ops: Sequence[OpReport]) -> Cost:
    """Return the cost of ops."""
    return Cost(
        sum(op.packets or 0 for op in ops),
        sum(op.packets_max_thread or 0 for op in ops),
        sum(op.dma_bytes for op in ops),
    )


def parts(ops: Sequence[OpReport]) -> tuple[Cost, Cost, Cost]:
    """Return the costs of what comes before the only layer, of the layer, and of what begins with the last norm."""
    norms = [index for index, op in enumerate(ops) if op.op == "norm"]
    return cost(ops[: norms[0]]), cost(ops[norms[0] : norms[-1]]), cost(ops[norms[-1] :])


def measured(sizes: HyperParameters, weights: WeightType, kv: str) -> Iterator[tuple[str, Cost]]:
    """Yield the parts of a model with their costs: an encoding, and a token."""
    n_pages = -(-sizes.n_audio_ctx // PAGE_TOKENS)
    one = replace(sizes, n_audio_layer=1, n_text_layer=1)
    with Device("loopback:qemu", transport="invoke", threads=THREADS, timeout=TIMEOUT) as device:
        model = WhisperModel(
            device, RandomFile(one), weights=weights, kv=kv, n_sequences=1, n_windows=1, lock=threading.Lock()
        )
        window = EncoderInput(np.random.default_rng(0).standard_normal((3000, sizes.n_mels), dtype=np.float32))
        found = reported(device, lambda: model.encoder.encode(window.features, np.arange(n_pages, dtype=np.int32)))
        before, layer, after = parts(found)
        yield "encoder", before.plus(layer, sizes.n_audio_layer).plus(after, sizes.n_text_layer)
        tokens = list(range(POSITION))
        for _ in range(2):  # the first one compiles the program
            tokens.append(1)
            forward = model.engine.forward(tokens, encoder_input=window)
            found = reported(device, partial(model.engine.finish, forward))
        before, layer, after = parts(found)
        audio = sizes.n_text_layer * n_pages * page_bytes(sizes.n_text_head, 64, kv)  # that each token attends to
        yield "token", before.plus(layer, sizes.n_text_layer).plus(after).plus(Cost(bytes=audio))


def reported(device: Device, work: Callable[[], object]) -> list[OpReport]:
    """Return the reports of all ops of ``work``."""
    tracer = Reports()
    device._tracer = tracer
    try:
        work()
    finally:
        device._tracer = None
    return [op for report in tracer.reports for op in report.ops]


def factors(costs: Mapping[str, Cost]) -> list[float]:
    """Return real-time factors, the time of 30 s of speech over 30 s: low, expected and high."""
    result = []
    for cycles, speed in ((1.0, 17e9), (1.5, BYTES_PER_SECOND), (2.0, 8e9)):
        times = {
            part: max(one.busiest * cycles / CYCLES_PER_SECOND, one.bytes / speed) + MESSAGE_SECONDS
            for part, one in costs.items()
        }
        result.append((times["encoder"] + WINDOW_SECONDS * TOKENS_PER_SECOND * times["token"]) / WINDOW_SECONDS)
    return result


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(SHAPES), help=f"of {', '.join(SHAPES)}")
    parser.add_argument("--weights", choices=("file", "q8_0"), default="q8_0", help="F16 as in files, or Q8_0")
    parser.add_argument("--kv", choices=KINDS, default="q8_0", help="the type of keys and values")
    options = parser.parse_args()
    print(HEAD)
    for name in options.models:
        costs = dict(measured(SHAPES[name], options.weights, options.kv))
        low, expected, high = factors(costs)
        encoder, token = costs["encoder"], costs["token"]
        print(
            f"| {name} | {options.weights}, {options.kv} | {encoder.busiest / 1e6:.1f} M | {token.busiest / 1e6:.2f} M "
            f"| {token.bytes / (1 << 20):.1f} | {low:.3f} / {expected:.3f} / {high:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
