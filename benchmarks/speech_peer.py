# SPDX-License-Identifier: MIT
"""Time the encoder and the decoder on this PC's CPU beside whisper.cpp's, in turns.

    .venv/bin/python -m benchmarks.speech_peer ggml-tiny.en.bin --library .../libwhisper.so --threads 1

CPU seconds count all threads and hardly depend on what else the machine does; both are the least of several rounds.
"""

from __future__ import annotations

import argparse
import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

from benchmarks.speech_accuracy import Peer
from pyhexagon import Device
from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.files.weight_types import WeightType
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.mel import log_mel
from pyhexagon.speech.model import WhisperModel

N_TOKENS: Final = 64
START: Final = 440  # a token of text
KINDS: Final[tuple[tuple[WeightType, str], ...]] = (("file", "f16"), ("file", "q8_0"), ("q8_0", "q8_0"))

Work = tuple[Callable[[], object], Callable[[], object]]
"""Encodes a window; decodes N_TOKENS tokens after it, one by one."""


def peer_work(library: str, path: str, frames: np.ndarray, threads: int) -> Work:
    """Return whisper.cpp's work."""
    peer = Peer(library, path)
    peer.logits(frames, [START])
    own, context = peer.library, peer.context

    def tokens() -> None:
        for position in range(N_TOKENS):
            own.whisper_decode(context, (ctypes.c_int32 * 1)(START + position), 1, position, threads)

    return lambda: own.whisper_encode(context, 0, threads), tokens


@contextmanager
def our_work(file: WhisperFile, frames: np.ndarray, threads: int, weights: WeightType, kv: str) -> Iterator[Work]:
    """Yield pyhexagon's work."""
    with Device("cpu", threads=threads) as device:
        model = WhisperModel(device, file, weights=weights, kv=kv, n_sequences=2, n_windows=1, lock=threading.Lock())
        spectrum = np.ascontiguousarray(frames.T)
        pages = np.arange(24, dtype=np.int32)
        window = EncoderInput(spectrum)

        def tokens() -> None:
            model.engine.core.clear_cache()
            for n in range(1, N_TOKENS + 1):
                ids = list(range(START, START + n))
                model.engine.finish(model.engine.forward(ids, encoder_input=window, n_checked=n - 1))

        yield lambda: model.encoder.encode(spectrum, pages), tokens


def least(work: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return the least CPU seconds and the least seconds of several rounds."""
    times = []
    for _ in range(rounds):
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        times.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(cpu for cpu, _ in times), min(wall for _, wall in times)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model of whisper.cpp")
    parser.add_argument("--library", required=True, help="libwhisper.so of whisper.cpp")
    parser.add_argument("--threads", type=int, default=1, help="of both (default 1)")
    parser.add_argument("--rounds", type=int, default=3, help="default 3")
    options = parser.parse_args()
    file = WhisperFile(options.model)
    noise = np.random.default_rng(0).standard_normal(30 * 16000, dtype=np.float32) / np.float32(10)
    frames = np.ascontiguousarray(log_mel(noise, file.filters)[:, :3000])
    peer = peer_work(options.library, options.model, frames, options.threads)
    print("| | encoder: CPU s | s | token: CPU ms | ms |\n|---|--:|--:|--:|--:|")

    def show(name: str, work: Work) -> tuple[float, float]:
        work[0]()
        work[1]()
        encoder, tokens = (least(one, options.rounds) for one in work)
        milliseconds = [1000 * one / N_TOKENS for one in tokens]
        cells = [f"{one:.3f}" for one in encoder] + [f"{one:.2f}" for one in milliseconds]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        return encoder[0], tokens[0]

    for weights, kv in KINDS:
        theirs = show("whisper.cpp", peer)
        with our_work(file, frames, options.threads, weights, kv) as work:
            ours = show(f"{weights}, {kv}", work)
        print(f"| ratio | {theirs[0] / ours[0]:.2f} | | {theirs[1] / ours[1]:.2f} | |", flush=True)


if __name__ == "__main__":
    main()
