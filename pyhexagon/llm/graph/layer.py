# SPDX-License-Identifier: MIT
"""Architectures, and the building blocks of their layers: the parts of transformers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import reduce
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeVar

from gguf import GGMLQuantizationType as Type

from pyhexagon.errors import UnsupportedError
from pyhexagon.llm.files.config import Config, Latent, Traits
from pyhexagon.llm.files.weights import ALIBI, KEYS_AND_VALUES, LAST_NORM, NO_ROW, Shapes, sizes
from pyhexagon.llm.graph.layer_state import LayerState
from pyhexagon.llm.graph.rotation import Rotation
from pyhexagon.llm.graph.step_inputs import StepInputs
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.hadamard import size_for
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.llm.engine.model import Model

_NONE: Final[Shapes] = MappingProxyType({})
_SEPARATE_EXPERTS: Final = "ffn_gate_exps.weight", "ffn_up_exps.weight"
_SEPARATE: Final = frozenset(f"attn_{name}.{end}" for name in "qkv" for end in ("weight", "bias"))


Residual = Callable[[Builder, "Model", Value], Value]
Block = Callable[["Layer", Value], Value]
R = TypeVar("R")


class Architecture(NamedTuple):
    """Attributes:
    rope: which elements of a head form pairs.
    tensors: the tensors of each layer.
    recurrent_tensors: the tensors of a layer with a recurrent state instead.
    feed_forward_tensors: the tensors of a layer that is a feed-forward net alone instead.
    dense_tensors, moe_tensors: further tensors of layers without and with a mixture of experts.
    per_layer: further tensors of a model with per-layer embeddings, and of each of its layers.
    mtp: the required and the optional tensors of an MTP block besides those of a layer; empty: none is run.
    layer: adds a layer to a graph: returns its output for an input.
    optional: the optional tensors of a layer.
    model: the tensors of a model besides its layers and its embedding.
    model_optional: optional tensors besides the output matrix.
    last_norm: the norm after the last layer.
    projection: the matrix after it that makes embeddings of rows, if the file has it; empty: there is none.
    classifier: tensors of rankers: see ``pyhexagon.llm.graph.classifier``.
    ignored: prefixes of tensors that text does not need.
    traits: how to read its keys.
    embedding_scale: returns the factor on embeddings.
    attention_scale: returns the factor on products of queries and keys.
    max_bias: ggml's name for the range of ALiBi's slopes; 0: no ALiBi.
    streams: for a residual of several rows per token: what makes it from embeddings (M, width), and what makes rows
        (M, width) from it after the last layer.
    """

    rope: Literal["normal", "neox"]
    tensors: Shapes
    layer: Block
    optional: Shapes = _NONE
    model: Shapes = MappingProxyType({f"{LAST_NORM}.weight": ("width",)})
    model_optional: Shapes = _NONE
    last_norm: str = LAST_NORM
    projection: str = ""
    classifier: Shapes = _NONE
    ignored: tuple[str, ...] = ()
    traits: Traits = Traits()
    embedding_scale: Callable[[Config], float] = lambda _: 1.0
    attention_scale: Callable[[Config], float] = lambda config: config.scale
    max_bias: float = 0.0
    streams: tuple[Residual, Residual] | None = None
    recurrent_tensors: Shapes = _NONE
    feed_forward_tensors: Shapes = _NONE
    dense_tensors: Shapes = _NONE
    moe_tensors: Shapes = _NONE
    per_layer: tuple[Shapes, Shapes] = (_NONE, _NONE)
    mtp: tuple[Shapes, Shapes] = (_NONE, _NONE)

    def model_of(self, config: Config) -> tuple[Shapes, Shapes]:
        """Return the required and the optional tensors besides layers, embedding and output matrix."""
        needed = {**self.model, **(self.per_layer[0] if config.n_per_layer else _NONE)}
        if config.embedding_length != config.width:
            needed[f"{self.projection}.weight"] = "embedding", "width"
        return needed, {**self.model_optional, **self.classifier}

    def tensors_of(self, config: Config, layer: int, has: Callable[[str], bool]) -> tuple[Shapes, Shapes]:
        """Return the required and the optional tensors of a layer, or of the MTP block after the last one.

        Args:
            config: of the model.
            layer: its number.
            has: whether the file has a tensor of the layer, by its name. Converters can write one matrix for queries,
                keys and values, and one for the gates and the upward projections of experts.
        """
        tensors = self.recurrent_tensors if config.is_recurrent(layer) else self.tensors
        tensors = self.feed_forward_tensors if config.is_feed_forward(layer) else tensors
        further, optional = self.dense_tensors if config.dense[layer] else self.moe_tensors, self.optional
        if not config.n_shared_ffn:
            further = {name: shape for name, shape in further.items() if "shared ffn" not in shape}
        if config.n_per_layer:
            further = {**further, **self.per_layer[1]}
        if has("ffn_gate_up_exps.weight"):
            further = _with_fused_experts(further)
        if layer == config.n_layers:
            tensors, optional = {**tensors, **self.mtp[0]}, {**optional, **self.mtp[1]}
        if config.kv_layer(layer) != layer:
            tensors, optional = _without_kv(tensors), _without_kv(optional)
        if has("attn_qkv.weight") and self.tensors.get("attn_q.weight") == ("q", "width"):
            return _fused({**tensors, **further}), _fused(self.optional)
        return {**tensors, **further}, optional


def _without_kv(shapes: Shapes) -> Shapes:
    return {name: shape for name, shape in shapes.items() if name not in KEYS_AND_VALUES}


def _with_fused_experts(shapes: Shapes) -> Shapes:
    """Return tensors with one matrix for the gates and the upward projections of each expert."""
    result = {name: shape for name, shape in shapes.items() if name not in _SEPARATE_EXPERTS}
    if len(result) < len(shapes):
        result["ffn_gate_up_exps.weight"] = ("experts", "2 expert ffn", "width")
    return result


def _fused(shapes: Shapes) -> Shapes:
    """Return tensors with one matrix, and one bias, for queries, keys and values."""
    result = {name: shape for name, shape in shapes.items() if name not in _SEPARATE}
    for end in (name.removeprefix("attn_q.") for name in shapes if name.startswith("attn_q.")):
        result[f"attn_qkv.{end}"] = ("qkv", *shapes[f"attn_q.{end}"][1:])
    return result


def normalize(p: Builder, model: Model, x: Value, name: str) -> Value:
    """Return rows (..., K) after the norm of a name: RMS norm or layer norm, with a bias if the file has one."""
    weights, eps = model.weights, model.config.eps
    weight, bias = weights.vector(p, f"{name}.weight"), f"{name}.bias"
    offset = weights.vector(p, bias) if bias in weights else None
    if model.architecture.traits.has_layer_norms:
        return p.norm(x, weight, offset, eps=eps)
    if (n_groups := model.config.factors.norm_groups) > 1:
        groups = x.reshape(*x.shape[:-1], n_groups, -1)
        return p.mul(p.rms_norm(groups, eps=eps).reshape(*x.shape), weight)
    y = p.rms_norm(x, weight, eps=eps)
    return y if offset is None else p.add(y, offset)


class Layer:
    """The building blocks of a layer; tensor names are those after ``blk.N.``, without ``.weight``.

    Args:
        appended: the caches that earlier layers have appended to; the layer adds its own.
        per_layer: the per-layer embeddings of all layers, (M, layers, size).
        cross_cache: keys and values of an encoder's output.
        cross_queries: receives the queries of cross-attention, (M, H, head size); None: nobody needs them.

    Attributes:
        index: of the layer.
        p: the program under construction.
    """

    def __init__(
        self,
        p: Builder,
        model: Model,
        inputs: StepInputs,
        rotations: Mapping[bool, Rotation],
        *,
        index: int,
        cache: Tensor | None,
        appended: MutableMapping[int, Value],
        states: Sequence[Tensor] = (),
        per_layer: Value | None = None,
        cross_cache: Tensor | None = None,
        cross_queries: list[Value] | None = None,
    ) -> None:
        self._cross_cache, self._cross_queries = cross_cache, cross_queries
        self.index, self.p = index, p
        self.config, self.architecture, self._weights = model.config, model.architecture, model.weights
        self._model, self._inputs, self._rotations, self._cache, self._states = model, inputs, rotations, cache, states
        self._appended, self._per_layer = appended, per_layer

    def norm(self, x: Value, name: str) -> Value:
        """Normalise as ``normalize``."""
        return normalize(self.p, self._model, x, self._name(name))

    def linear(self, x: Value, name: str) -> Value:
        """Return ``x @ w.T``, plus adapters and the bias if there are any: (M, K) to (M, N)."""
        y = self._weights.matmul(self.p, x, self._name(f"{name}.weight"), self._inputs.adapters)
        return self.p.add(y, self.vector(f"{name}.bias")) if self.has(f"{name}.bias") else y

    def qkv(self, x: Value) -> tuple[Value, Value, Value]:
        """Return queries, keys and values of rows (M, K): (M, heads, head size) each; of one matrix or three."""
        if self.has("attn_qkv.weight"):
            parts = self.split(self.linear(x, "attn_qkv"), ("q", "kv", "kv"))
        else:
            parts = [self.linear(x, name) for name in ("attn_q", "attn_k", "attn_v")]
        q, k, v = (self.heads(part) for part in parts)
        return q, k, v

    def self_attention(self, x: Value, *, has_rope: bool = True) -> Value:
        """Return attention and its output matrix: (M, K) to (M, K). Norms of heads come before RoPE, if there are any.

        Args:
            has_rope: whether queries and keys are rotated.
        """
        q, k, v = self.qkv(x)
        if self.has("attn_q_norm.weight"):
            q, k = self.norm(q, "attn_q_norm"), self.norm(k, "attn_k_norm")
        if has_rope:
            q, k = self.rope(q), self.rope(k)
        return self.linear(self.attention(q, k, v), "attn_output")

    def feed_forward(
        self, x: Value, suffix: str = "", activation: Callable[[Value, Value], Value] | None = None
    ) -> Value:
        """Return the feed-forward network with a gate: (M, K) to (M, K). One matrix or two compute gate and up.

        Args:
            suffix: of its tensors' names.
            activation: of gate and up; None: SwiGLU.
        """
        if self.has(f"ffn_gate{suffix}.weight"):
            gate, up = self.linear(x, f"ffn_gate{suffix}"), self.linear(x, f"ffn_up{suffix}")
        else:
            gate, up = self.split(self.linear(x, f"ffn_up{suffix}"), ("ffn", "ffn"))
        return self.linear((activation or self.p.swiglu)(gate, up), f"ffn_down{suffix}")

    def heads(self, x: Value) -> Value:
        """Reshape (M, H * head size) to (M, H, head size)."""
        return x.reshape(x.shape[0], -1, self.config.head_size_of(self.index))

    def split(self, x: Value, names: Sequence[str]) -> list[Value]:
        """Split the columns of (M, N) into parts whose widths are named as in ``weights.sizes``."""
        lengths = sizes(self.config, self.index)
        ends = list(accumulate(lengths[name] for name in names))
        return [x[:, end - lengths[name] : end] for name, end in zip(names, ends, strict=True)]

    def rope(self, x: Value) -> Value:
        """Rotate (M, H, head size) by the rows' positions, unless the layer has no RoPE."""
        if not self.config.rotates(self.index):
            return x
        turns, scale = self._rotations[self._window > 0]
        positions = self._inputs.positions if self._inputs.places is None else self._inputs.places
        mode = "neox" if self.config.rope.sections else self.architecture.rope  # M-RoPE's pairs are always NeoX's
        return self.p.rope(x, positions, turns, mode=mode, scale=scale)

    def attention(self, q: Value, k: Value | None = None, v: Value | None = None) -> Value:
        """Append keys and values to the KV cache, and attend to it: (M, H, head size) to (M, H * head size).

        Without keys and values, attend to those that an earlier layer has appended: see ``Config.kv_layers``.

        Attention sinks are used if the file has them. In a quantised cache, heads are rotated by a Hadamard matrix if
        their size allows it: this spreads large elements, which some dims of keys have, before blocks of 32 get one
        scale. Queries are rotated like the keys, which preserves their products, and the result is rotated back.
        """
        if self._cache is None:
            raise UnsupportedError(f"layer {self.index} has no attention")
        inputs = self._inputs
        pages, positions, sequences = inputs.pages, inputs.positions, inputs.sequences
        if self._window and inputs.window_pages is not None:
            pages = inputs.window_pages
        cache = self._cache
        q = self._spread(q, cache)
        if k is not None and v is not None:
            k, v = self._spread(k, cache), self._spread(v, cache)
            self._appended[self.index] = self.p.cache_append(
                k, v, cache, pages=pages, positions=positions, sequences=sequences
            )
        y = self.p.flash_attn_ext(
            q,
            self._appended[self.config.kv_layer(self.index)],
            pages=pages,
            positions=inputs.seen,
            sequences=sequences,
            lengths=inputs.lengths,
            sinks=self.vector("attn_sinks.weight") if self.has("attn_sinks.weight") else None,
            slopes=self._weights.vector(self.p, ALIBI) if self.architecture.max_bias else None,
            scale=self.architecture.attention_scale(self.config),
            window=self._window,
            softcap=self.config.factors.attention_softcap,
        )
        return self._spread(y, cache).reshape(y.shape[0], -1)

    def cross_attention(self, q: Value) -> Value:
        """Attend to all positions of the encoder's output: (M, H, head size) to (M, H * head size).

        The encoder's program has written the keys and values. Quantised ones are rotated as in ``attention``.
        """
        cache, inputs = self._cross_cache, self._inputs
        if cache is None or inputs.cross_pages is None:
            raise UnsupportedError(f"{self.config.architecture} has no encoder to attend to")
        if self._cross_queries is not None:
            self._cross_queries.append(q)
        y = self.p.flash_attn_ext(
            self._spread(q, cache),
            cache,
            pages=inputs.cross_pages,
            positions=inputs.positions,
            sequences=inputs.sequences,
            lengths=inputs.cross_lengths,
            scale=self.architecture.attention_scale(self.config),
        )
        return self._spread(y, cache).reshape(y.shape[0], -1)

    def _spread(self, heads: Value, cache: Tensor) -> Value:
        """Rotate heads by a Hadamard matrix, which is its own inverse, if the cache is quantised and their size allows
        it.
        """
        n = None if cache.gguf_type == Type.F16 else size_for(heads.shape[-1])
        return heads if n is None else self.p.hadamard(heads, n)

    def add(self, x: Value, y: Value) -> Value:
        """Return ``x + y``."""
        return self.p.add(x, y)

    def convolve(self, x: Value, kernel: Value) -> Value:
        """Return a convolution over the rows of each sequence: (M, channels) to the same shape.

        It is causal, with the last inputs as recurrent state, or centred, with zeros beyond both ends, in an encoder.

        Args:
            kernel: (taps, channels).
        """
        neighbours = self._inputs.neighbours
        if neighbours is None:
            return self.state().convolve(x, kernel)
        zeros = self._weights.vector(self.p, NO_ROW).reshape(1, -1)
        rows = self.p.concat([x, zeros], axis=0)
        products = (self.p.mul(self.p.get_rows(rows, ids), kernel[tap]) for tap, ids in enumerate(neighbours))
        return reduce(self.p.add, products)

    def state(self) -> LayerState:
        """Read the layer's recurrent state."""
        return LayerState(self.p, self._states, self._inputs)

    def recurrence(self, kind: type[R]) -> R:
        """Return the layout of the recurrent state, which is of a kind."""
        if not isinstance(self.config.recurrence, kind):
            raise UnsupportedError(f"{self.config.architecture} has no recurrent state of the kind {kind.__name__}")
        return self.config.recurrence

    @property
    def latent(self) -> Latent:
        """The sizes of latent attention."""
        if self.config.latent is None:
            raise UnsupportedError(f"{self.config.architecture} has no latent attention")
        return self.config.latent

    @property
    def is_recurrent(self) -> bool:
        """Whether the layer has a recurrent state."""
        return self.config.is_recurrent(self.index)

    @property
    def is_dense(self) -> bool:
        """Whether the layer's feed-forward net is no mixture of experts."""
        return self.config.dense[self.index]

    def rms_norm(self, x: Value) -> Value:
        """Return rows divided by their root mean square: RMS norm without a weight."""
        return self.p.rms_norm(x, eps=self.config.eps)

    @property
    def has_own_kv(self) -> bool:
        """Whether the layer has keys and values of its own."""
        return self.config.has_cache(self.index)

    @property
    def per_layer_embedding(self) -> Value:
        """The layer's own embedding of the rows, (M, size)."""
        if self._per_layer is None:
            raise UnsupportedError(f"{self.config.architecture} has no per-layer embeddings")
        return self._per_layer[:, self.index]

    @property
    def is_local(self) -> bool:
        """Whether the layer has a sliding window, or no layer has one."""
        return self._window > 0 or not self.config.window

    @property
    def _window(self) -> int:
        return self.config.window_of(self.index)

    def has(self, name: str) -> bool:
        """Return whether the file has a tensor of the layer, by its full name."""
        return self._name(name) in self._weights

    def _name(self, name: str) -> str:
        return f"blk.{self.config.block_of(self.index)}.{name}"

    def vector(self, name: str) -> Value:
        """Return a non-matrix tensor by its full name."""
        return self._weights.vector(self.p, self._name(name))

    def matrix(self, name: str) -> Tensor:
        """Return a matrix by its full name."""
        return self._weights.matrix(self._name(name))
