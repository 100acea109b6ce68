# SPDX-License-Identifier: MIT
"""Llama 2 and 3, and models with the same graph or nearly so: other names and norms, gates, or layers without RoPE."""

from __future__ import annotations

from functools import partial
from math import log

from pyhexagon.llm.architectures.tensors import (
    ATTENTION,
    FEED_FORWARD,
    FUSED_ATTENTION,
    FUSED_FEED_FORWARD,
    LAST_LAYER_NORM,
    LONG_ROPE_FACTORS,
    PRE_NORMS,
    QKV,
    ROPE_FACTORS,
    biases,
    layer_norms,
    norms,
)
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.experts import feed_forward
from pyhexagon.llm.graph.layer import Architecture, Block, Layer
from pyhexagon.program.graph import Value


def pre_norm_layer(
    b: Layer,
    x: Value,
    *,
    attention: Block = Layer.self_attention,
    net: Block = feed_forward,
    second_norm: str = "ffn_norm",
) -> Value:
    """Return a layer's output: attention, and a feed-forward net or a mixture of experts, each behind a norm.

    Args:
        b: the layer.
        x: its input, (M, width).
        attention, net: return what is added to their input, which is normalized.
        second_norm: the norm before the net.
    """
    factor = b.config.factors.residuals
    for block, norm in ((attention, "attn_norm"), (net, second_norm)):
        y = block(b, b.norm(x, norm))
        x = b.add(x, y if factor == 1 else b.p.scale(y, factor))
    return x


def geglu_net(b: Layer, h: Value) -> Value:
    """Return the feed-forward network with GEGLU of rows: (M, K) to (M, K)."""
    return b.feed_forward(h, activation=b.p.geglu)


# SmolLM2, Mistral, TinyLlama, R1 distills, InternLM 2 and 2.5, too
LLAMA = Architecture(
    rope="normal",
    layer=pre_norm_layer,
    tensors={**PRE_NORMS, **ATTENTION, **FEED_FORWARD},
    optional={**biases(ATTENTION), **biases(FEED_FORWARD)},
    model_optional=ROPE_FACTORS,
)

# Queries of Ministral 3 from the original context length on have a temperature, which is not computed: longer contexts
# are refused.
MISTRAL3 = LLAMA._replace(traits=Traits(has_temperature=True), model_optional={})

# Nanbeige 4.2: the layers run twice, with a norm after each time.
NANBEIGE = LLAMA._replace(traits=Traits(has_loops=True))

# EXAONE 3 and 3.5
EXAONE = LLAMA._replace(rope="neox", optional={})

# Embedders: attention is bidirectional.
LLAMA_EMBED = LLAMA._replace(traits=Traits(is_encoder=True))
EUROBERT = EXAONE._replace(model_optional={}, traits=Traits(is_encoder=True))

ERNIE4_5 = LLAMA._replace(model_optional={})

# Stable LM 2 1.6B: layer norms, and RoPE on a quarter of a head.
STABLELM = LLAMA._replace(
    rope="neox",
    tensors={**LLAMA.tensors, **layer_norms("attn_norm", "ffn_norm")},
    optional=biases(QKV),
    model=LAST_LAYER_NORM,
    model_optional={},
    traits=Traits(has_layer_norms=True),
)

# Seed-OSS: heads wider than the model.
SEED_OSS = Architecture(
    rope="neox",
    layer=partial(pre_norm_layer, second_norm="post_attention_norm"),
    tensors={**norms("attn_norm", "post_attention_norm"), **ATTENTION, **FEED_FORWARD},
    optional=biases(QKV),
)


# RoPE in three layers of four.
SMOLLM3 = LLAMA._replace(
    layer=partial(pre_norm_layer, attention=lambda b, h: b.self_attention(h, has_rope=(b.index + 1) % 4 > 0)),
    model_optional={},
)


def _bitnet_attention(b: Layer, h: Value) -> Value:
    q, k, v = b.qkv(h)
    return b.linear(b.norm(b.attention(b.rope(q), b.rope(k), v), "attn_sub_norm"), "attn_output")


def _bitnet_net(b: Layer, h: Value) -> Value:
    gated = b.p.swiglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up"))
    return b.linear(b.norm(gated, "ffn_sub_norm"), "ffn_down")


# BitNet b1.58: norms before the output matrices of attention and feed-forward network.
BITNET = Architecture(
    rope="neox",
    layer=partial(pre_norm_layer, attention=_bitnet_attention, net=_bitnet_net),
    tensors={**LLAMA.tensors, "attn_sub_norm.weight": ("q",), "ffn_sub_norm.weight": ("ffn",)},
)


def _k2_horizon_attention(b: Layer, h: Value) -> Value:
    q, k, v = b.qkv(h)
    y = b.attention(b.rope(q), b.rope(k), v)
    if b.has("attn_gate.weight"):  # log2(1 + 2**gate)
        gate = b.p.softplus(b.p.scale(b.linear(h, "attn_gate"), log(2)))
        y = b.p.mul(y, b.p.scale(gate, 1 / log(2)))
    return b.linear(y, "attn_output")


def _k2_horizon_factors(keys: HeaderKeys) -> Factors:
    n_groups, width = keys.count("attention.group_norm_groups", 1), keys.count("embedding_length")
    if width % n_groups:
        keys.problems.append(f"norms have {n_groups} groups, which do not divide the {width} elements of a row")
    return Factors(norm_groups=n_groups)


# K2-Horizon, dense: norms of groups of elements; files may have a gate on the result of attention.
K2_HORIZON = LLAMA._replace(
    rope="neox",
    layer=partial(pre_norm_layer, attention=_k2_horizon_attention),
    optional={"attn_gate.weight": ("q", "width")},
    model_optional={},
    traits=Traits(factors=_k2_horizon_factors),
)


def _spark_attention(b: Layer, h: Value) -> Value:
    q, k, v = b.qkv(h)
    y = b.heads(b.attention(b.rope(q), b.rope(k), v))
    gate = b.p.sigmoid(b.linear(h, "attn_gate"))
    y = b.p.mul(y, gate.reshape(*gate.shape, 1)).reshape(y.shape[0], -1)
    return b.linear(y, "attn_output")


# Spark-X2.5: GEGLU, a sliding window in three layers of four, and a gate on each head of attention. Full-attention
# layers rotate a quarter of each head, those with the window all of it, with a base of their own.
SPARK2_5 = LLAMA._replace(
    rope="neox",
    layer=partial(pre_norm_layer, attention=_spark_attention, net=geglu_net),
    tensors={**LLAMA.tensors, "attn_gate.weight": ("heads", "width")},
    optional={},
    model_optional={},
    traits=Traits(window_pattern=4, has_window_rope=True, window_freq_base=0.0, has_window_heads=True),
)

# Phi 3 and 4 mini: fused QKV and gate-up matrices.
PHI3 = Architecture(
    rope="neox",
    layer=pre_norm_layer,
    tensors={**PRE_NORMS, **FUSED_ATTENTION, **FUSED_FEED_FORWARD},
    traits=Traits(adapt=lambda keys: keys.ignore("attention.sliding_window")),  # as llama.cpp does
    model_optional=LONG_ROPE_FACTORS,
)
