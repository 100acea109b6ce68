# SPDX-License-Identifier: MIT
"""Norms after attention and after the feed-forward network: OLMo 2 and 3, EXAONE 4 and GLM-4."""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.qwen import check_sections
from pyhexagon.llm.architectures.tensors import (
    ATTENTION,
    FEED_FORWARD,
    FUSED_FEED_FORWARD,
    HEAD_NORMS,
    POST_NORMS,
    PRE_NORMS,
    QKV,
    ROPE_FACTORS,
    biases,
)
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Architecture, Block, Layer
from pyhexagon.program.graph import Value


def attention_with_row_norms(b: Layer, x: Value) -> Value:
    """Return attention's rows (M, K) for rows (M, K), with norms of all queries and all keys of a row at once."""
    q, k = (b.heads(b.norm(b.linear(x, f"attn_{name}"), f"attn_{name}_norm")) for name in ("q", "k"))
    return b.linear(b.attention(b.rope(q), b.rope(k), b.heads(b.linear(x, "attn_v"))), "attn_output")


def _layer(b: Layer, x: Value, *, attention: Block) -> Value:
    x = b.add(x, b.norm(attention(b, x), "post_attention_norm"))
    return b.add(x, b.norm(b.feed_forward(x), "post_ffw_norm"))


# Three layers of four of OLMo 3 have a sliding window, and there the context is not stretched.
ROW_NORMS = {"attn_q_norm.weight": ("q",), "attn_k_norm.weight": ("kv",)}
OLMO2 = Architecture(
    rope="neox",
    layer=partial(_layer, attention=attention_with_row_norms),
    tensors={**ATTENTION, **ROW_NORMS, **FEED_FORWARD, **POST_NORMS},
    traits=Traits(window_pattern=4, has_window_rope=True, window_freq_base=0.0),
)


# Three layers of four of EXAONE 4 32B have a sliding window, and only these have RoPE.
EXAONE4 = Architecture(
    rope="neox",
    layer=partial(_layer, attention=lambda b, x: b.self_attention(x, has_rope=b.is_local)),
    tensors={**ATTENTION, **HEAD_NORMS, **FEED_FORWARD, **POST_NORMS},
    model_optional=ROPE_FACTORS,
    traits=Traits(window_pattern=4),
)


def four_norms_layer(b: Layer, x: Value, *, net: Block = Layer.feed_forward) -> Value:
    """Return a layer's output: attention and a feed-forward net with norms before and after each."""
    x = b.add(x, b.norm(b.self_attention(b.norm(x, "attn_norm")), "post_attention_norm"))
    return b.add(x, b.norm(net(b, b.norm(x, "ffn_norm")), "post_ffw_norm"))


# GLM-4: RoPE on half a head. GLM-OCR: M-RoPE on whole heads.
GLM4 = Architecture(
    rope="normal",
    layer=four_norms_layer,
    tensors={**PRE_NORMS, **POST_NORMS, **ATTENTION, **FUSED_FEED_FORWARD},
    optional=biases(QKV),
    traits=Traits(has_mtp=True, adapt=check_sections, image_rope="sections"),
)
