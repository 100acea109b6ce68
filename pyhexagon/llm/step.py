# SPDX-License-Identifier: MIT
"""What the graphs of architectures are written with: the parts that transformers are made of.

A step of a model is one program. It takes M tokens of one sequence from their ids to logits, and puts their keys and
values into the cache.
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
from pyhexagon.llm.weights import EMBEDDING, LAST_NORM, OUTPUT, PLACES, TAPS, TYPES, Shapes, Weights, sizes
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.hadamard import size_for
from pyhexagon.ops.rope import RopeTable, rope_table
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

# Logits of the wanted rows, or of every row; rows before the output matrix; the likeliest tokens of the wanted rows
# only; or nothing, but for keys and values.
Result = Literal["wanted", "every", "hidden", "top", "nothing"]
I32 = npt.NDArray[np.int32]

_NONE: Final[Shapes] = MappingProxyType({})


class Architecture(NamedTuple):
    """Attributes:
    rope: which elements of a head make pairs.
    tensors: that each layer has.
    recurrent_tensors: that a layer with a delta net has in place of these.
    layer: adds a layer to a graph: what comes out of it, of what comes in.
    optional: tensors that a layer may have.
    model: tensors that a model has beside its layers and its embedding.
    model_optional: tensors that it may have beside its output matrix.
    classifier: tensors of rankers: see ``pyhexagon.llm.classifier``.
    ignored: what the names of tensors begin with that are not for texts.
    traits: how its keys are to be read.
    embedding_scale: of what the embedding gives.
    attention_scale: of products of queries and keys.
    """

    rope: Literal["normal", "neox"]
    tensors: Shapes
    layer: Callable[[Layer, Value], Value]
    optional: Shapes = _NONE
    model: Shapes = MappingProxyType({f"{LAST_NORM}.weight": ("width",)})
    model_optional: Shapes = _NONE
    classifier: Shapes = _NONE
    ignored: tuple[str, ...] = ()
    traits: Traits = Traits()
    embedding_scale: Callable[[Config], float] = lambda _: 1.0
    attention_scale: Callable[[Config], float] = lambda config: config.scale
    recurrent_tensors: Shapes = _NONE

    def tensors_of(self, config: Config, layer: int) -> tuple[Shapes, Shapes]:
        """What a layer has, and what it may have."""
        return self.recurrent_tensors if config.is_recurrent(layer) else self.tensors, self.optional


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
            freq_scale=rope.freq_scale_window if has_window else rope.freq_scale,
            ext_factor=rope.ext_factor,
            attn_factor=rope.attn_factor,
            beta_fast=rope.beta_fast,
            beta_slow=rope.beta_slow,
            n_ctx_orig=rope.n_ctx_orig,
            factors=factors,
        )
        return cls(device.tensor(table.turns), table.scale)


class Tables(NamedTuple):
    """What a recurrent layer remembers: rows for its convolution, and for the matrices of its heads."""

    inputs: Tensor
    matrices: Tensor


class Parts(Protocol):
    """What a step needs of a model."""

    config: Config
    architecture: Architecture
    weights: Weights
    layers: range


_NO_STATES: Final[Mapping[int, Tables]] = MappingProxyType({})


class Step:
    """The graph of one step.

    Args:
        p: the program to be built.
        model: whose graph it is.
        rotations: of layers without and with a window.
        caches: a tensor for each layer with attention.
        shape: rows M, texts S that they belong to, and how many pages a text has at most.
        n_wanted: how many rows W the result may be of: the last ones of one text, or those that an input names of
            several; None is one for each text.
        sees_all: whether rows see those after them, too; for several texts.
        states: what the other layers remember, by their numbers.
        n_guessed: how many of the last rows are guesses: of what these layers remember, that before them is kept, too.
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
        sees_all: bool = False,
        states: Mapping[int, Tables] = _NO_STATES,
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
        if self.config.delta_net is not None:
            lengths += [n_texts * self.config.delta_net.n_rows] * (3 if n_guessed else 2)
        numbers = p.input((sum(lengths),), np.int32)
        ends = accumulate(lengths)
        parts = [numbers[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        self.tokens, self.positions, self.pages, *several = parts
        self.texts = self.wanted_rows = self.lengths = None
        if n_texts > 1:
            self.pages = self.pages.reshape(n_texts, n_pages)
            self.texts, self.wanted_rows, *several = several
        self.remembered = several  # rows to read, and to write
        if sees_all:
            self.lengths = p.input((n_texts,), np.int32)

    def build(self, result: Result, n_top: int = 0) -> None:
        """From ids to the result; of some layers of a model, from the rows that come in, to those that go out.

        Args:
            n_top: of the wanted rows, also the ids of so many of the likeliest tokens, the likeliest first (W, n_top),
                their logits, and the probability of the first (W, 1).
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
        x = self.norm(x, LAST_NORM) if f"{LAST_NORM}.weight" in self.weights else x
        if result == "hidden":
            self.p.output(x)
            return
        logits = self.p.matmul(x, self.weights.matrix(OUTPUT if OUTPUT in self.weights else EMBEDDING))
        if result != "top":
            self.p.output(logits)
        if n_top:
            self._add_likeliest(logits, n_top)

    def _add_likeliest(self, logits: Value, n_top: int) -> None:
        p, rows = self.p, logits.reshape(*logits.shape, 1)
        ids = p.top_k(logits, n_top) if n_top > 1 else p.argmax(logits).reshape(-1, 1)
        share = p.get_rows(p.soft_max(logits).reshape(*logits.shape, 1), ids[:, :1])
        p.output(ids, p.get_rows(rows, ids).reshape(ids.shape), share.reshape(-1, 1))

    def _embedded(self) -> Value:
        """The rows of the ids, and what else the file has to be added to them."""
        p, weights = self.p, self.weights
        x = p.get_rows(weights.matrix(EMBEDDING), self.tokens)
        if TYPES in weights:  # all tokens are of the first type
            x = p.add(x, weights.small(p, TYPES)[0])
        if PLACES in weights:
            x = p.add(x, p.get_rows(weights.matrix(PLACES), p.input(self.tokens.shape, np.int32)))
        x = self.norm(x, "token_embd_norm") if "token_embd_norm.weight" in weights else x
        scale = self.architecture.embedding_scale(self.config)
        return x if scale == 1 else p.scale(x, scale)

    def norm(self, x: Value, name: str) -> Value:
        """Rows (..., K) normalised: by RMS, or with their mean subtracted where the file has a bias for that."""
        p, eps, weight = self.p, self.config.eps, self.weights.small(self.p, f"{name}.weight")
        if f"{name}.bias" not in self.weights:
            return p.rms_norm(x, weight, eps=eps)
        return p.norm(x, weight, self.weights.small(p, f"{name}.bias"), eps=eps)

    @staticmethod
    def numbers(tokens: Sequence[int], positions: I32, pages: I32) -> I32:
        """The program's input: ids, the position of each, and the text's pages."""
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
        """The input of a program for several texts; rows and texts that are missing are left out by the ops.

        Args:
            tokens, positions: of one text after the other.
            pages: (texts, pages).
            lengths: how many tokens each text has here.
            wanted: rows that the result is of.
            shape: the program's rows, texts and wanted rows.
        """
        n_rows, n_texts, n_wanted = shape
        ids, places, owners = np.zeros(n_rows, np.int32), np.full(n_rows, -1, np.int32), np.zeros(n_rows, np.int32)
        ids[: len(tokens)], places[: len(tokens)] = tokens, positions
        owners[: len(tokens)] = np.repeat(np.arange(len(lengths)), lengths)
        table, rows = np.full((n_texts, pages.shape[1]), -1, np.int32), np.zeros(n_wanted, np.int32)
        table[: len(pages)], rows[: len(wanted)] = pages, wanted
        return np.concatenate([ids, places, table.reshape(-1), owners, rows])


class Layer:
    """The parts of a layer; names of tensors are those after ``blk.N.``, without ``.weight``."""

    def __init__(self, step: Step, index: int) -> None:
        self.index = index
        self._step, self._p = step, step.p

    def norm(self, x: Value, name: str) -> Value:
        """As ``Step.norm``."""
        return self._step.norm(x, self._name(name))

    def linear(self, x: Value, name: str) -> Value:
        """``x @ w.T``, and the bias where the file has one: (M, K) to (M, N)."""
        y = self._p.matmul(x, self._step.weights.matrix(self._name(f"{name}.weight")))
        bias = f"{name}.bias"
        return self._p.add(y, self.small(bias)) if self._name(bias) in self._step.weights else y

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
        """Puts keys and values into the cache, and attends to it: (M, H, head size) to (M, H * head size).

        Sinks take part where the file has them. A quantised cache holds heads rotated by a Hadamard matrix, where their
        size allows it: so large elements, which some dims of keys have, are shared by all before blocks of 32 get one
        scale. Queries are rotated with the keys, which leaves their products as they were, and the result is back.
        """
        step = self._step
        pages, positions, texts = step.pages, step.positions, step.texts
        n_rotated = None if step.caches[self.index].gguf_type == Type.F16 else size_for(step.config.head_size)
        if n_rotated is not None:
            q, k, v = (self._p.hadamard(one, n_rotated) for one in (q, k, v))
        cache = self._p.cache_append(k, v, step.caches[self.index], pages=pages, positions=positions, sequences=texts)
        y = self._p.flash_attn_ext(
            q,
            cache,
            pages=pages,
            positions=positions,
            sequences=texts,
            lengths=step.lengths,
            sinks=self.small("attn_sinks.weight") if self._name("attn_sinks.weight") in step.weights else None,
            scale=step.architecture.attention_scale(step.config),
            window=self._window,
        )
        y = y if n_rotated is None else self._p.hadamard(y, n_rotated)
        return y.reshape(y.shape[0], -1)

    def experts(self, x: Value, activation: Callable[[Value, Value], Value]) -> Value:
        """A mixture of experts, (M, K) to (M, K): the sum of those that the router likes best, by its softmax of these.

        Args:
            activation: of gate and up, (M, experts used, N) each.
        """
        p, n_used = self._p, self._step.config.n_experts_used
        liked = self.linear(x, "ffn_gate_inp")
        chosen = p.top_k(liked, n_used)
        shares = p.soft_max(p.get_rows(liked.reshape(*liked.shape, 1), chosen).reshape(chosen.shape))
        gate, up = (self._linear_of(x, f"ffn_{name}_exps", chosen) for name in ("gate", "up"))
        y = self._linear_of(activation(gate, up), "ffn_down_exps", chosen)
        y = p.mul(y, shares.reshape(*chosen.shape, 1))
        return reduce(p.add, [y[:, number] for number in range(n_used)])

    def _linear_of(self, x: Value, name: str, chosen: Value) -> Value:
        """As ``linear``, by the experts that were chosen for each row: (M, K) or (M, U, K) to (M, U, N)."""
        y = self._p.mul_mat_id(x, self._step.weights.matrix(self._name(f"{name}.weight")), chosen)
        bias = f"{name}.bias"
        return self._p.add_id(y, self.small(bias), chosen) if self._name(bias) in self._step.weights else y

    def swiglu(self, gate: Value, up: Value) -> Value:
        """``silu(gate) * up``."""
        return self._p.swiglu(gate, up)

    def swiglu_oai(self, gate: Value, up: Value) -> Value:
        """``gate / (1 + exp(-1.702 * gate)) * (1 + up)``, both within -7 to 7."""
        return self._p.swiglu_oai(gate, up)

    def gelu(self, x: Value) -> Value:
        """By tanh."""
        return self._p.gelu(x)

    def geglu(self, gate: Value, up: Value) -> Value:
        """``gelu(gate) * up``, by tanh."""
        return self._p.geglu(gate, up)

    def add(self, x: Value, y: Value) -> Value:
        """``x + y``."""
        return self._p.add(x, y)

    def delta_net(self, qkv: Value, decay: Value, beta: Value) -> Value:
        """A convolution along time, and a gated delta net: (M, channels) to (M, value heads, size).

        Args:
            decay: (M, value heads), the logarithm of what is kept.
            beta: as many, how much of the new is taken.
        """
        step, p, net, n_texts = self._step, self._p, self._step.config.delta_net, self._step.n_texts
        if net is None:
            raise UnsupportedError(f"{step.config.architecture} has no delta nets")
        tables, n_split = step.states[self.index], n_texts * net.n_before
        read, *written = [(ids[:n_split], ids[n_split:]) for ids in step.remembered]
        before, state = (p.get_rows(table, ids) for table, ids in zip(tables, read, strict=True))
        n_rows, n_each = qkv.shape[0], qkv.shape[0] // n_texts
        given = p.concat(
            [before.reshape(n_texts, net.n_before, -1), qkv.reshape(n_texts, n_each, -1)], axis=1
        )  # fmt: skip
        mixed = p.silu(p.ssm_conv(given, self.small(TAPS))).reshape(n_rows, -1, net.size)
        q, k, v = mixed[:, : net.n_keys], mixed[:, net.n_keys : 2 * net.n_keys], mixed[:, 2 * net.n_keys :]
        q, k = (p.repeat(p.l2_norm(one, eps=step.config.eps), v.shape) for one in (q, k))
        q, k, v = (one.reshape(n_texts, n_each, *v.shape[1:]) for one in (q, k, v))
        decay, beta = (one.reshape(n_texts, n_each, net.n_values) for one in (decay, beta))
        state, answers, first = state.reshape(n_texts, net.n_values, net.size, net.size), list[Value](), 0
        for end, (inputs, matrices) in zip(
            (n_each - step.n_guessed, n_each) if step.n_guessed else (n_each,), written, strict=True
        ):
            now = slice(first, end)
            answer, state = p.gated_delta_net(
                q[:, now], k[:, now], v[:, now], g=decay[:, now], beta=beta[:, now], state=state
            )
            answers.append(answer)
            last = given[:, end : end + net.n_before]
            last = p.cpy(last) if n_texts > 1 else last
            p.set_rows(tables.inputs, last.reshape(n_split, -1), inputs)
            p.set_rows(tables.matrices, state.reshape(n_texts * net.n_values, -1), matrices)
            first = end
        whole = answers[0] if len(answers) == 1 else p.concat(answers, axis=1)
        return whole.reshape(n_rows, net.n_values, net.size)

    @property
    def is_recurrent(self) -> bool:
        """Whether it has a delta net, and no attention."""
        return self._step.config.is_recurrent(self.index)

    def mul(self, x: Value, y: Value) -> Value:
        """``x * y``."""
        return self._p.mul(x, y)

    def sigmoid(self, x: Value) -> Value:
        """``1 / (1 + exp(-x))``."""
        return self._p.sigmoid(x)

    def softplus(self, x: Value) -> Value:
        """``log(1 + exp(x))``."""
        return self._p.softplus(x)

    @property
    def _window(self) -> int:
        return self._step.config.window_of(self.index)

    def _name(self, name: str) -> str:
        return f"blk.{self.index}.{name}"

    def small(self, name: str) -> Value:
        """A tensor that is no factor of a product, by its whole name."""
        return self._step.weights.small(self._p, self._name(name))
