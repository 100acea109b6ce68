# SPDX-License-Identifier: MIT
"""A model on a device: its weights, and contexts that run it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import PAGE_TOKENS, new_pages
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm import config as hyper_parameters
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.config import Config
from pyhexagon.llm.step import Rotation, Step
from pyhexagon.llm.weights import EMBEDDING, Progress, Weights, check, vector
from pyhexagon.program.program import Program

LARGEST_PIECE: Final = 64  # tokens of a prompt in one message
_FREQUENCIES, _LONG, _SHORT = "rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"
_FACTORS: Final = frozenset({_FREQUENCIES, _LONG, _SHORT})


class Model:
    """The weights of a GGUF file on a device, and the graph of its architecture.

    Args:
        device: where it shall run.
        file: the model.
        checked: what ``checked`` says of it.
        progress: called now and then with the bytes loaded and the bytes in all.

    Raises:
        DspMemoryError: it does not fit.
    """

    def __init__(
        self, device: Device, file: GGUFFile, checked: tuple[Config, list[str]], progress: Progress | None = None
    ) -> None:
        self.config, names = checked
        self.device = device
        self.architecture = ARCHITECTURES[self.config.architecture]
        self._factors = {name: vector(file, name) for name in names if name in _FACTORS}
        self.weights = Weights(device, file, [name for name in names if name not in _FACTORS], progress)

    @property
    def n_tokens(self) -> int:
        """Of the vocabulary: logits have that many columns."""
        return self.weights.matrix(EMBEDDING).shape[0]

    @property
    def nbytes(self) -> int:
        """Of the weights in DSP memory."""
        return self.weights.nbytes

    def rotations(self, n_ctx: int) -> dict[bool, Rotation]:
        """How layers without and with a window rotate positions, for texts of up to so many tokens."""
        long_or_short = _LONG if n_ctx > self.config.rope.n_ctx_orig else _SHORT
        factors = self._factors.get(_FREQUENCIES, self._factors.get(long_or_short))
        result = {False: Rotation.of(self.device, self.config, factors, has_window=False)}
        if self.config.window:
            result[True] = Rotation.of(self.device, self.config, None, has_window=True)
        return result


class Context:
    """A sequence of tokens: their keys and values in a cache, and the programs that add to it.

    Args:
        model: what to run.
        n_ctx: how many tokens there is room for.

    Raises:
        ArgumentError: n_ctx is not at least 1.
        DspMemoryError: the cache does not fit.

    Attributes:
        tokens: whose keys and values are in the cache.
    """

    def __init__(self, model: Model, n_ctx: int) -> None:
        if n_ctx < 1:
            raise ArgumentError(f"n_ctx is {n_ctx}: expected 1 or more")
        config = model.config
        self.model, self.n_ctx = model, n_ctx
        self.n_pages = -(-n_ctx // PAGE_TOKENS)
        self.caches = [
            new_pages(model.device, self.n_pages, n_kv_heads, config.head_size) for n_kv_heads in config.n_kv_heads
        ]
        self._rotations = model.rotations(n_ctx)
        self.tokens: list[int] = []
        self._programs: dict[tuple[int, bool], Program] = {}

    @property
    def nbytes(self) -> int:
        """Of the cache in DSP memory."""
        return sum(cache.nbytes for cache in self.caches)

    def logits(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """What may follow a text: (V,). Only what the cache does not hold already is computed.

        Raises:
            ArgumentError: there are no tokens, more than n_ctx, or one that does not exist.
            HexagonError: the device fails; the cache is empty then.
        """
        self._check(tokens)
        n_kept = min(_n_common(self.tokens, tokens), len(tokens) - 1)
        del self.tokens[n_kept:]
        logits = np.empty(0, np.float32)
        for piece in pieces(tokens[n_kept:]):
            logits = self._run(piece, every=False)[0]
        return logits

    def all_logits(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """What may follow each beginning of a text: (T, V)."""
        self._check(tokens)
        self.tokens.clear()
        return np.concatenate([self._run(piece, every=True) for piece in pieces(tokens)])

    def _check(self, tokens: Sequence[int]) -> None:
        if not 0 < len(tokens) <= self.n_ctx:
            raise ArgumentError(f"{len(tokens)} tokens: expected 1 to n_ctx, {self.n_ctx}")
        if min(tokens) < 0 or max(tokens) >= self.model.n_tokens:
            raise ArgumentError(f"tokens from {min(tokens)} to {max(tokens)}: there are 0 to {self.model.n_tokens - 1}")

    def _run(self, piece: Sequence[int], *, every: bool) -> npt.NDArray[np.float32]:
        before, self.tokens = self.tokens, []  # while it runs, and if it fails, nobody knows what the cache holds
        numbers = Step.numbers(piece, len(before), range(self.n_pages))
        (result,) = self._program(len(piece), every).run(numbers)
        logits = np.array(result.numpy())
        self.tokens = [*before, *piece]
        return logits

    def _program(self, n_rows: int, every: bool) -> Program:
        key = n_rows, every
        if key not in self._programs:
            model = self.model
            with model.device.program() as p:
                step = Step(p, model, self._rotations, self.caches, n_rows=n_rows, n_pages=self.n_pages)
                step.build(every=every)
            self._programs[key] = p.compile()
        return self._programs[key]

    def close(self) -> None:
        """Gives its memory back."""
        self._programs.clear()
        for tensor in (*self.caches, *(rotation.turns for rotation in self._rotations.values())):
            tensor.close()


def checked(file: GGUFFile) -> tuple[Config, list[str]]:
    """The hyper-parameters of a model, and the names of its tensors.

    Raises:
        UnsupportedError: something speaks against running it; the message lists all of it.
    """
    patterns = {name: architecture.window_pattern for name, architecture in ARCHITECTURES.items()}
    config, problems = hyper_parameters.read(file, patterns)
    names: list[str] = []
    if not problems:
        one = ARCHITECTURES[config.architecture]
        names, problems = check(file, config, one.tensors, one.optional, one.model_optional)
    if problems:
        shown = [*problems[:20], *([f"and {len(problems) - 20} more"] if len(problems) > 20 else [])]
        raise UnsupportedError(f"{os.fspath(file.path)} cannot be run: {'; '.join(shown)}")
    return config, names


def pieces(tokens: Sequence[int]) -> Iterator[Sequence[int]]:
    """A prompt in as few pieces as there are programs for: of 64 tokens, and of powers of two."""
    at = 0
    while at < len(tokens):
        n_left = len(tokens) - at
        n = min(LARGEST_PIECE, 1 << (n_left.bit_length() - 1))
        yield tokens[at : at + n]
        at += n


def _n_common(before: Sequence[int], after: Sequence[int]) -> int:
    """How many tokens both begin with."""
    n = min(len(before), len(after))
    if list(before[:n]) == list(after[:n]):
        return n
    return next(at for at in range(n) if before[at] != after[at])
