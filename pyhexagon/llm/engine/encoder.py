# SPDX-License-Identifier: MIT
"""An encoder on the device: bidirectional attention over whole sequences. No state outlives a call.

A message carries several sequences. All layers with heads of one shape use the same pages for keys and values, one
layer after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import new_pages
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.forward import check_tokens
from pyhexagon.llm.engine.model import Model
from pyhexagon.llm.engine.stage import n_pages_of
from pyhexagon.llm.files.config import Config, Pooling
from pyhexagon.llm.files.weights import POSITION_EMBEDDING
from pyhexagon.llm.graph.step import Step
from pyhexagon.llm.graph.step_inputs import batch_numbers, neighbour_numbers
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

_TEXTS: Final = 16  # sequences in one message
_ROWS: Final = 128  # rows shared by several sequences; a longer one is a message of its own

F32 = npt.NDArray[np.float32]


class Encoder:
    """The programs of an encoder. Not thread-safe.

    Args:
        model: the model.
        n_ctx: the largest number of tokens of a sequence.
        kind: the KV cache's type, see ``pyhexagon.cache``.

    Raises:
        ArgumentError: n_ctx is not in 1 to the model's context length, or the kind is unknown.
        DspMemoryError: the encoder does not fit.
    """

    def __init__(self, model: Model, n_ctx: int, *, kind: str = "q8_0") -> None:
        config = model.config
        if not 1 <= n_ctx <= config.n_ctx:
            raise ArgumentError(f"n_ctx is {n_ctx}: expected 1 to {config.n_ctx}, for which the model was made")
        self.model, self.n_ctx = model, n_ctx
        self.n_pages = n_pages_of(n_ctx)
        n_pages = n_pages_in_all(n_ctx)
        self._pages = {
            shape: new_pages(model.device, n_pages, *shape, kind=kind) for shape in page_shapes(config).values()
        }
        self._rotations = model.rotations(n_ctx)
        self._programs: dict[int, Program] = {}

    def tensors(self) -> list[Tensor]:
        """Return all tensors in DSP memory."""
        return [*self._pages.values(), *(rotation.turns for rotation in self._rotations.values())]

    @property
    def nbytes(self) -> int:
        """The bytes of keys and values in DSP memory."""
        return sum(pages.nbytes for pages in self._pages.values())

    def rows(self, texts: Sequence[Sequence[int]]) -> list[F32]:
        """Return the model's output for each token of each sequence: (T, embedding length) each.

        Raises:
            ArgumentError: a sequence is empty, longer than n_ctx, or has an unknown token.
        """
        for tokens in texts:
            check_tokens(tokens, self.model.n_tokens, self.n_ctx)
        result: dict[int, F32] = {}
        for numbers in self._together(texts):
            result |= zip(numbers, self._run([texts[number] for number in numbers]), strict=True)
        return [result[number] for number in range(len(texts))]

    @staticmethod
    def _together(texts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Yield the indices of sequences to batch in one message, shortest first."""
        numbers: list[int] = []
        for number in sorted(range(len(texts)), key=lambda number: len(texts[number])):
            n_rows = sum(len(texts[index]) for index in (*numbers, number))
            if numbers and (n_rows > _ROWS or len(numbers) == _TEXTS):
                yield numbers
                numbers = []
            numbers.append(number)
        if numbers:
            yield numbers

    def _run(self, texts: Sequence[Sequence[int]]) -> list[F32]:
        lengths = [len(tokens) for tokens in texts]
        n_rows = max(8, 1 << (sum(lengths) - 1).bit_length())
        positions = np.concatenate([np.arange(length, dtype=np.int32) for length in lengths])
        pages, first = np.full((len(texts), self.n_pages), -1, np.int32), 0
        for row, length in zip(pages, lengths, strict=True):
            row[: n_pages_of(length)] = range(first, first + n_pages_of(length))
            first += n_pages_of(length)
        ids = [token for tokens in texts for token in tokens]
        numbers = batch_numbers(ids, positions, [pages], lengths, (), shape=(n_rows, _TEXTS, _TEXTS))
        if (recurrence := self.model.config.recurrence) is not None:
            neighbours = neighbour_numbers(lengths, recurrence.tables[0][0] + 1, n_rows)
            numbers = np.concatenate([numbers, neighbours.reshape(-1)])
        arrays = [numbers, np.array([*lengths, *[0] * (_TEXTS - len(texts))], np.int32)]
        if POSITION_EMBEDDING in self.model.weights:
            arrays.append(np.pad(positions, (0, n_rows - len(ids))))
        (values,) = self._program(n_rows).run(*arrays)
        ends = np.cumsum(lengths)
        return [np.array(rows) for rows in np.split(values.numpy()[: ends[-1]], ends[:-1])]

    def _program(self, n_rows: int) -> Program:
        if n_rows not in self._programs:
            caches = [self._pages[shape] for shape in page_shapes(self.model.config).values()]
            shape = n_rows, _TEXTS, self.n_pages
            with self.model.device.program() as p:
                Step(p, self.model, self._rotations, caches, shape, is_bidirectional=True).build("hidden")
            self._programs[n_rows] = p.compile()
        return self._programs[n_rows]

    def close(self) -> None:
        """Free the memory."""
        self._programs.clear()
        for tensor in self.tensors():
            tensor.let_go()


def page_shapes(config: Config) -> dict[int, tuple[int, int]]:
    """Return the number and the size of the KV heads of each layer with attention. Layers of one shape share pages."""
    return {
        layer: (config.n_kv_heads[layer], config.head_size_of(layer))
        for layer in range(config.n_layers)
        if config.has_cache(layer)
    }


def n_pages_in_all(n_ctx: int) -> int:
    """Return the number of pages of an encoder; all layers use the same pages."""
    return max(n_pages_of(n_ctx), _TEXTS + n_pages_of(_ROWS))


def pooled(texts: Sequence[F32], pooling: Pooling, width: int) -> F32:
    """Pool the rows of each sequence into one normalised embedding: (n, width)."""
    result = np.zeros((len(texts), width), np.float32)
    for row, rows in zip(result, texts, strict=True):
        vector = rows.mean(axis=0, dtype=np.float64) if pooling == "mean" else rows[0 if pooling == "cls" else -1]
        row[:] = vector / max(float(np.linalg.norm(vector.astype(np.float64))), 1e-12)
    return result
