# SPDX-License-Identifier: MIT
"""How much DSP memory a speech model takes, without loading it."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from pyhexagon import quants
from pyhexagon.gguf.pages import page_bytes
from pyhexagon.llm.engine.stage import room
from pyhexagon.llm.files.weight_types import type_of
from pyhexagon.llm.files.weights import is_vector
from pyhexagon.speech.architecture import config_of
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.source import WhisperSource


class SpeechMemory(NamedTuple):
    """Bytes of DSP memory.

    Attributes:
        weights: of encoder and decoder.
        text: keys and values of the decoder's tokens, for each sequence: a beam of a transcription.
        audio: keys and values of the encoder's output, for each window of audio.
    """

    weights: int
    text: int
    audio: int


def planned(file: WhisperFile, *, weights: str = "file", kv: str = "f16") -> SpeechMemory:
    """Return what a model will take. Reads no weight.

    Args:
        weights, kv: as for ``Whisper``.
    """
    source = WhisperSource(file, type_of(weights))
    config, n_bytes = config_of(file.hyper_parameters), 0
    for info in map(source.info, source.names()):
        if is_vector(info.name, info.shape):
            n_bytes += -(-prod(info.shape) // 32) * 128
        else:
            n_bytes += quants.tile_bytes(info.gguf_type, *info.shape)
    pages = sum(page_bytes(n, config.head_size, kv) for n in config.n_kv_heads)
    n_pages = 0 if config.encoder is None else config.encoder.n_pages
    return SpeechMemory(n_bytes, sum(room(config, config.n_ctx, kind=kv)), n_pages * pages)
