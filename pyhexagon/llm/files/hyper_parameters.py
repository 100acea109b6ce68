# SPDX-License-Identifier: MIT
"""Read the hyper-parameters of a model from the metadata of its GGUF file, with llama.cpp's defaults.

Unknown keys may change the mathematics, so a model that might be computed wrongly is refused before a weight is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from math import log
from typing import Final

from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.pages import MAX_HEAD_SIZE
from pyhexagon.llm.files.config import Config, Pooling, Recurrence, Rope, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys, short

_POOLINGS: Final[dict[int, Pooling | None]] = {0: None, 1: "mean", 2: "cls", 3: "last", 4: "rank"}
_SCALINGS: Final = ("none", "linear", "yarn", "longrope")
_MOST_LAYERS: Final = 4096
_PART: Final = re.compile(r"-\d{5}-of-(\d{5})\.gguf$")
_PROJECTOR: Final = "is the part of a model that sees or hears (mmproj): open the model's own file"
_NOT_MODELS: Final = {
    "clip": _PROJECTOR, "mmproj": _PROJECTOR,
    "adapter": "is an adapter: open the model's file, with --lora FILE for this one (lora=FILE in Python)",
    "imatrix": "is an importance matrix, which quantizing needs: open the model's own file",
    "control_vector": "is a control vector, which is not supported: open the model's own file",
}  # fmt: skip
"""What GGUF files without a model are, by their type or architecture."""


def check_kind(file: GGUFFile) -> None:
    """Raise UnsupportedError if a GGUF file has no model, or a part of one; the message says what to open instead."""
    number, n_parts = (file.metadata.get(f"split.{name}", 0) for name in ("no", "count"))
    if isinstance(number, int) and number:
        name = os.path.basename(file.path)
        first = _PART.sub(r"-00001-of-\g<1>.gguf", name) if _PART.search(name) else "-00001-of-"
        raise UnsupportedError(f"{file.path} is part {number + 1} of {n_parts}: open the first part, {first}")
    for key in ("general.type", "general.architecture"):
        if (kind := file.metadata.get(key)) in _NOT_MODELS:
            raise UnsupportedError(f"{file.path} {_NOT_MODELS[str(kind)]}")


def read(file: GGUFFile, known: Mapping[str, Traits], *, has_mtp: bool = False) -> tuple[Config, list[str]]:
    """Return the hyper-parameters, and the problems that prevent running the model; with problems, do not use them.

    Args:
        known: the supported architectures.
        has_mtp: see ``Config``.

    Raises:
        UnsupportedError: the architecture is unknown.
    """
    check_kind(file)
    architecture = file.metadata.get("general.architecture")
    if not isinstance(architecture, str) or architecture not in known:
        what = short(architecture) if isinstance(architecture, str) else "missing"
        raise UnsupportedError(f"{file.path}: its architecture is {what}; supported are {', '.join(known)}")
    traits = known[architecture]
    keys = HeaderKeys(file, architecture)
    traits.adapt(keys)
    if traits.may_be_dense and not keys.count("expert_count", 0, least=0):
        traits = traits._replace(has_experts=False, has_shared_experts=False)
    if traits.may_lack_shared_experts and not keys.count("expert_shared_feed_forward_length", 0, least=0):
        traits = traits._replace(has_shared_experts=False)
    n_ctx, width = keys.count("context_length"), keys.count("embedding_length")
    n_blocks, n_mtp = _blocks(keys, traits)
    n_layers = n_blocks - n_mtp
    n_loaded = n_layers + has_mtp
    if has_mtp and n_mtp != 1:
        keys.problems.append(f"{n_mtp} MTP blocks: \"mtp\" as draft model needs one")
        n_loaded = n_layers
    n_heads = keys.counts("attention.head_count", n_blocks)
    n_experts, n_experts_used, n_expert_ffn = _experts(keys) if traits.has_experts else (0, 0, 0)
    least = 0 if traits.has_separate_layers else 1
    n_ffn = keys.counts("feed_forward_length", n_blocks, (n_expert_ffn,) * n_blocks if n_experts else None, least=least)
    alone = n_ffn if traits.has_separate_layers else (0,) * n_blocks
    n_kv_heads, recurrence, recurrent = _kv_heads(
        keys, n_heads, alone, traits, n_layers=n_layers, n_loaded=n_loaded
    )
    head_size = keys.count("attention.key_length", max(1, width // n_heads[0]))
    latent = None if traits.latent is None else traits.latent(keys, head_size)
    if latent is None and keys.count("attention.value_length", max(1, width // n_heads[0])) != head_size:
        keys.problems.append("values and keys have different lengths")
    if any(heads % kv_heads for heads, kv_heads in zip(n_heads, n_kv_heads, strict=False)):
        keys.problems.append(f"{n_heads} heads over {n_kv_heads} KV heads: they do not divide")
    if len(set(n_kv_heads)) > 1 and not traits.has_window_heads:
        keys.problems.append(f"layers with different numbers of KV heads: {n_kv_heads}")
    head_size_window = _window_heads(keys, head_size) if traits.has_window_heads else head_size
    if max(head_size, head_size_window) > MAX_HEAD_SIZE:
        keys.problems.append(f"heads of {max(head_size, head_size_window)}: at most {MAX_HEAD_SIZE} are supported")
    eps = f"attention.layer_norm_{'' if traits.has_layer_norms else 'rms_'}epsilon"
    if eps not in keys.names:
        keys.problems.append(f"{architecture}.{eps} is missing")
    is_encoder = not keys.value("attention.causal", default=True)
    if is_encoder is not traits.is_encoder and not traits.may_be_encoder:
        keys.problems.append(f"{architecture}.attention.causal is {not is_encoder}, only {is_encoder} is supported")
    n_embedding = keys.count("embedding_length_out", width)
    if n_embedding != width and not traits.has_projection:
        keys.problems.append("embeddings and activations have different lengths")
    if not traits.is_ranker:
        keys.ignore("classifier.pooling_type")
    pooling = keys.count("pooling_type", 0, least=0)
    if pooling not in _POOLINGS or (_POOLINGS[pooling] == "rank" and not traits.is_ranker):
        keys.problems.append(f"{architecture}.pooling_type is {pooling}, a ranker's or unknown")
    scale = keys.value("attention.scale", 0.0)
    temperature_scale = keys.value("attention.temperature_scale", 0.0) if traits.has_temperature else 0.0
    rope = _rope(keys, head_size, head_size_window, n_ctx, traits)
    window, windowed = _windows(keys, n_blocks, n_ctx, traits)
    config = Config(
        architecture=architecture,
        n_ctx=min(n_ctx, rope.n_ctx_orig) if temperature_scale else n_ctx,
        width=width,
        n_layers=n_layers,
        n_heads=n_heads[:n_loaded],
        n_kv_heads=n_kv_heads,
        n_ffn=n_ffn[:n_loaded],
        n_experts=n_experts,
        n_experts_used=n_experts_used,
        n_expert_ffn=n_expert_ffn,
        n_shared_ffn=_shared_experts(keys, n_expert_ffn) if traits.has_shared_experts else 0,
        dense=_dense(keys, n_loaded, traits),
        router=traits.router(keys),
        head_size=head_size,
        head_size_window=head_size_window,
        eps=max(0.0, keys.value(eps, 0.0)),
        pooling=_POOLINGS.get(pooling),
        scale=scale or head_size**-0.5 * (1.0 if latent is None else latent.scale),
        temperature_scale=temperature_scale,
        window=window,
        windowed=windowed[:n_loaded],
        rope=rope,
        factors=traits.factors(keys),
        recurrence=recurrence,
        recurrent=recurrent,
        has_parallel_attention=traits.has_parallel_attention,
        has_separate_layers=traits.has_separate_layers,
        has_rope=not traits.may_lack_rope or keys.value("rope.scaling.finetuned", default=True),
        rotated=(keys.flags("attention.rope_pattern", n_blocks) or ())[:n_loaded] if traits.has_rope_pattern else (),
        n_mtp=n_mtp,
        has_mtp=has_mtp,
        latent=latent,
        kv_layers=_kv_layers(keys, windowed[:n_layers]) if traits.has_shared_kv else (),
        n_per_layer=keys.count("embedding_length_per_layer_input", least=0) if traits.has_per_layer_embeddings else 0,
        is_encoder=is_encoder,
        n_projected=n_embedding if traits.has_projection else 0,
    )
    if traits.has_loops:
        config = _looped(keys, config)
    keys.finish()
    return config, keys.problems


def _looped(keys: HeaderKeys, config: Config) -> Config:
    """Return the configuration of a model whose layers run several times, each time with KV caches of their own."""
    n = keys.count("num_loops", 1)
    if config.n_layers * n > _MOST_LAYERS:
        keys.problems.append(f"{n} times {config.n_layers} layers: at most {_MOST_LAYERS} are supported")
        n = 1
    has_norm = not keys.value("skip_loop_final_norm", default=False)
    return replace(
        config, n_layers=config.n_layers * n, n_heads=config.n_heads * n, n_kv_heads=config.n_kv_heads * n,
        n_ffn=config.n_ffn * n, dense=config.dense * n, windowed=config.windowed * n, n_loops=n, has_loop_norm=has_norm,
    )  # fmt: skip


def _blocks(keys: HeaderKeys, traits: Traits) -> tuple[int, int]:
    """Return the number of blocks, and the number of blocks at the end that predict further tokens."""
    n_blocks, n_mtp = keys.count("block_count"), 0
    if n_blocks > _MOST_LAYERS:
        keys.problems.append(f"more than {_MOST_LAYERS} layers")
        n_blocks = 1
    if traits.has_mtp:
        n_mtp = keys.count("nextn_predict_layers", 0, least=0)
        if n_mtp >= n_blocks:
            keys.problems.append(f"{n_mtp} of {n_blocks} blocks are MTP blocks: no layer is left")
            n_mtp = 0
    return n_blocks, n_mtp


def _windows(keys: HeaderKeys, n_blocks: int, n_ctx: int, traits: Traits) -> tuple[int, tuple[bool, ...]]:
    """Return the size of the sliding window, and which blocks have it."""
    none = (False,) * n_blocks
    window = keys.count("attention.sliding_window", 0, least=0)
    flags = keys.flags("attention.sliding_window_pattern", n_blocks)
    pattern = 1 if flags is not None else keys.count("attention.sliding_window_pattern", traits.window_pattern or 1)
    if not window or not traits.window_pattern:
        if 0 < window < n_ctx:
            keys.problems.append(f"attention.sliding_window is {window}: layers of this architecture have no windows")
        return 0, none
    first = 0 if traits.has_full_attention_first else 1
    return window, flags or tuple((block + first) % pattern > 0 for block in range(n_blocks))


def _window_heads(keys: HeaderKeys, head_size: int) -> int:
    """Return the head size of sliding-window layers."""
    size = keys.count("attention.key_length_swa", head_size)
    if keys.count("attention.value_length_swa", head_size) != size:
        keys.problems.append("values and keys of sliding-window layers have different lengths")
    return size


def _kv_layers(keys: HeaderKeys, windowed: tuple[bool, ...]) -> tuple[int, ...]:
    """Return the layer to whose keys and values each layer attends: for each of the last layers, the last one of its
    kind before them.
    """
    n_shared = keys.count("attention.shared_kv_layers", 0, least=0)
    n_own = len(windowed) - n_shared
    last = {is_windowed: layer for layer, is_windowed in enumerate(windowed[: max(n_own, 0)])}
    if any(is_windowed not in last for is_windowed in windowed):
        keys.problems.append(f"{n_shared} of {len(windowed)} layers share keys and values: no earlier layer has them")
        return ()
    return tuple(layer if layer < n_own else last[is_windowed] for layer, is_windowed in enumerate(windowed))


def _experts(keys: HeaderKeys) -> tuple[int, int, int]:
    """Return the number of experts, of experts used per token, and the width of each expert."""
    n_experts, n_used, n_ffn = (
        keys.count(name) for name in ("expert_count", "expert_used_count", "expert_feed_forward_length")
    )
    if n_used > n_experts:
        keys.problems.append(f"{n_used} of {n_experts} experts are used")
    return n_experts, n_used, n_ffn


def _shared_experts(keys: HeaderKeys, n_expert_ffn: int) -> int:
    """Return the width of all shared experts of a layer together; if the file has it, their number changes nothing."""
    if "expert_shared_feed_forward_length" not in keys.names and "expert_shared_count" in keys.names:
        return keys.count("expert_shared_count") * n_expert_ffn
    keys.ignore("expert_shared_count")
    return keys.count("expert_shared_feed_forward_length")


def _dense(keys: HeaderKeys, n_layers: int, traits: Traits) -> tuple[bool, ...]:
    """Return whether the feed-forward net of each layer is no mixture of experts."""
    if traits.has_moe_interval:
        interval = keys.count("moe_every_n_layers", 0, least=0)
        return tuple(not interval or layer % interval != 1 for layer in range(n_layers))
    n_dense = 0 if traits.has_experts else n_layers
    if traits.has_dense_layers:
        n_dense = keys.count("leading_dense_block_count", 0, least=0)
    return tuple(layer < n_dense for layer in range(n_layers))


def _kv_heads(
    keys: HeaderKeys,
    n_heads: tuple[int, ...],
    alone: tuple[int, ...],
    traits: Traits,
    *,
    n_layers: int,
    n_loaded: int,
) -> tuple[tuple[int, ...], Recurrence | None, tuple[bool, ...]]:
    """Return the KV heads of each loaded block, the state of recurrent layers, and which blocks are recurrent.

    Args:
        alone: for each block, the width of a feed-forward net that is the whole layer; 0: the layer is another one.
    """
    name, n_blocks = "attention.head_count_kv", len(n_heads)
    if traits.recurrence is None:
        return keys.counts(name, n_blocks, n_heads)[:n_loaded], None, ()
    n_kv_heads = keys.counts(name, n_blocks, n_heads, least=0)
    recurrence, recurrent = traits.recurrence(keys, n_kv_heads, n_layers)
    recurrent += [False] * (n_loaded - n_layers)
    recurrent = [is_recurrent and not net for is_recurrent, net in zip(recurrent, alone, strict=False)]
    attentive = [
        traits.has_parallel_attention or not (is_recurrent or net)
        for is_recurrent, net in zip(recurrent, alone, strict=False)
    ]
    most = max((n for n, is_attentive in zip(n_kv_heads, attentive, strict=False) if is_attentive), default=1)
    result = tuple(n if is_attentive else most for n, is_attentive in zip(n_kv_heads, attentive, strict=False))
    if 0 in result:
        keys.problems.append(f"{name} is {n_kv_heads}: 0 in a layer with attention")
        result = (1,) * n_loaded
    if traits.has_separate_layers and not any(attentive):
        keys.problems.append("no layer has attention")
    return result, recurrence if any(recurrent) else None, tuple(recurrent)


def _check_sections(keys: HeaderKeys, n_pairs: int) -> None:
    """Check MROPE's sections: for text, the first three positions are equal and the fourth, always 0, is unused."""
    sections = keys.array("rope.dimension_sections")
    if sections is None:
        return
    each = [sum(1 for pair in range(n_pairs) if pair % 3 == which) for which in range(3)]
    if len(sections) != 4 or sum(sections) != n_pairs or list(sections[:3]) != each:
        keys.problems.append(f"rope.dimension_sections is {short(sections)}: expected {[*each, 0]}")


def _rope(keys: HeaderKeys, head_size: int, head_size_window: int, n_ctx: int, traits: Traits) -> Rope:
    n_dims = n_dims_window = keys.count("rope.dimension_count", head_size, least=2)
    if traits.has_window_heads:
        n_dims_window = keys.count("rope.dimension_count_swa", head_size_window, least=2)
    for n, size in ((n_dims, head_size), (n_dims_window, head_size_window)):
        if n % 2 or n > size:
            keys.problems.append(f"{n} of {size} elements of a head are rotated")
            break
    if traits.has_mrope:
        _check_sections(keys, n_dims // 2)
    sections = (keys.array("rope.dimension_sections") or ()) if traits.image_rope else ()
    scaling = keys.value("rope.scaling.type", "linear")
    if scaling not in _SCALINGS:
        keys.problems.append(f"rope.scaling.type is {short(scaling)}; known are {', '.join(_SCALINGS)}")
    factor = keys.value("rope.scaling.factor", keys.value("rope.scale_linear", 0.0)) or 1.0
    base = keys.value("rope.freq_base", 10000.0)
    own_base = traits.window_freq_base if traits.has_window_rope else 0.0
    base_window = keys.value("rope.freq_base_swa", own_base or base)
    if factor <= 0 or min(base, base_window) <= 1:
        keys.problems.append(f"rope has the factor {factor} and the bases {base} and {base_window}")
    freq_scale = 1 / factor if scaling != "none" and factor > 0 else 1.0
    return Rope(
        n_dims=n_dims,
        n_dims_window=n_dims_window,
        freq_base=base,
        freq_base_window=base_window,
        freq_scale=freq_scale,
        freq_scale_window=1.0 if traits.has_window_rope else freq_scale,
        ext_factor=float(scaling == "yarn"),
        attn_factor=keys.value("rope.scaling.attn_factor", 1.0) * _yarn_cancellation(keys, scaling, factor, traits),
        beta_fast=keys.value("rope.scaling.yarn_beta_fast", 32.0),
        beta_slow=keys.value("rope.scaling.yarn_beta_slow", 1.0),
        n_ctx_orig=keys.count("rope.scaling.original_context_length", n_ctx),
        sections=tuple(sections) if any(sections) else (),
        is_interleaved=traits.image_rope == "interleaved",
    )


def _yarn_cancellation(keys: HeaderKeys, scaling: str, factor: float, traits: Traits) -> float:
    """Return a factor that cancels YaRN's magnitude on queries and keys if the log multiplier is 1; else 1.

    Latent attention scales the products of queries and keys instead, with any multiplier.
    """
    multiplier, is_yarn = keys.value("rope.scaling.yarn_log_multiplier", 0.0), scaling == "yarn" and factor > 1
    is_any = traits.latent is not None and is_yarn
    if not is_any and multiplier not in (0.0, 1.0):
        keys.problems.append(f"rope.scaling.yarn_log_multiplier is {multiplier}, only 0.0 or 1.0 is supported")
    return 1 / (1 + 0.1 * log(factor)) if is_yarn and (is_any or multiplier == 1) else 1.0
