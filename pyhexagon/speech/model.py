# SPDX-License-Identifier: MIT
"""A whisper model on a device: weights, encoder, decoder, and the engine that computes forward passes on it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pyhexagon.device import Device
from pyhexagon.llm.engine.encoder_cache import EncoderCache, EncoderInput
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.model import Model
from pyhexagon.llm.engine.stage import Stage, room
from pyhexagon.llm.files.weight_types import WeightType, type_of
from pyhexagon.llm.files.weights import Progress
from pyhexagon.speech.alignment import alignment_heads
from pyhexagon.speech.architecture import WHISPER, config_of
from pyhexagon.speech.encoder import AudioEncoder
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.source import WhisperSource


class WhisperModel:
    """The weights, caches and programs of a whisper model on a device.

    Args:
        device: the device.
        file: the model's file.
        weights: "file": matrices keep their types; "q8_0": those of floats are quantized when they are uploaded.
        kv: the type of keys and values, see ``pyhexagon.cache``.
        n_sequences: number of sequences of n_text_ctx tokens that the KV cache has room for.
        n_windows: number of encoded windows of audio that are kept.
        lock, check: as for ``Engine``.
        progress: called repeatedly with the bytes loaded and the total bytes.

    Attributes:
        kv: the type of keys and values.
        heads: (layer, head) pairs of the decoder whose attention follows the audio.
        encoder: the encoder.
        encoder_cache: its encodings.
        engine: computes passes of the decoder.

    Raises:
        DspMemoryError: the model does not fit.
    """

    def __init__(
        self,
        device: Device,
        file: WhisperFile,
        *,
        weights: WeightType,
        kv: str,
        n_sequences: int,
        n_windows: int,
        lock: threading.Lock,
        check: Callable[[], Callable[[], None] | None] = lambda: None,
        progress: Progress | None = None,
    ) -> None:
        self.kv = kv
        source = WhisperSource(file, type_of(weights))
        config = config_of(file.hyper_parameters)
        beside = room(config, config.n_ctx, n_sequences=n_sequences, kind=kv)
        self.model = Model(device, source, (config, source.names()), beside, progress, architecture=WHISPER)
        self.encoder_cache = EncoderCache(device, config, n_windows, kind=kv)
        caches = list(self.encoder_cache.layers)
        self.heads = alignment_heads(file.hyper_parameters)
        layers = sorted({layer for layer, _ in self.heads})
        self.encoder = AudioEncoder(self.model, caches, kind=kv, key_layers=layers)
        self.encoder_cache.encode = partial(_encode, self.encoder)
        stage = Stage(self.model, config.n_ctx, n_sequences=n_sequences, kind=kv, cross_caches=caches)
        core = EngineCore[Any](stage, encoder_cache=self.encoder_cache)
        self.engine = Engine(core, lock, check)

    def close(self) -> None:
        """Free the memory."""
        self.encoder.close()
        self.engine.close()
        self.model.weights.close()


def _encode(encoder: AudioEncoder, window: EncoderInput, pages: npt.NDArray[np.int32]) -> None:
    if window.keeps_keys:
        window.keys = encoder.keys(window.features, pages)
    else:
        encoder.encode(window.features, pages)
