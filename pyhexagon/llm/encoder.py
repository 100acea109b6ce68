# SPDX-License-Identifier: MIT
"""An encoder that runs: the rows of texts whose tokens see both ways. Nothing is kept from one text to the next.

A message holds several texts. Keys and values of a layer lie in pages that the next layer uses again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import new_pages
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.config import Pooling
from pyhexagon.llm.model import Model
from pyhexagon.llm.stage import n_pages_of
from pyhexagon.llm.step import Step
from pyhexagon.llm.texts import check_text
from pyhexagon.llm.weights import PLACES
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

_TEXTS: Final = 16  # in one message
_ROWS: Final = 128  # which several texts share; a longer text goes alone

F32 = npt.NDArray[np.float32]


class Encoder:
    """The programs of an encoder. Not for several threads at once.

    Args:
        model: what to run.
        n_ctx: how many tokens a text may have.
        kind: how keys and values are kept, see ``pyhexagon.cache``.

    Raises:
        ArgumentError: n_ctx is not 1 to what the model was made for, or there is no such kind.
        DspMemoryError: it does not fit.
    """

    def __init__(self, model: Model, n_ctx: int, *, kind: str = "q8_0") -> None:
        config = model.config
        if not 1 <= n_ctx <= config.n_ctx:
            raise ArgumentError(f"n_ctx is {n_ctx}: expected 1 to {config.n_ctx}, for which the model was made")
        self.model, self.n_ctx = model, n_ctx
        self.n_pages = n_pages_of(n_ctx)
        self._pages = new_pages(model.device, n_pages_in_all(n_ctx), config.n_kv_heads[0], config.head_size, kind=kind)
        self._rotations = model.rotations(n_ctx)
        self._programs: dict[int, Program] = {}

    def tensors(self) -> list[Tensor]:
        """All that it has in DSP memory."""
        return [self._pages, *(rotation.turns for rotation in self._rotations.values())]

    @property
    def nbytes(self) -> int:
        """Of keys and values in DSP memory."""
        return self._pages.nbytes

    def rows(self, texts: Sequence[Sequence[int]]) -> list[F32]:
        """What the model makes of each token of each text: (T, width) each.

        Raises:
            ArgumentError: a text is empty, longer than n_ctx, or has a token that does not exist.
        """
        for tokens in texts:
            check_text(tokens, self.model.n_tokens, self.n_ctx)
        result: dict[int, F32] = {}
        for numbers in self._together(texts):
            result |= zip(numbers, self._run([texts[number] for number in numbers]), strict=True)
        return [result[number] for number in range(len(texts))]

    @staticmethod
    def _together(texts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Which texts share a message, the shortest first."""
        numbers: list[int] = []
        for number in sorted(range(len(texts)), key=lambda one: len(texts[one])):
            n_rows = sum(len(texts[one]) for one in (*numbers, number))
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
        ids = [one for tokens in texts for one in tokens]
        numbers = Step.numbers_of_several(ids, positions, pages, lengths, (), shape=(n_rows, _TEXTS, _TEXTS))
        given = [numbers, np.array([*lengths, *[0] * (_TEXTS - len(texts))], np.int32)]
        if PLACES in self.model.weights:
            given.append(np.pad(positions, (0, n_rows - len(ids))))
        (values,) = self._program(n_rows).run(*given)
        ends = np.cumsum(lengths)
        return [np.array(one) for one in np.split(values.numpy()[: ends[-1]], ends[:-1])]

    def _program(self, n_rows: int) -> Program:
        if n_rows not in self._programs:
            caches = [self._pages] * self.model.config.n_layers
            shape = n_rows, _TEXTS, self.n_pages
            with self.model.device.program() as p:
                Step(p, self.model, self._rotations, caches, shape, sees_all=True).build("hidden")
            self._programs[n_rows] = p.compile()
        return self._programs[n_rows]

    def close(self) -> None:
        """Gives its memory back."""
        self._programs.clear()
        for tensor in self.tensors():
            tensor.let_go()


def n_pages_in_all(n_ctx: int) -> int:
    """How many pages an encoder has; all layers use the same ones."""
    return max(n_pages_of(n_ctx), _TEXTS + n_pages_of(_ROWS))


def pooled(texts: Sequence[F32], pooling: Pooling, width: int) -> F32:
    """The rows of each text made to one of length 1: (n, width)."""
    result = np.zeros((len(texts), width), np.float32)
    for row, rows in zip(result, texts, strict=True):
        one = rows.mean(axis=0, dtype=np.float64) if pooling == "mean" else rows[0 if pooling == "cls" else -1]
        row[:] = one / max(float(np.linalg.norm(one.astype(np.float64))), 1e-12)
    return result
