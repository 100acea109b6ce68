# SPDX-License-Identifier: MIT
"""The hyper-parameters of a model, from the metadata of its GGUF file, with llama.cpp's defaults.

What would be computed wrongly is refused before a weight is read: a key that is not known may change the mathematics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal, NamedTuple, TypeVar

import numpy as np

from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf_file import GGUFFile

_HARMLESS: Final = frozenset({"vocab_size", "rope.scaling.finetuned", "tensor_data_layout"})
_NEUTRAL: Final[dict[str, object]] = {  # harmless at this value only
    "attention.clamp_kqv": 0.0,
    "attention.max_alibi_bias": 0.0,
    "attn_logit_softcapping": 0.0,
    "expert_count": 0,
    "expert_gating_func": 1,
    "expert_shared_count": 0,
    "expert_used_count": 0,
    "expert_weights_norm": True,
    "expert_weights_scale": 1.0,
    "final_logit_softcapping": 0.0,
    "logit_scale": 1.0,
    "nextn_predict_layers": 0,
    "rope.scaling.yarn_log_multiplier": 0.0,
    "use_parallel_residual": False,
}
Pooling = Literal["mean", "cls", "last"]
_POOLINGS: Final[dict[int, Pooling | None]] = {0: None, 1: "mean", 2: "cls", 3: "last"}
_SCALINGS: Final = ("none", "linear", "yarn", "longrope")
_MOST: Final = 1 << 24  # of anything that is counted
_MOST_KEYS: Final = 1024  # of a head of a delta net

T = TypeVar("T", bool, int, float, str)


class Traits(NamedTuple):
    """How the keys of an architecture are to be read.

    Attributes:
        window_pattern: every how manieth layer sees everything where there are windows; 0: there cannot be any.
        has_window_rope: whether layers with a window have a base of their own, and are not stretched.
        has_experts: whether the feed-forward nets are mixtures.
        is_encoder: whether tokens see those after them, too, and norms subtract the mean.
        has_delta_nets: whether most layers have a gated delta net in place of attention.
    """

    window_pattern: int = 0
    has_window_rope: bool = False
    has_experts: bool = False
    is_encoder: bool = False
    has_delta_nets: bool = False


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
        interval: every so manieth layer has attention instead.
    """

    n_taps: int
    n_keys: int
    n_values: int
    size: int
    interval: int

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
        n_ctx: the longest context that it was made for.
        width: of the activations between layers.
        n_heads, n_kv_heads, n_ffn: of each layer.
        n_experts, n_experts_used, n_expert_ffn: of mixtures; 0 where there are none.
        head_size: of keys, queries and values.
        eps: of norms.
        pooling: how a text's rows become its embedding, where the file says it.
        scale: of products of queries and keys.
        window: how many positions a layer with a window sees, its own included; 0: there are none.
        window_pattern: every so manieth layer has no window; 1: none has one.
        delta_net: of the layers that have no attention; None where there are none.
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
    window_pattern: int
    rope: Rope
    delta_net: DeltaNet | None = None

    def is_recurrent(self, layer: int) -> bool:
        """Whether the layer has a delta net, and no keys and values."""
        return self.delta_net is not None and (layer + 1) % self.delta_net.interval > 0

    def window_of(self, layer: int) -> int:
        """How many positions the layer sees; 0: all."""
        return self.window if (layer + 1) % self.window_pattern else 0


class _Keys:
    """The keys of an architecture; problems are collected."""

    def __init__(self, file: GGUFFile, architecture: str) -> None:
        self._metadata = file.metadata
        self._prefix = f"{architecture}."
        self.names = {key[len(self._prefix) :] for key in self._metadata if key.startswith(self._prefix)}
        self.problems: list[str] = []
        self._read: set[str] = set()

    def value(self, name: str, default: T) -> T:
        """A number or a text of the default's type."""
        self._read.add(name)
        if name not in self.names:
            return default
        value = self._metadata[self._prefix + name]
        wanted = (int, float) if isinstance(default, float) else type(default)
        if isinstance(value, bool) is not isinstance(default, bool) or not isinstance(value, wanted):
            self.problems.append(f"{self._prefix}{name} is {_short(value)}, not {_kind(default)}")
            return default
        if isinstance(default, float) and not isfinite(value):
            self.problems.append(f"{self._prefix}{name} is {value}")
        return type(default)(value)

    def count(self, name: str, default: int | None = None, least: int = 1) -> int:
        """A whole number; without a default it must be there."""
        if name not in self.names and default is None:
            self.problems.append(f"{self._prefix}{name} is missing")
        return self._counted(name, self.value(name, least if default is None else default), least)

    def counts(self, name: str, n: int, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """A whole number for each layer, or one for all."""
        value = self._metadata[self._prefix + name] if name in self.names else None
        if value is None and default is not None:
            self._read.add(name)
            return tuple(default)
        if not isinstance(value, np.ndarray):
            return (self.count(name),) * n
        self._read.add(name)
        if value.shape != (n,) or value.dtype.kind not in "iu":
            self.problems.append(f"{self._prefix}{name} has {len(value)} numbers for {n} layers")
            return (1,) * n
        return tuple(self._counted(name, one, 1) for one in value.tolist())

    def array(self, name: str) -> list[int] | None:
        """Whole numbers, if they are there."""
        self._read.add(name)
        value = self._metadata.get(self._prefix + name)
        return value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind in "iu" else None

    def _counted(self, name: str, value: int, least: int) -> int:
        if not least <= value <= _MOST:
            self.problems.append(f"{self._prefix}{name} is {value}: expected {least} to {_MOST}")
            return least
        return value

    def finish(self) -> None:
        """Everything that nobody has read must be known to change nothing."""
        for name in sorted(self.names - self._read - _HARMLESS):
            value = self._metadata[self._prefix + name]
            if name not in _NEUTRAL:
                self.problems.append(f"the key {self._prefix}{name} = {_short(value)} is not known")
            elif isinstance(value, (np.ndarray, list)) or value != _NEUTRAL[name]:
                self.problems.append(f"{self._prefix}{name} is {_short(value)}, only {_NEUTRAL[name]} is supported")


def read(file: GGUFFile, known: Mapping[str, Traits]) -> tuple[Config, list[str]]:
    """The hyper-parameters, and what speaks against running the model; if anything does, they are not to be used.

    Args:
        known: the architectures that there are.

    Raises:
        UnsupportedError: the architecture is unknown.
    """
    number, n_parts = (file.metadata.get(f"split.{name}", 0) for name in ("no", "count"))
    if isinstance(number, int) and number:
        raise UnsupportedError(f"{file.path} is part {number + 1} of {n_parts}: give the first, -00001-of-")
    architecture = file.metadata.get("general.architecture")
    if not isinstance(architecture, str) or architecture not in known:
        what = _short(architecture) if isinstance(architecture, str) else "not said"
        raise UnsupportedError(f"{file.path}: its architecture is {what}; known are {', '.join(known)}")
    traits = known[architecture]
    keys = _Keys(file, architecture)
    n_ctx, width, n_layers = (keys.count(name) for name in ("context_length", "embedding_length", "block_count"))
    n_layers = n_layers if n_layers <= 4096 else 1  # so many are refused below
    if keys.value("block_count", 1) != n_layers:
        keys.problems.append("more than 4096 layers")
    n_heads = keys.counts("attention.head_count", n_layers)
    n_kv_heads = keys.counts("attention.head_count_kv", n_layers, n_heads)
    head_size = keys.count("attention.key_length", max(1, width // n_heads[0]))
    if keys.count("attention.value_length", head_size) != head_size:
        keys.problems.append("values are of another length than keys")
    if any(heads % kv_heads for heads, kv_heads in zip(n_heads, n_kv_heads, strict=True)):
        keys.problems.append(f"{n_heads} heads over {n_kv_heads} KV heads: they do not divide")
    if len(set(n_kv_heads)) > 1:
        keys.problems.append(f"layers with different numbers of KV heads: {n_kv_heads}")
    if head_size > 256:
        keys.problems.append(f"heads of {head_size}: at most 256 are supported")
    eps = f"attention.layer_norm_{'' if traits.is_encoder else 'rms_'}epsilon"
    if eps not in keys.names:
        keys.problems.append(f"{architecture}.{eps} is missing")
    if keys.value("attention.causal", True) is traits.is_encoder:
        causal = traits.is_encoder
        keys.problems.append(f"{architecture}.attention.causal is {causal}, only {not causal} is supported")
    pooling = keys.count("pooling_type", 0, least=0)
    if pooling not in _POOLINGS:
        keys.problems.append(f"{architecture}.pooling_type is {pooling}, a ranker's or unknown")
    scale = keys.value("attention.scale", 0.0)
    window, pattern = 0, 1
    if traits.window_pattern:
        window = keys.count("attention.sliding_window", 0, least=0)
        pattern = keys.count("attention.sliding_window_pattern", traits.window_pattern) if window else 1
    n_experts, n_experts_used, n_expert_ffn = _experts(keys) if traits.has_experts else (0, 0, 0)
    config = Config(
        architecture=architecture,
        n_ctx=n_ctx,
        width=width,
        n_layers=n_layers,
        n_heads=n_heads,
        n_kv_heads=n_kv_heads,
        n_ffn=keys.counts("feed_forward_length", n_layers, (n_expert_ffn,) * n_layers if n_experts else None),
        n_experts=n_experts,
        n_experts_used=n_experts_used,
        n_expert_ffn=n_expert_ffn,
        head_size=head_size,
        eps=max(0.0, keys.value(eps, 0.0)),
        pooling=_POOLINGS.get(pooling),
        scale=scale or head_size**-0.5,
        window=window,
        window_pattern=pattern,
        rope=_rope(keys, head_size, n_ctx, traits),
        delta_net=_delta_net(keys, n_layers) if traits.has_delta_nets else None,
    )
    keys.finish()
    return config, keys.problems


def _experts(keys: _Keys) -> tuple[int, int, int]:
    """How many there are, how many a token uses, and the length of what is within each."""
    n_experts, n_used, n_ffn = (
        keys.count(name) for name in ("expert_count", "expert_used_count", "expert_feed_forward_length")
    )
    if n_used > n_experts:
        keys.problems.append(f"{n_used} of {n_experts} experts are used")
    return n_experts, n_used, n_ffn


def _delta_net(keys: _Keys, n_layers: int) -> DeltaNet:
    names = "conv_kernel", "group_count", "time_step_rank", "state_size"
    n_taps, n_keys, n_values, size = (keys.count(f"ssm.{name}") for name in names)
    net = DeltaNet(n_taps, n_keys, n_values, size, keys.count("full_attention_interval", 4))
    if keys.count("ssm.inner_size") != n_values * size or n_values % n_keys or n_taps < 2 or size > _MOST_KEYS:
        keys.problems.append(f"delta nets of {n_values} heads over {n_keys}, of {size}, after {n_taps} taps")
    if net.interval > n_layers:
        keys.problems.append(f"attention in every {net.interval}th layer of {n_layers}: none has it")
    return net


def _check_sections(keys: _Keys, n_pairs: int) -> None:
    """A text has the same first three positions, and a fourth that is always 0: no pair may be turned by that."""
    sections = keys.array("rope.dimension_sections")
    if sections is None:
        return
    each = [sum(1 for pair in range(n_pairs) if pair % 3 == which) for which in range(3)]
    if len(sections) != 4 or sum(sections) != n_pairs or list(sections[:3]) != each:
        keys.problems.append(f"rope.dimension_sections is {_short(sections)}: expected {[*each, 0]}")


def _rope(keys: _Keys, head_size: int, n_ctx: int, traits: Traits) -> Rope:
    n_dims = keys.count("rope.dimension_count", head_size, least=2)
    if n_dims % 2 or n_dims > head_size:
        keys.problems.append(f"{n_dims} of {head_size} elements of a head are rotated")
    if traits.has_delta_nets:
        _check_sections(keys, n_dims // 2)
    scaling = keys.value("rope.scaling.type", "linear")
    if scaling not in _SCALINGS:
        keys.problems.append(f"rope.scaling.type is {_short(scaling)}; known are {', '.join(_SCALINGS)}")
    factor = keys.value("rope.scaling.factor", keys.value("rope.scale_linear", 0.0)) or 1.0
    base = keys.value("rope.freq_base", 10000.0)
    base_window = keys.value("rope.freq_base_swa", 10000.0 if traits.has_window_rope else base)
    if factor <= 0 or min(base, base_window) <= 1:
        keys.problems.append(f"rope has the factor {factor} and the bases {base} and {base_window}")
    freq_scale = 1 / factor if scaling != "none" and factor > 0 else 1.0
    return Rope(
        n_dims=n_dims,
        freq_base=base,
        freq_base_window=base_window,
        freq_scale=freq_scale,
        freq_scale_window=1.0 if traits.has_window_rope else freq_scale,
        ext_factor=float(scaling == "yarn"),
        attn_factor=keys.value("rope.scaling.attn_factor", 1.0),
        beta_fast=keys.value("rope.scaling.yarn_beta_fast", 32.0),
        beta_slow=keys.value("rope.scaling.yarn_beta_slow", 1.0),
        n_ctx_orig=keys.count("rope.scaling.original_context_length", n_ctx),
    )


def _kind(value: object) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[type(value)]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
