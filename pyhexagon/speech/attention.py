# SPDX-License-Identifier: MIT
"""The attention of text to audio, for the times of words: queries of one pass over the text, and keys of the audio."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import new_pages
from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.forward import power_of_two
from pyhexagon.llm.graph.step import Step
from pyhexagon.program.program import Program
from pyhexagon.speech.model import WhisperModel

F32 = npt.NDArray[np.float32]
_LEAST_ROWS: Final = 32


class CrossAttention:
    """Computes the probabilities with which tokens attend to the audio. Hold the engine's lock.

    All layers use the same pages for the keys and values of the text, one after the other, as no token follows.

    Args:
        model: the model.
    """

    def __init__(self, model: WhisperModel) -> None:
        self._model, config = model, model.model.config
        self._n_pages = -(-config.n_ctx // 64)
        self._pages = new_pages(
            model.model.device, self._n_pages, config.n_kv_heads[0], config.head_size, kind=model.kv
        )
        self._programs: dict[int, Program] = {}

    def weights(self, window: EncoderInput, tokens: list[int]) -> F32:
        """Return the probabilities of the heads that follow the audio, (heads, tokens, positions) float32.

        Args:
            window: of the audio; it keeps keys.
            tokens: of the text.

        Raises:
            HexagonError: the device fails.
        """
        model = self._model
        pages = model.engine.core.encode(window)
        n, n_rows = len(tokens), max(_LEAST_ROWS, power_of_two(len(tokens)))
        positions = np.full(n_rows, -1, np.int32)
        positions[:n] = np.arange(n)
        numbers = [
            np.pad(np.array(tokens, np.int32), (0, n_rows - n)),
            positions,
            np.arange(self._n_pages, dtype=np.int32),
            pages,
            np.array([model.encoder.sizes.n_ctx], np.int32),
            np.maximum(positions, 0),
        ]
        queries = self._program(n_rows).run_numpy(np.concatenate(numbers))
        size = model.model.config.head_size
        result = np.empty((len(model.heads), n, model.encoder.sizes.n_ctx), np.float32)
        for row, (layer, head) in zip(result, model.heads, strict=True):
            keys = window.keys[layer][:, head * size : (head + 1) * size]
            logits = queries[layer][:n, head] @ keys.T * np.float32(size**-0.5)
            np.exp(logits - logits.max(-1, keepdims=True), out=row)
            np.divide(row, row.sum(-1, keepdims=True), out=row)
        return result

    def _program(self, n_rows: int) -> Program:
        if n_rows not in self._programs:
            model = self._model.model
            with model.device.program() as p:
                Step(
                    p, model, {}, [self._pages] * model.config.n_layers, (n_rows, 1, self._n_pages),
                    cross_caches=self._model.encoder_cache.layers, has_cross_queries=True,
                ).build("nothing")  # fmt: skip
            self._programs[n_rows] = p.compile()
        return self._programs[n_rows]

    def close(self) -> None:
        """Free the memory."""
        self._programs.clear()
        self._pages.let_go()
