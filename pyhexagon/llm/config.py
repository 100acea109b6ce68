# SPDX-License-Identifier: MIT
"""The hyper-parameters of a model; ``hyper_parameters.py`` reads them from its file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pyhexagon.llm.header_keys import HeaderKeys

Pooling = Literal["mean", "cls", "last", "rank"]


class Traits(NamedTuple):
    """How the keys of an architecture are to be read.

    Attributes:
        window_pattern: where there are windows, every n-th layer sees everything; 0: there cannot be any.
        has_window_rope: whether layers with a window have a base of their own, and are not stretched.
        has_experts: whether the feed-forward nets are mixtures.
        is_encoder: whether tokens see those after them, too, and norms subtract the mean.
        has_delta_nets: whether most layers have a gated delta net in place of attention.
        has_mtp: whether the last blocks may predict further tokens (MTP): they are not run.
        is_ranker: whether there are files with a classifier in place of an output matrix.
        adapt: brings keys that some files have otherwise to the names and values that are read here.
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
    """How positions are rotated in; as ``pyhexagon.ops.rope.rope_table`` takes it.

    Attributes:
        n_dims: how many elements of a head.
        freq_base: of layers that see everything.
        freq_base_window: of layers with a window.
        freq_scale: 1 over the factor by which the context was stretched.
        freq_scale_window: of layers with a window.
        ext_factor: 1 for YaRN.
        n_ctx_orig: the context that the model was trained with at first.
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
    """Gated delta nets, and the convolution before them.

    Attributes:
        n_taps: tokens that the convolution sees.
        n_keys, n_values: heads; value head h goes with key head h % n_keys.
        size: of a head: its matrix is (size, size).
    """

    n_taps: int
    n_keys: int
    n_values: int
    size: int

    @property
    def n_before(self) -> int:
        """Tokens that the convolution remembers."""
        return self.n_taps - 1

    @property
    def n_rows(self) -> int:
        """Rows that a text has in the tables of what a layer remembers."""
        return self.n_before + self.n_values

    @property
    def n_channels(self) -> int:
        """Of the convolution: queries, keys and values."""
        return (2 * self.n_keys + self.n_values) * self.size


@dataclass(frozen=True)
class Config:
    """What the shapes and the graph of a model follow from.

    Attributes:
        architecture: as GGUF names it.
        n_ctx: the longest context that it was made for, as the file has it.
        width: of the activations between layers.
        n_layers: that are run.
        n_mtp: blocks after them that predict further tokens, and are not run.
        n_heads, n_kv_heads, n_ffn: of each layer.
        n_experts, n_experts_used, n_expert_ffn: of mixtures; 0 where there are none.
        head_size: of keys, queries and values.
        eps: of norms.
        pooling: how a text's rows become its embedding, where the file says it.
        scale: of products of queries and keys.
        window: how many positions a layer with a window sees, its own included; 0: there are none.
        windowed: whether each layer has the window.
        recurrent: whether each layer has a delta net in place of attention; empty where none has.
        delta_net: of these layers.
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
        """The longest context that it was made for, in tokens; one that YaRN stretches it to counts."""
        rope = self.rope
        return max(self.n_ctx, round(rope.n_ctx_orig / rope.freq_scale) if rope.ext_factor else 0)

    def is_recurrent(self, layer: int) -> bool:
        """Whether the layer has a delta net, and no keys and values."""
        return self.delta_net is not None and self.recurrent[layer]

    def window_of(self, layer: int) -> int:
        """How many positions the layer sees; 0: all."""
        return self.window if self.windowed[layer] else 0
