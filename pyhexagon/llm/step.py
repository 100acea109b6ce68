# SPDX-License-Identifier: MIT
"""The building blocks of architectures' graphs: the parts of transformers.

A step of a model is one program. It takes M tokens of one or several sequences from their ids to logits, and appends
their keys and values to the KV cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import accumulate
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon.device import Device
from pyhexagon.errors import UnsupportedError
from pyhexagon.llm.config import Config, Traits
from pyhexagon.llm.layer_state import LayerState
from pyhexagon.llm.weights import (
    EMBEDDING,
    EMBEDDING_NORM,
    LAST_NORM,
    OUTPUT,
    POSITION_EMBEDDING,
    TYPE_EMBEDDING,
    Shapes,
    Weights,
    sizes,
)
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.hadamard import size_for
from pyhexagon.ops.rope import RopeTable, rope_table
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

# Logits of the wanted rows, or of every row; the rows before the output matrix; the top-k tokens of the wanted rows
# only; or no result, just keys and values.
Result = Literal["wanted", "every", "hidden", "top", "nothing"]
I32 = npt.NDArray[np.int32]

_NONE: Final[Shapes] = MappingProxyType({})


class Architecture(NamedTuple):
    """Attributes:
    rope: which elements of a head form pairs.
    tensors: the tensors of each layer.
    recurrent_tensors: the tensors of a layer with a recurrent state instead.
    dense_tensors, moe_tensors: further tensors of the first ``Config.n_dense_layers`` layers, and of the others.
    layer: adds a layer to a graph: returns its output for an input.
    optional: the optional tensors of a layer.
    model: the tensors of a model besides its layers and its embedding.
    model_optional: optional tensors besides the output matrix.
    last_norm: the norm after the last layer.
    classifier: tensors of rankers: see ``pyhexagon.llm.classifier``.
    ignored: prefixes of tensors that text does not need.
    traits: how to read its keys.
    embedding_scale: returns the factor on embeddings.
    attention_scale: returns the factor on products of queries and keys.
    """

    rope: Literal["normal", "neox"]
    tensors: Shapes
    layer: Callable[[Layer, Value], Value]
    optional: Shapes = _NONE
    model: Shapes = MappingProxyType({f"{LAST_NORM}.weight": ("width",)})
    model_optional: Shapes = _NONE
    last_norm: str = LAST_NORM
    classifier: Shapes = _NONE
    ignored: tuple[str, ...] = ()
    traits: Traits = Traits()
    embedding_scale: Callable[[Config], float] = lambda _: 1.0
    attention_scale: Callable[[Config], float] = lambda config: config.scale
    recurrent_tensors: Shapes = _NONE
    dense_tensors: Shapes = _NONE
    moe_tensors: Shapes = _NONE

    def tensors_of(self, config: Config, layer: int) -> tuple[Shapes, Shapes]:
        """Return the required and the optional tensors of a layer."""
        tensors = self.recurrent_tensors if config.is_recurrent(layer) else self.tensors
        further = self.dense_tensors if layer < config.n_dense_layers else self.moe_tensors
        return {**tensors, **further}, self.optional


class Rotation(NamedTuple):
    """A table of ``rope_table`` on the device."""

    turns: Tensor
    scale: float

    @classmethod
    def of(cls, device: Device, config: Config, factors: npt.ArrayLike | None, *, has_window: bool) -> Rotation:
        """Upload the table of sliding-window layers, or of the others."""
        rope = config.rope
        table: RopeTable = rope_table(
            rope.n_dims,
            freq_base=rope.freq_base_window if has_window else rope.freq_base,
            freq_scale=rope.freq_scale_window if has_window else rope.freq_scale,
            ext_factor=rope.ext_factor,
            attn_factor=rope.attn_factor,
            beta_fast=rope.beta_fast,
            beta_slow=rope.beta_slow,
            n_ctx_orig=rope.n_ctx_orig,
            factors=factors,
        )
        return cls(device.tensor(table.turns), table.scale)


class Parts(Protocol):
    """What a step needs from a model."""

    config: Config
    architecture: Architecture
    weights: Weights
    layers: range


_NO_STATES: Final[Mapping[int, Sequence[Tensor]]] = MappingProxyType({})


class Step:
    """The graph of one step.

    Args:
        p: the program under construction.
        model: the model.
        rotations: the RoPE tables of layers without and with a sliding window.
        caches: one KV cache tensor per attention layer.
        shape: number of rows M, number of sequences S, and the largest number of pages of a sequence.
        n_wanted: number W of rows with a result: the last rows of one sequence, or those named by an input for several;
            None means one per sequence.
        is_bidirectional: whether attention is bidirectional; for several sequences.
        states: the tables of the other layers' recurrent state, by their numbers.
        n_guessed: the number of draft tokens at the end: a checkpoint of the recurrent state before them is kept.
    """

    def __init__(
        self,
        p: Builder,
        model: Parts,
        rotations: Mapping[bool, Rotation],
        caches: Sequence[Tensor],
        shape: tuple[int, int, int],
        *,
        n_wanted: int | None = None,
        is_bidirectional: bool = False,
        states: Mapping[int, Sequence[Tensor]] = _NO_STATES,
        n_guessed: int = 0,
    ) -> None:
        self.p, self.rotations, self.states, self.n_guessed = p, rotations, states, n_guessed
        self.config, self.architecture, self.weights = model.config, model.architecture, model.weights
        self.layers = model.layers
        attentive = [index for index in self.layers if not self.config.is_recurrent(index)]
        self.caches = dict(zip(attentive, caches, strict=True))
        n_rows, n_texts, n_pages = shape
        self.n_texts = n_texts
        self.n_wanted = n_wanted or n_texts
        lengths = [n_rows, n_rows, n_texts * n_pages, *([n_rows, self.n_wanted] if n_texts > 1 else [])]
        if self.config.recurrence is not None:
            n_state_rows = sum(rows for rows, _ in self.config.recurrence.tables)
            lengths += [n_texts * n_state_rows] * (3 if n_guessed else 2)
        numbers = p.input((sum(lengths),), np.int32)
        ends = accumulate(lengths)
        parts = [numbers[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        self.tokens, self.positions, self.pages, *several = parts
        self.texts = self.wanted_rows = self.lengths = None
        if n_texts > 1:
            self.pages = self.pages.reshape(n_texts, n_pages)
            self.texts, self.wanted_rows, *several = several
        self.state_rows = several  # to read, and to write at each checkpoint
        if is_bidirectional:
            self.lengths = p.input((n_texts,), np.int32)

    def build(self, result: Result, n_top: int = 0) -> None:
        """Build the graph from ids to the result, or from input rows to output rows for some layers of a model.

        Args:
            n_top: also return the ids of the top n_top tokens of the wanted rows, most likely first, (W, n_top), their
                logits, and the probability of the first (W, 1).
        """
        is_first, is_last = self.layers.start == 0, self.layers.stop == self.config.n_layers
        x = self._embedded() if is_first else self.p.input((self.tokens.shape[0], self.config.width))
        for index in self.layers:
            x = self.architecture.layer(Layer(self, index), x)
        if not is_last:
            self.p.output(x)
            return
        if result == "nothing":
            return
        if result in ("wanted", "top"):
            x = x[-self.n_wanted :] if self.wanted_rows is None else self.p.get_rows(x, self.wanted_rows)
        last_norm = self.architecture.last_norm
        x = self.norm(x, last_norm) if f"{last_norm}.weight" in self.weights else x
        if result == "hidden":
            self.p.output(x)
            return
        logits = self.p.matmul(x, self.weights.matrix(OUTPUT if OUTPUT in self.weights else EMBEDDING))
        logits = self._scaled(logits)
        if result != "top":
            self.p.output(logits)
        if n_top:
            self._add_top_k(logits, n_top)

    def _scaled(self, logits: Value) -> Value:
        """Return logits after the model's factor and soft cap."""
        factor, cap = self.config.factors.logits, self.config.factors.logit_softcap
        logits = logits if factor == 1 else self.p.scale(logits, factor)
        return self.p.scale(self.p.tanh(self.p.scale(logits, 1 / cap)), cap) if cap else logits

    def _add_top_k(self, logits: Value, n_top: int) -> None:
        p, rows = self.p, logits.reshape(*logits.shape, 1)
        ids = p.top_k(logits, n_top) if n_top > 1 else p.argmax(logits).reshape(-1, 1)
        share = p.get_rows(p.soft_max(logits).reshape(*logits.shape, 1), ids[:, :1])
        p.output(ids, p.get_rows(rows, ids).reshape(ids.shape), share.reshape(-1, 1))

    def _embedded(self) -> Value:
        """Return the embeddings of the ids, plus type and position embeddings if the file has them."""
        p, weights = self.p, self.weights
        x = p.get_rows(weights.matrix(EMBEDDING), self.tokens)
        if TYPE_EMBEDDING in weights:  # all tokens are of the first type
            x = p.add(x, weights.vector(p, TYPE_EMBEDDING)[0])
        if POSITION_EMBEDDING in weights:
            x = p.add(x, p.get_rows(weights.matrix(POSITION_EMBEDDING), p.input(self.tokens.shape, np.int32)))
        has_norm = f"{EMBEDDING_NORM}.weight" in weights and self.architecture.last_norm != EMBEDDING_NORM
        x = self.norm(x, EMBEDDING_NORM) if has_norm else x
        scale = self.architecture.embedding_scale(self.config)
        return x if scale == 1 else p.scale(x, scale)

    def norm(self, x: Value, name: str) -> Value:
        """Normalise rows (..., K): RMS norm, or layer norm with a bias if the file has one."""
        p, eps, weight = self.p, self.config.eps, self.weights.vector(self.p, f"{name}.weight")
        if not self.architecture.traits.has_layer_norms:
            return p.rms_norm(x, weight, eps=eps)
        bias = f"{name}.bias"
        return p.norm(x, weight, self.weights.vector(p, bias) if bias in self.weights else None, eps=eps)

    @staticmethod
    def numbers(tokens: Sequence[int], positions: I32, pages: I32) -> I32:
        """Return the program's input: ids, their positions, and the sequence's page table."""
        return np.concatenate([np.array(tokens, np.int32), positions, pages.reshape(-1)])

    @staticmethod
    def numbers_of_several(
        tokens: Sequence[int],
        positions: I32,
        pages: I32,
        lengths: Sequence[int],
        wanted: Sequence[int],
        *,
        shape: tuple[int, int, int],
    ) -> I32:
        """Return the input of a program for several sequences; unused rows and sequences have no effect.

        Args:
            tokens, positions: of the sequences one after the other.
            pages: the page tables, (sequences, pages).
            lengths: the number of tokens of each sequence.
            wanted: the rows with a result.
            shape: the program's numbers of rows, sequences and wanted rows.
        """
        n_rows, n_texts, n_wanted = shape
        ids, places, owners = np.zeros(n_rows, np.int32), np.full(n_rows, -1, np.int32), np.zeros(n_rows, np.int32)
        ids[: len(tokens)], places[: len(tokens)] = tokens, positions
        owners[: len(tokens)] = np.repeat(np.arange(len(lengths)), lengths)
        table, rows = np.full((n_texts, pages.shape[1]), -1, np.int32), np.zeros(n_wanted, np.int32)
        table[: len(pages)], rows[: len(wanted)] = pages, wanted
        return np.concatenate([ids, places, table.reshape(-1), owners, rows])


class Layer:
    """The building blocks of a layer; tensor names are those after ``blk.N.``, without ``.weight``.

    Attributes:
        index: of the layer.
        p: the program under construction.
    """

    def __init__(self, step: Step, index: int) -> None:
        self.index = index
        self._step, self.p = step, step.p

    def norm(self, x: Value, name: str) -> Value:
        """Normalise as ``Step.norm``."""
        return self._step.norm(x, self._name(name))

    def linear(self, x: Value, name: str) -> Value:
        """Return ``x @ w.T``, plus the bias if the file has one: (M, K) to (M, N)."""
        y = self.p.matmul(x, self._step.weights.matrix(self._name(f"{name}.weight")))
        bias = f"{name}.bias"
        return self.p.add(y, self.vector(bias)) if self._name(bias) in self._step.weights else y

    def qkv(self, x: Value) -> tuple[Value, Value, Value]:
        """Return queries, keys and values of rows (M, K): (M, heads, head size) each."""
        q, k, v = (self.heads(self.linear(x, name)) for name in ("attn_q", "attn_k", "attn_v"))
        return q, k, v

    def feed_forward(self, x: Value, suffix: str = "") -> Value:
        """Return the feed-forward network with SwiGLU of rows: (M, K) to (M, K).

        Args:
            suffix: of its tensors' names.
        """
        gate, up = self.linear(x, f"ffn_gate{suffix}"), self.linear(x, f"ffn_up{suffix}")
        return self.linear(self.swiglu(gate, up), f"ffn_down{suffix}")

    def heads(self, x: Value) -> Value:
        """Reshape (M, H * head size) to (M, H, head size)."""
        return x.reshape(x.shape[0], -1, self._step.config.head_size)

    def split(self, x: Value, names: Sequence[str]) -> list[Value]:
        """Split the columns of (M, N) into parts whose widths are named as in ``weights.sizes``."""
        lengths = sizes(self._step.config, self.index)
        ends = list(accumulate(lengths[name] for name in names))
        return [x[:, end - lengths[name] : end] for name, end in zip(names, ends, strict=True)]

    def rope(self, x: Value) -> Value:
        """Rotate (M, H, head size) by the rows' positions."""
        turns, scale = self._step.rotations[self._window > 0]
        return self.p.rope(x, self._step.positions, turns, mode=self._step.architecture.rope, scale=scale)

    def attention(self, q: Value, k: Value, v: Value) -> Value:
        """Append keys and values to the KV cache, and attend to it: (M, H, head size) to (M, H * head size).

        Attention sinks are used if the file has them. In a quantised cache, heads are rotated by a Hadamard matrix if
        their size allows it: this spreads large elements, which some dims of keys have, before blocks of 32 get one
        scale. Queries are rotated like the keys, which preserves their products, and the result is rotated back.
        """
        step = self._step
        pages, positions, texts = step.pages, step.positions, step.texts
        n_rotated = None if step.caches[self.index].gguf_type == Type.F16 else size_for(step.config.head_size)
        if n_rotated is not None:
            q, k, v = (self.p.hadamard(one, n_rotated) for one in (q, k, v))
        cache = self.p.cache_append(k, v, step.caches[self.index], pages=pages, positions=positions, sequences=texts)
        y = self.p.flash_attn_ext(
            q,
            cache,
            pages=pages,
            positions=positions,
            sequences=texts,
            lengths=step.lengths,
            sinks=self.vector("attn_sinks.weight") if self._name("attn_sinks.weight") in step.weights else None,
            scale=step.architecture.attention_scale(step.config),
            window=self._window,
            softcap=step.config.factors.attention_softcap,
        )
        y = y if n_rotated is None else self.p.hadamard(y, n_rotated)
        return y.reshape(y.shape[0], -1)

    def experts(self, x: Value, activation: Callable[[Value, Value], Value]) -> Value:
        """Return a mixture of experts, (M, K) to (M, K): the top experts of the router, weighted by their shares.

        Args:
            activation: applied to gate and up, (M, experts used, N) each.
        """
        p, n_used = self.p, self._step.config.n_experts_used
        chosen, shares = self._routed(self.linear(x, "ffn_gate_inp"), n_used)
        gate, up = (self._linear_of(x, f"ffn_{name}_exps", chosen) for name in ("gate", "up"))
        y = self._linear_of(activation(gate, up), "ffn_down_exps", chosen)
        y = p.mul(y, shares.reshape(*chosen.shape, 1))
        return reduce(p.add, [y[:, number] for number in range(n_used)])

    def _routed(self, router_logits: Value, n_used: int) -> tuple[Value, Value]:
        """Return the experts chosen for each row and their shares, (M, experts used) each.

        The shares are the scores, a softmax or sigmoids, over their sum. A bias on scores changes the choice only.
        """
        p, bias = self.p, "exp_probs_b.bias"
        has_sigmoids, has_bias = self._step.architecture.traits.has_sigmoid_router, self._has(bias)
        if not has_sigmoids and not has_bias:
            chosen = p.top_k(router_logits, n_used)
            return chosen, p.soft_max(self._of_chosen(router_logits, chosen))
        scores = p.sigmoid(router_logits) if has_sigmoids else p.soft_max(router_logits)
        chosen = p.top_k(p.add(scores, self.vector(bias)) if has_bias else scores, n_used)
        shares = self._of_chosen(scores, chosen)
        return chosen, p.div(shares, p.sum_rows(shares))

    def _of_chosen(self, x: Value, chosen: Value) -> Value:
        """Return the columns of (M, experts) that are chosen for each row."""
        return self.p.get_rows(x.reshape(*x.shape, 1), chosen).reshape(chosen.shape)

    def _linear_of(self, x: Value, name: str, chosen: Value) -> Value:
        """Like ``linear``, with the experts chosen for each row: (M, K) or (M, U, K) to (M, U, N)."""
        y = self.p.mul_mat_id(x, self._step.weights.matrix(self._name(f"{name}.weight")), chosen)
        bias = f"{name}.bias"
        return self.p.add_id(y, self.vector(bias), chosen) if self._name(bias) in self._step.weights else y

    def swiglu(self, gate: Value, up: Value) -> Value:
        """Return ``silu(gate) * up``."""
        return self.p.swiglu(gate, up)

    def swiglu_oai(self, gate: Value, up: Value) -> Value:
        """Return ``gate / (1 + exp(-1.702 * gate)) * (1 + up)``, both clamped to -7..7."""
        return self.p.swiglu_oai(gate, up)

    def gelu(self, x: Value) -> Value:
        """Return GELU in its tanh approximation."""
        return self.p.gelu(x)

    def geglu(self, gate: Value, up: Value) -> Value:
        """Return ``gelu(gate) * up``, with the tanh approximation."""
        return self.p.geglu(gate, up)

    @property
    def config(self) -> Config:
        """The model's hyper-parameters."""
        return self._step.config

    def scale(self, x: Value, factor: float) -> Value:
        """Return ``x * factor``."""
        return self.p.scale(x, factor)

    def add(self, x: Value, y: Value) -> Value:
        """Return ``x + y``."""
        return self.p.add(x, y)

    def state(self) -> LayerState:
        """Read the layer's recurrent state."""
        step = self._step
        if step.config.recurrence is None:
            raise UnsupportedError(f"{step.config.architecture} has no recurrent state")
        return LayerState(
            self.p,
            step.config.recurrence,
            step.states[self.index],
            step.state_rows,
            n_tokens=step.tokens.shape[0] // step.n_texts,
            n_sequences=step.n_texts,
            n_draft=step.n_guessed,
        )

    @property
    def is_recurrent(self) -> bool:
        """Whether the layer has a recurrent state, and no attention."""
        return self._step.config.is_recurrent(self.index)

    @property
    def is_dense(self) -> bool:
        """Whether the layer is one of the first ones, whose feed-forward net is no mixture of experts."""
        return self.index < self._step.config.n_dense_layers

    def mul(self, x: Value, y: Value) -> Value:
        """Return ``x * y``."""
        return self.p.mul(x, y)

    def dot(self, x: Value, y: Value) -> Value:
        """Return the dot product of each row with a vector: (M, K) and (K,) to (M, 1)."""
        return self.p.sum_rows(self.p.mul(x, y))

    def sigmoid(self, x: Value) -> Value:
        """Return ``1 / (1 + exp(-x))``."""
        return self.p.sigmoid(x)

    def softplus(self, x: Value) -> Value:
        """Return ``log(1 + exp(x))``."""
        return self.p.softplus(x)

    @property
    def has_window(self) -> bool:
        """Whether the layer has a sliding window."""
        return self._window > 0

    @property
    def _window(self) -> int:
        return self._step.config.window_of(self.index)

    def _has(self, name: str) -> bool:
        return self._name(name) in self._step.weights

    def _name(self, name: str) -> str:
        return f"blk.{self.index}.{name}"

    def vector(self, name: str) -> Value:
        """Return a non-matrix tensor by its full name."""
        return self._step.weights.vector(self.p, self._name(name))
