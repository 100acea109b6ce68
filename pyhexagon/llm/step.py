# SPDX-License-Identifier: MIT
"""What the graphs of architectures are written with: the parts that transformers are made of.

A step of a model is one program. It takes M tokens of one sequence from their ids to logits, and puts their keys and
values into the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pyhexagon.device import Device
from pyhexagon.llm.config import Config
from pyhexagon.llm.weights import EMBEDDING, OUTPUT, Shapes, Weights, sizes
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.rope import RopeTable, rope_table
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

_NONE: Final[Shapes] = MappingProxyType({})


class Architecture(NamedTuple):
    """Attributes:
    rope: which elements of a head make pairs.
    tensors: that each layer has.
    layer: adds a layer to a graph: what comes out of it, of what comes in.
    optional: tensors that a layer may have.
    model_optional: tensors that a model may have beside its embedding, its last norm and its output matrix.
    window_pattern: every how manieth layer sees everything where there are windows; 0: there are none.
    embedding_scale: of what the embedding gives.
    attention_scale: of products of queries and keys.
    """

    rope: Literal["normal", "neox"]
    tensors: Shapes
    layer: Callable[[Layer, Value], Value]
    optional: Shapes = _NONE
    model_optional: Shapes = _NONE
    window_pattern: int = 0
    embedding_scale: Callable[[Config], float] = lambda _: 1.0
    attention_scale: Callable[[Config], float] = lambda config: config.scale


class Rotation(NamedTuple):
    """A table of ``rope_table`` on the device."""

    turns: Tensor
    scale: float

    @classmethod
    def of(cls, device: Device, config: Config, factors: npt.ArrayLike | None, *, has_window: bool) -> Rotation:
        """For the layers with a window, or for those without."""
        rope = config.rope
        table: RopeTable = rope_table(
            rope.n_dims,
            freq_base=rope.freq_base_window if has_window else rope.freq_base,
            freq_scale=1.0 if has_window else rope.freq_scale,
            ext_factor=0.0 if has_window else rope.ext_factor,
            attn_factor=rope.attn_factor,
            beta_fast=rope.beta_fast,
            beta_slow=rope.beta_slow,
            n_ctx_orig=rope.n_ctx_orig,
            factors=factors,
        )
        return cls(device.tensor(table.turns), table.scale)


class Parts(Protocol):
    """What a step needs of a model."""

    config: Config
    architecture: Architecture
    weights: Weights


class Step:
    """The graph of one step.

    Args:
        p: the program to be built.
        model: whose graph it is.
        rotations: of layers without and with a window.
        caches: a tensor for each layer.
        n_rows: M.
        n_pages: of the sequence.
    """

    def __init__(
        self,
        p: Builder,
        model: Parts,
        rotations: Mapping[bool, Rotation],
        caches: Sequence[Tensor],
        *,
        n_rows: int,
        n_pages: int,
    ) -> None:
        self.p, self.rotations, self.caches = p, rotations, caches
        self.config, self.architecture, self.weights = model.config, model.architecture, model.weights
        numbers = p.input((2 * n_rows + n_pages,), np.int32)
        self.tokens, self.positions = numbers[:n_rows], numbers[n_rows : 2 * n_rows]
        self.pages = numbers[2 * n_rows :]

    def build(self, *, every: bool) -> None:
        """From ids to logits: of every row, or of the last."""
        x = self.p.get_rows(self.weights.matrix(EMBEDDING), self.tokens)
        scale = self.architecture.embedding_scale(self.config)
        if scale != 1:
            x = self.p.scale(x, scale)
        for index in range(self.config.n_layers):
            x = self.architecture.layer(Layer(self, index), x)
        x = x if every else x[-1:]
        x = self.p.rms_norm(x, self.weights.vector(self.p, "output_norm.weight"), eps=self.config.eps)
        self.p.output(self.p.matmul(x, self.weights.matrix(OUTPUT if OUTPUT in self.weights else EMBEDDING)))

    @staticmethod
    def numbers(tokens: Sequence[int], first: int, pages: Sequence[int]) -> npt.NDArray[np.int32]:
        """The program's input: ids, the position of each, and the sequence's pages."""
        return np.array([*tokens, *range(first, first + len(tokens)), *pages], np.int32)


class Layer:
    """The parts of a layer; names of tensors are those after ``blk.N.``, without ``.weight``."""

    def __init__(self, step: Step, index: int) -> None:
        self.index = index
        self._step, self._p = step, step.p

    def norm(self, x: Value, name: str) -> Value:
        """RMS norm of rows (..., K), times a weight (K,)."""
        return self._p.rms_norm(x, self._vector(f"{name}.weight"), eps=self._step.config.eps)

    def linear(self, x: Value, name: str) -> Value:
        """``x @ w.T``, and the bias where the file has one: (M, K) to (M, N)."""
        y = self._p.matmul(x, self._step.weights.matrix(self._name(f"{name}.weight")))
        bias = f"{name}.bias"
        return self._p.add(y, self._vector(bias)) if self._name(bias) in self._step.weights else y

    def heads(self, x: Value) -> Value:
        """(M, H * head size) as (M, H, head size)."""
        return x.reshape(x.shape[0], -1, self._step.config.head_size)

    def split(self, x: Value, names: Sequence[str]) -> list[Value]:
        """Columns of (M, N), as many each as what it is named after has in this layer: see ``weights.sizes``."""
        lengths = sizes(self._step.config, self.index)
        ends = list(accumulate(lengths[name] for name in names))
        return [x[:, end - lengths[name] : end] for name, end in zip(names, ends, strict=True)]

    def rope(self, x: Value) -> Value:
        """(M, H, head size), rotated by the rows' positions."""
        turns, scale = self._step.rotations[self._window > 0]
        return self._p.rope(x, self._step.positions, turns, mode=self._step.architecture.rope, scale=scale)

    def attention(self, q: Value, k: Value, v: Value) -> Value:
        """Puts keys and values into the cache, and attends to it: (M, H, head size) to (M, H * head size)."""
        step = self._step
        pages, positions = step.pages, step.positions
        cache = self._p.cache_append(k, v, step.caches[self.index], pages=pages, positions=positions)
        scale = step.architecture.attention_scale(step.config)
        y = self._p.flash_attn_ext(q, cache, pages=pages, positions=positions, scale=scale, window=self._window)
        return y.reshape(y.shape[0], -1)

    def swiglu(self, gate: Value, up: Value) -> Value:
        """``silu(gate) * up``."""
        return self._p.swiglu(gate, up)

    def geglu(self, gate: Value, up: Value) -> Value:
        """``gelu(gate) * up``, by tanh."""
        return self._p.geglu(gate, up)

    def add(self, x: Value, y: Value) -> Value:
        """``x + y``."""
        return self._p.add(x, y)

    @property
    def _window(self) -> int:
        return self._step.config.window_of(self.index)

    def _name(self, name: str) -> str:
        return f"blk.{self.index}.{name}"

    def _vector(self, name: str) -> Value:
        return self._step.weights.vector(self._p, self._name(name))
