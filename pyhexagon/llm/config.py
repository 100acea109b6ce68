# SPDX-License-Identifier: MIT
"""The hyper-parameters of a model, from the metadata of its GGUF file, with llama.cpp's defaults.

What would be computed wrongly is refused before a weight is read: a key that is not known may change the mathematics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final, TypeVar

import numpy as np

from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf_file import GGUFFile

_HARMLESS: Final = frozenset({"vocab_size", "rope.scaling.finetuned", "tensor_data_layout"})
_NEUTRAL: Final[dict[str, object]] = {  # harmless at this value only
    "attention.causal": True,
    "attention.clamp_kqv": 0.0,
    "attention.max_alibi_bias": 0.0,
    "attn_logit_softcapping": 0.0,
    "expert_count": 0,
    "expert_used_count": 0,
    "final_logit_softcapping": 0.0,
    "logit_scale": 1.0,
    "rope.scaling.yarn_log_multiplier": 0.0,
    "use_parallel_residual": False,
}
_SCALINGS: Final = ("none", "linear", "yarn", "longrope")
_MOST: Final = 1 << 24  # of anything that is counted

T = TypeVar("T", int, float, str)


@dataclass(frozen=True)
class Rope:
    """How positions are rotated in; as ``pyhexagon.ops.rope.rope_table`` takes it.

    Attributes:
        n_dims: how many elements of a head.
        freq_base: of layers that see everything.
        freq_base_window: of layers with a window.
        freq_scale: 1 over the factor by which the context was stretched; layers with a window have 1.
        ext_factor: 1 for YaRN.
        n_ctx_orig: the context that the model was trained with at first.
    """

    n_dims: int
    freq_base: float
    freq_base_window: float
    freq_scale: float
    ext_factor: float
    attn_factor: float
    beta_fast: float
    beta_slow: float
    n_ctx_orig: int


@dataclass(frozen=True)
class Config:
    """What the shapes and the graph of a model follow from.

    Attributes:
        architecture: as GGUF names it.
        n_ctx: the longest context that it was made for.
        width: of the activations between layers.
        n_heads, n_kv_heads, n_ffn: of each layer.
        head_size: of keys, queries and values.
        eps: of norms.
        scale: of products of queries and keys.
        window: how many positions a layer with a window sees, its own included; 0: there are none.
        window_pattern: every so manieth layer has no window; 1: none has one.
    """

    architecture: str
    n_ctx: int
    width: int
    n_layers: int
    n_heads: tuple[int, ...]
    n_kv_heads: tuple[int, ...]
    n_ffn: tuple[int, ...]
    head_size: int
    eps: float
    scale: float
    window: int
    window_pattern: int
    rope: Rope

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
        if isinstance(value, bool) or not isinstance(value, wanted):
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


def read(file: GGUFFile, window_patterns: Mapping[str, int]) -> tuple[Config, list[str]]:
    """The hyper-parameters, and what speaks against running the model; if anything does, they are not to be used.

    Args:
        window_patterns: for each architecture that is known, every how manieth layer sees everything where there are
            windows; 0 where there cannot be any.

    Raises:
        UnsupportedError: the architecture is unknown.
    """
    architecture = file.metadata.get("general.architecture")
    if not isinstance(architecture, str) or architecture not in window_patterns:
        what = _short(architecture) if isinstance(architecture, str) else "not said"
        raise UnsupportedError(
            f"{file.path}: its architecture is {what}; known are {', '.join(window_patterns)}"
        )
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
    if head_size > 256:
        keys.problems.append(f"heads of {head_size}: at most 256 are supported")
    if "attention.layer_norm_rms_epsilon" not in keys.names:
        keys.problems.append(f"{architecture}.attention.layer_norm_rms_epsilon is missing")
    scale = keys.value("attention.scale", 0.0)
    window, pattern = 0, 1
    if window_patterns[architecture]:
        window = keys.count("attention.sliding_window", 0, least=0)
        pattern = keys.count("attention.sliding_window_pattern", window_patterns[architecture]) if window else 1
    config = Config(
        architecture=architecture,
        n_ctx=n_ctx,
        width=width,
        n_layers=n_layers,
        n_heads=n_heads,
        n_kv_heads=n_kv_heads,
        n_ffn=keys.counts("feed_forward_length", n_layers),
        head_size=head_size,
        eps=max(0.0, keys.value("attention.layer_norm_rms_epsilon", 0.0)),
        scale=scale or head_size**-0.5,
        window=window,
        window_pattern=pattern,
        rope=_rope(keys, head_size, n_ctx),
    )
    keys.finish()
    return config, keys.problems


def _rope(keys: _Keys, head_size: int, n_ctx: int) -> Rope:
    n_dims = keys.count("rope.dimension_count", head_size, least=2)
    if n_dims % 2 or n_dims > head_size:
        keys.problems.append(f"{n_dims} of {head_size} elements of a head are rotated")
    scaling = keys.value("rope.scaling.type", "linear")
    if scaling not in _SCALINGS:
        keys.problems.append(f"rope.scaling.type is {_short(scaling)}; known are {', '.join(_SCALINGS)}")
    factor = keys.value("rope.scaling.factor", keys.value("rope.scale_linear", 0.0)) or 1.0
    bases = [keys.value(name, 10000.0) for name in ("rope.freq_base", "rope.freq_base_swa")]
    if factor <= 0 or min(bases) <= 1:
        keys.problems.append(f"rope has the factor {factor} and the bases {bases}")
    return Rope(
        n_dims=n_dims,
        freq_base=bases[0],
        freq_base_window=bases[1],
        freq_scale=1 / factor if scaling != "none" and factor > 0 else 1.0,
        ext_factor=float(scaling == "yarn"),
        attn_factor=keys.value("rope.scaling.attn_factor", 1.0),
        beta_fast=keys.value("rope.scaling.yarn_beta_fast", 32.0),
        beta_slow=keys.value("rope.scaling.yarn_beta_slow", 1.0),
        n_ctx_orig=keys.count("rope.scaling.original_context_length", n_ctx),
    )


def _kind(value: object) -> str:
    return {int: "a whole number", float: "a number", str: "a text"}[type(value)]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
