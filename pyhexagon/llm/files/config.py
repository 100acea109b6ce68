# SPDX-License-Identifier: MIT
"""The hyper-parameters of a model; ``hyper_parameters.py`` reads them from its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from pyhexagon.gguf.pages import PAGE_TOKENS
from pyhexagon.llm.files.header_keys import HeaderKeys

Pooling = Literal["mean", "cls", "last", "rank"]


class Recurrence(Protocol):
    """The layout of the state of recurrent layers: float32 tables, of which each state slot has some rows.

    In a program, ``LayerState`` runs the convolution on the first table, and an update such as ``delta_net`` runs on a
    second one, both in place. ``recurrent_state`` allocates the tables and keeps the checkpoints.
    """

    @property
    def name(self) -> str:
        """The users' name for such layers, in the plural."""

    @property
    def tables(self) -> tuple[tuple[int, int], ...]:
        """(rows, columns) of a slot in each table of a layer.

        The first table has the last inputs of a causal convolution: a row for each token, a column for each channel.
        """

    @property
    def lengths(self) -> Mapping[str, int]:
        """The lengths of dimensions that only recurrent layers' tensors have, by the names that their shapes use."""


# From a file's keys, the KV heads of each block, and the number of blocks that are layers: the layers' state, and which
# of them are recurrent.
ReadRecurrence = Callable[[HeaderKeys, tuple[int, ...], int], tuple[Recurrence, list[bool]]]


class Factors(NamedTuple):
    """Factors and soft caps of a model; a soft cap c makes x ``c * tanh(x / c)``, and 0 means none.

    Attributes:
        embeddings, residuals, logits: factors on embeddings, on a layer's addition to its input, and on logits.
        attention_softcap: of the scaled products of queries and keys.
        logit_softcap: of logits.
        sparsity: for each layer, by how many standard deviations a gate's element must exceed the mean of its row to
            count; -inf: each counts. Empty: no layer is sparse.
        xielu: alpha_n, alpha_p and beta of each layer's xIELU; empty: no layer has it.
        norm_groups: so many equal parts of a row are normalized, each by itself.
    """

    embeddings: float = 1.0
    residuals: float = 1.0
    logits: float = 1.0
    attention_softcap: float = 0.0
    logit_softcap: float = 0.0
    sparsity: tuple[float, ...] = ()
    xielu: tuple[tuple[float, float, float], ...] = ()
    norm_groups: int = 1


class ExpertRouter(NamedTuple):
    """How a mixture of experts weights the experts that it chooses.

    Attributes:
        has_sigmoids: whether scores are sigmoids of the router's logits, not their softmax.
        is_normalized: whether the scores of the chosen experts are divided by their sum.
        scale: a factor on the scores.
        n_groups, n_groups_used: the experts form so many groups of equal size, and the chosen ones come from the groups
            whose two best experts have the largest sums of scores; 1 group: no groups.
    """

    has_sigmoids: bool = False
    is_normalized: bool = True
    scale: float = 1.0
    n_groups: int = 1
    n_groups_used: int = 1


class Latent(NamedTuple):
    """Multi-head latent attention: keys and values are computed from a narrow row.

    Attributes:
        q_rank: the width of the row from which queries are computed; 0: from the layer's input.
        kv_rank: the width of the row from which keys and values are computed.
        n_value: the size of a head's values; its keys have ``Config.head_size``.
        scale: a factor on the products of queries and keys, of YaRN.
    """

    q_rank: int
    kv_rank: int
    n_value: int
    scale: float


class EncoderConfig(NamedTuple):
    """The encoder of an encoder-decoder model, to whose output each layer of the decoder attends (cross-attention).

    Attributes:
        n_ctx: the number of positions of its output.
        n_layers, n_heads: of the encoder; its width is the decoder's.
        n_features: the width of a frame of its input.
    """

    n_ctx: int
    n_layers: int
    n_heads: int
    n_features: int

    @property
    def n_pages(self) -> int:
        """The number of cache pages that keys and values of its output take in each layer of the decoder."""
        return -(-self.n_ctx // PAGE_TOKENS)


class Traits(NamedTuple):
    """The rules for reading the keys of an architecture.

    Attributes:
        window_pattern: period of full-attention layers in models with a sliding window; 0: no sliding window.
        has_full_attention_first: whether the first layer of each period has full attention, not the last one.
        has_window_rope: whether sliding-window layers have their own RoPE base, without context extension.
        window_freq_base: the default of that base; 0: as in other layers.
        has_window_heads: whether sliding-window layers have heads of their own size.
        has_shared_kv: whether the last layers may attend to the keys and values of earlier ones.
        has_per_layer_embeddings: whether the file says how wide per-layer embeddings are; 0: there are none.
        has_temperature: whether queries from the original context length on may have a temperature.
        has_experts: whether the feed-forward nets are mixtures of experts.
        may_be_dense: whether some files have no experts.
        has_dense_layers: whether the first layers may have none.
        has_moe_interval: whether every n-th layer has them, ``moe_every_n_layers``, and the others have none.
        has_shared_experts: whether all tokens of a layer with experts also use a feed-forward net that they share.
        may_lack_shared_experts: whether some files have none.
        router: reads the keys of routers.
        latent: reads the keys of latent attention; None: attention is the usual one.
        is_encoder: whether attention is bidirectional.
        may_be_encoder: whether some files say that attention is bidirectional, by ``attention.causal``.
        has_projection: whether a last matrix may make embeddings of rows, ``embedding_length_out`` wide.
        has_loops: whether files may say that the layers run several times, ``num_loops``.
        has_layer_norms: whether norms subtract the mean.
        recurrence: reads the keys of layers with a recurrent state; None: there are none.
        has_parallel_attention: whether layers with a recurrent state have attention too.
        has_separate_layers: whether a layer is attention, a recurrent state or a feed-forward net alone.
        may_lack_rope: whether files say by ``rope.scaling.finetuned`` whether there is RoPE.
        has_rope_pattern: whether files may say for each layer whether there is RoPE.
        has_mrope: whether the file may divide the rotated pairs into the sections of MROPE.
        image_rope: how the sections of MROPE divide the rotated pairs where images have rows and columns; None: images
            have one position for each row of embeddings, as text.
        has_mtp: whether the last blocks may predict further tokens (MTP).
        is_ranker: whether some files have a classifier instead of an output matrix.
        factors: reads the keys of factors and soft caps.
        adapt: maps the keys of unusual files to the names and values that are read here.
    """

    window_pattern: int = 0
    has_full_attention_first: bool = False
    has_window_rope: bool = False
    has_window_heads: bool = False
    has_shared_kv: bool = False
    has_per_layer_embeddings: bool = False
    window_freq_base: float = 10000.0
    has_temperature: bool = False
    has_experts: bool = False
    may_be_dense: bool = False
    has_dense_layers: bool = False
    has_moe_interval: bool = False
    has_shared_experts: bool = False
    may_lack_shared_experts: bool = False
    router: Callable[[HeaderKeys], ExpertRouter] = lambda _: ExpertRouter()
    latent: Callable[[HeaderKeys, int], Latent] | None = None
    is_encoder: bool = False
    may_be_encoder: bool = False
    has_projection: bool = False
    has_loops: bool = False
    has_layer_norms: bool = False
    recurrence: ReadRecurrence | None = None
    has_parallel_attention: bool = False
    has_separate_layers: bool = False
    may_lack_rope: bool = False
    has_rope_pattern: bool = False
    has_mrope: bool = False
    image_rope: Literal["sections", "interleaved"] | None = None
    has_mtp: bool = False
    is_ranker: bool = False
    factors: Callable[[HeaderKeys], Factors] = lambda _: Factors()
    adapt: Callable[[HeaderKeys], None] = lambda _: None


@dataclass(frozen=True)
class Rope:
    """The parameters of rotary positions, as for ``pyhexagon.ops.rope.rope_table``.

    Attributes:
        n_dims: the number of rotated elements of a head.
        n_dims_window: of sliding-window layers.
        freq_base: of full-attention layers.
        freq_base_window: of sliding-window layers.
        freq_scale: 1 over the factor by which the context was stretched.
        freq_scale_window: of sliding-window layers.
        ext_factor: 1 for YaRN.
        n_ctx_orig: the context length of the original training.
        sections: numbers of pairs for each of a token's 4 positions, for images; empty: they have one position. It and
            the next one change nothing for text, and so no fingerprint.
        is_interleaved: whether the sections are interleaved.
    """

    n_dims: int
    n_dims_window: int
    freq_base: float
    freq_base_window: float
    freq_scale: float
    freq_scale_window: float
    ext_factor: float
    attn_factor: float
    beta_fast: float
    beta_slow: float
    n_ctx_orig: int
    sections: tuple[int, ...] = field(default=(), repr=False)
    is_interleaved: bool = field(default=False, repr=False)


@dataclass(frozen=True)
class Config:
    """The hyper-parameters that determine the shapes and the graph of a model.

    Attributes:
        architecture: GGUF's name.
        n_ctx: the longest context length that the model was made for, from the file.
        width: of the activations between layers.
        n_layers: the number of layers to run; a layer that runs several times counts each time.
        n_mtp: the number of blocks after them that predict further tokens (MTP).
        has_mtp: whether the first of these is loaded, to draft tokens. What is per layer then has its entry, too.
        n_heads, n_kv_heads, n_ffn: per layer; a layer without attention has the KV heads of those with it, and the
            width of feed-forward nets is 0 in layers without one.
        n_experts, n_experts_used, n_expert_ffn: of mixtures of experts; 0 without experts.
        n_shared_ffn: of the shared experts of a layer; 0: none.
        dense: whether the feed-forward net of each layer is no mixture of experts.
        router: of mixtures of experts.
        head_size: of keys, queries and values.
        head_size_window: of sliding-window layers.
        eps: of norms.
        pooling: how a sequence's rows become its embedding, or None if the file does not say.
        scale: of the products of queries and keys.
        temperature_scale: of queries from the original context length on, which is not supported: ``max_ctx``.
        window: the number of positions that a sliding-window layer sees, its own included; 0: no sliding window.
        windowed: whether each layer has the sliding window.
        factors: factors and soft caps.
        recurrence: the state of recurrent layers; None if there are none.
        recurrent: whether each layer has a recurrent state; empty if none has.
        has_parallel_attention: whether these layers have attention too.
        has_separate_layers: whether a layer with a feed-forward net is nothing else.
        has_rope: whether queries and keys are rotated.
        rotated: whether those of each layer are; empty: as in all others.
        latent: the sizes of latent attention; None: attention is the usual one.
        kv_layers: the layer to whose keys and values each layer attends; empty if each has its own.
        n_per_layer: the width of per-layer embeddings; 0: there are none.
        encoder: of an encoder-decoder model; None: there is no cross-attention.
        has_learned_positions: whether a causal model adds learned embeddings of positions to those of tokens.
        is_encoder: whether attention is bidirectional.
        n_projected: the width of the rows that a last matrix makes embeddings of; 0: embeddings are as wide as rows.
        n_loops: the number of times that the layers of the file run one after the other.
        has_loop_norm: whether the norm after the last layer follows each of these times.
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
    n_shared_ffn: int
    dense: tuple[bool, ...]
    router: ExpertRouter
    head_size: int
    head_size_window: int
    eps: float
    pooling: Pooling | None
    scale: float
    temperature_scale: float
    window: int
    windowed: tuple[bool, ...]
    rope: Rope
    factors: Factors
    recurrence: Recurrence | None = None
    recurrent: tuple[bool, ...] = ()
    has_parallel_attention: bool = False
    has_separate_layers: bool = False
    has_rope: bool = True
    rotated: tuple[bool, ...] = ()
    n_mtp: int = 0
    has_mtp: bool = False
    latent: Latent | None = None
    kv_layers: tuple[int, ...] = ()
    n_per_layer: int = 0
    encoder: EncoderConfig | None = None
    has_learned_positions: bool = False
    is_encoder: bool = False
    n_projected: int = 0
    n_loops: int = 1
    has_loop_norm: bool = False

    @property
    def blocks(self) -> range:
        """The numbers of the layers, and of the MTP block if it is loaded."""
        return range(self.n_layers + self.has_mtp)

    @property
    def own_blocks(self) -> range:
        """The numbers of the blocks that have weights."""
        return range(len(self.blocks) // self.n_loops)

    def block_of(self, layer: int) -> int:
        """Return the number of the block whose weights a layer has."""
        return layer % len(self.own_blocks)

    def begins_loop(self, layer: int) -> bool:
        """Return whether a layer is the first of the file's again."""
        return layer > 0 and self.block_of(layer) == 0

    @property
    def embedding_length(self) -> int:
        """The length of an embedding."""
        return self.n_projected or self.width

    @property
    def longest_ctx(self) -> int:
        """The longest context length that the model was made for, in tokens, including an extension by YaRN."""
        rope = self.rope
        longest = max(self.n_ctx, round(rope.n_ctx_orig / rope.freq_scale) if rope.ext_factor else 0)
        return min(longest, self.max_ctx or longest)

    @property
    def max_ctx(self) -> int:
        """The longest context length whose results are right; 0: any."""
        return self.rope.n_ctx_orig if self.temperature_scale else 0

    def is_recurrent(self, layer: int) -> bool:
        """Return whether the layer has a recurrent state."""
        return self.recurrence is not None and self.recurrent[layer]

    def is_feed_forward(self, layer: int) -> bool:
        """Return whether the layer is a feed-forward net alone."""
        return self.has_separate_layers and self.n_ffn[layer] > 0

    def rotates(self, layer: int) -> bool:
        """Return whether the layer rotates queries and keys by their positions."""
        return self.has_rope and (not self.rotated or self.rotated[layer])

    def has_attention(self, layer: int) -> bool:
        """Return whether the layer has attention."""
        return self.has_parallel_attention or not (self.is_recurrent(layer) or self.is_feed_forward(layer))

    def kv_layer(self, layer: int) -> int:
        """Return the layer to whose keys and values the layer attends: itself, or an earlier one."""
        return self.kv_layers[layer] if self.kv_layers else layer

    def has_cache(self, layer: int) -> bool:
        """Return whether the layer has keys and values of its own."""
        return self.has_attention(layer) and self.kv_layer(layer) == layer

    def head_size_of(self, layer: int) -> int:
        """Return the size of the layer's heads."""
        return self.head_size_window if self.windowed[layer] else self.head_size

    @property
    def has_window_layers(self) -> bool:
        """Whether a layer has a sliding window."""
        return self.window > 0 and any(self.windowed)

    def window_of(self, layer: int) -> int:
        """Return the number of positions that the layer sees; 0: all."""
        return self.window if self.windowed[layer] else 0
