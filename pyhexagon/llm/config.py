# SPDX-License-Identifier: MIT
"""The hyper-parameters of a model; ``hyper_parameters.py`` reads them from its file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pyhexagon.llm.header_keys import HeaderKeys

Pooling = Literal["mean", "cls", "last", "rank"]


class Traits(NamedTuple):
    """How to read the keys of an architecture.

    Attributes:
        window_pattern: period of full-attention layers in models with a sliding window; 0: no sliding window.
        has_window_rope: whether sliding-window layers have their own RoPE base, without context extension.
        has_experts: whether the feed-forward nets are mixtures of experts.
        is_encoder: whether attention is bidirectional, and norms subtract the mean.
        has_delta_nets: whether most layers have a gated delta net instead of attention.
        has_mtp: whether the last blocks may predict further tokens (MTP); these blocks are not run.
        is_ranker: whether some files have a classifier instead of an output matrix.
        adapt: maps the keys of unusual files to the names and values that are read here.
    """

    window_pattern: int = 0
    has_window_rope: bool = False
    has_experts: bool = False
    is_encoder: bool = False
    has_delta_nets: bool = False
    has_mtp: bool = False
    is_ranker: bool = False
    adapt: Callable[[HeaderKeys], None] = lambda _: None


@dataclass(frozen=True)
class Rope:
    """The parameters of rotary positions, as for ``pyhexagon.ops.rope.rope_table``.

    Attributes:
        n_dims: the number of rotated elements of a head.
        freq_base: of full-attention layers.
        freq_base_window: of sliding-window layers.
        freq_scale: 1 over the factor by which the context was stretched.
        freq_scale_window: of sliding-window layers.
        ext_factor: 1 for YaRN.
        n_ctx_orig: the context length of the original training.
    """

    n_dims: int
    freq_base: float
    freq_base_window: float
    freq_scale: float
    freq_scale_window: float
    ext_factor: float
    attn_factor: float
    beta_fast: float
    beta_slow: float
    n_ctx_orig: int


class DeltaNet(NamedTuple):
    """The shape of gated delta nets and of the convolution before them.

    Attributes:
        n_taps: the size of the convolution's kernel, in tokens.
        n_keys, n_values: numbers of heads; value head h uses key head h % n_keys.
        size: of a head: its recurrent state is (size, size).
    """

    n_taps: int
    n_keys: int
    n_values: int
    size: int

    @property
    def n_before(self) -> int:
        """The number of previous tokens in the convolution's state."""
        return self.n_taps - 1

    @property
    def n_rows(self) -> int:
        """The number of rows of a sequence in a layer's state tables."""
        return self.n_before + self.n_values

    @property
    def n_channels(self) -> int:
        """The convolution's channels: queries, keys and values."""
        return (2 * self.n_keys + self.n_values) * self.size


@dataclass(frozen=True)
class Config:
    """The hyper-parameters that determine the shapes and the graph of a model.

    Attributes:
        architecture: GGUF's name.
        n_ctx: the longest context length that the model was made for, from the file.
        width: of the activations between layers.
        n_layers: the number of layers to run.
        n_mtp: the number of blocks after them that predict further tokens and are not run.
        n_heads, n_kv_heads, n_ffn: per layer.
        n_experts, n_experts_used, n_expert_ffn: of mixtures of experts; 0 without experts.
        head_size: of keys, queries and values.
        eps: of norms.
        pooling: how a sequence's rows become its embedding, or None if the file does not say.
        scale: of the products of queries and keys.
        window: the number of positions that a sliding-window layer sees, its own included; 0: no sliding window.
        windowed: whether each layer has the sliding window.
        recurrent: whether each layer has a delta net instead of attention; empty if none has.
        delta_net: the shape of these layers.
    """

    architecture: str
    n_ctx: int
    width: int
    n_layers: int
    n_heads: tuple[int, ...]
    n_kv_heads: tuple[int, ...]
    n_ffn: tuple[int, ...]
    n_experts: int
    n_experts_used: int
    n_expert_ffn: int
    head_size: int
    eps: float
    pooling: Pooling | None
    scale: float
    window: int
    windowed: tuple[bool, ...]
    rope: Rope
    delta_net: DeltaNet | None = None
    recurrent: tuple[bool, ...] = ()
    n_mtp: int = 0

    @property
    def longest_ctx(self) -> int:
        """The longest context length that the model was made for, in tokens, including an extension by YaRN."""
        rope = self.rope
        return max(self.n_ctx, round(rope.n_ctx_orig / rope.freq_scale) if rope.ext_factor else 0)

    def is_recurrent(self, layer: int) -> bool:
        """Return whether the layer has a delta net, and no keys and values."""
        return self.delta_net is not None and self.recurrent[layer]

    def window_of(self, layer: int) -> int:
        """Return the number of positions that the layer sees; 0: all."""
        return self.window if self.windowed[layer] else 0
