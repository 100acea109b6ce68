# SPDX-License-Identifier: MIT
"""Llama 2 and 3, and models with the same graph or nearly so: other names and norms, gates, or layers without RoPE."""

from __future__ import annotations

from functools import partial
from math import log

from pyhexagon.llm.architectures.tensors import (
    ATTENTION,
    FEED_FORWARD,
    LAST_LAYER_NORM,
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
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def llama_layer(b: Layer, x: Value, *, second_norm: str = "ffn_norm") -> Value:
    """Return a layer's output: attention, and a feed-forward net or a mixture of experts, each behind a norm."""
    x = b.add(x, b.self_attention(b.norm(x, "attn_norm")))
    return b.add(x, feed_forward(b, b.norm(x, second_norm)))


# SmolLM2, Mistral, TinyLlama, R1 distills, InternLM 2 and 2.5, too
LLAMA = Architecture(
    rope="normal",
    layer=llama_layer,
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
    layer=partial(llama_layer, second_norm="post_attention_norm"),
    tensors={**norms("attn_norm", "post_attention_norm"), **ATTENTION, **FEED_FORWARD},
    optional=biases(QKV),
)


def _smollm3_layer(b: Layer, x: Value) -> Value:
    x = b.add(x, b.self_attention(b.norm(x, "attn_norm"), has_rope=(b.index + 1) % 4 > 0))
    return b.add(x, b.feed_forward(b.norm(x, "ffn_norm")))


SMOLLM3 = LLAMA._replace(layer=_smollm3_layer, model_optional={})


def _bitnet_layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    attended = b.norm(b.attention(b.rope(q), b.rope(k), v), "attn_sub_norm")
    x = b.add(x, b.linear(attended, "attn_output"))
    h = b.norm(x, "ffn_norm")
    h = b.norm(b.p.swiglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up")), "ffn_sub_norm")
    return b.add(x, b.linear(h, "ffn_down"))


# BitNet b1.58: norms before the output matrices of attention and feed-forward network.
BITNET = Architecture(
    rope="neox",
    layer=_bitnet_layer,
    tensors={**LLAMA.tensors, "attn_sub_norm.weight": ("q",), "ffn_sub_norm.weight": ("ffn",)},
)


def _k2_horizon_layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    y = b.attention(b.rope(q), b.rope(k), v)
    if b.has("attn_gate.weight"):  # log2(1 + 2**gate)
        gate = b.p.softplus(b.p.scale(b.linear(h, "attn_gate"), log(2)))
        y = b.p.mul(y, b.p.scale(gate, 1 / log(2)))
    x = b.add(x, b.linear(y, "attn_output"))
    return b.add(x, b.feed_forward(b.norm(x, "ffn_norm")))


def _k2_horizon_factors(keys: HeaderKeys) -> Factors:
    n_groups, width = keys.count("attention.group_norm_groups", 1), keys.count("embedding_length")
    if width % n_groups:
        keys.problems.append(f"norms have {n_groups} groups, which do not divide the {width} elements of a row")
    return Factors(norm_groups=n_groups)


# K2-Horizon, dense: norms of groups of elements; files may have a gate on the result of attention.
K2_HORIZON = LLAMA._replace(
    rope="neox",
    layer=_k2_horizon_layer,
    optional={"attn_gate.weight": ("q", "width")},
    model_optional={},
    traits=Traits(factors=_k2_horizon_factors),
)


def _spark_layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    y = b.heads(b.attention(b.rope(q), b.rope(k), v))
    gate = b.p.sigmoid(b.linear(h, "attn_gate"))
    y = b.p.mul(y, gate.reshape(*gate.shape, 1)).reshape(y.shape[0], -1)
    x = b.add(x, b.linear(y, "attn_output"))
    return b.add(x, b.feed_forward(b.norm(x, "ffn_norm"), activation=b.p.geglu))


# Spark-X2.5: GEGLU, a sliding window in three layers of four, and a gate on each head of attention. Full-attention
# layers rotate a quarter of each head, those with the window all of it, with a base of their own.
SPARK2_5 = LLAMA._replace(
    rope="neox",
    layer=_spark_layer,
    tensors={**LLAMA.tensors, "attn_gate.weight": ("heads", "width")},
    optional={},
    model_optional={},
    traits=Traits(window_pattern=4, has_window_rope=True, window_freq_base=0.0, has_window_heads=True),
)
