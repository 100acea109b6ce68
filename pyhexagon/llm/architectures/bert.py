# SPDX-License-Identifier: MIT
"""Encoders: BERT, Nomic's and Jina's, with norms after attention and feed-forward network; and ModernBERT and
NeoBERT."""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.llama import PHI3, geglu_net
from pyhexagon.llm.architectures.tensors import (
    ATTENTION,
    FEED_FORWARD,
    FUSED_ATTENTION,
    FUSED_FEED_FORWARD,
    UNGATED,
    biases,
    layer_norms,
    norms,
    without,
)
from pyhexagon.llm.architectures.ungated import gelu_net
from pyhexagon.llm.files.config import ExpertRouter, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.files.weights import EMBEDDING_NORM, LAST_NORM, Shapes
from pyhexagon.llm.graph.experts import experts_without_gates
from pyhexagon.llm.graph.layer import Architecture, Block, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value, *, net: Block = Layer.feed_forward, has_rope: bool = True) -> Value:
    x = b.norm(b.add(x, b.self_attention(x, has_rope=has_rope)), "attn_output_norm")
    return b.norm(b.add(x, net(b, x)), "layer_output_norm")


_NORMS = layer_norms("attn_output_norm", "layer_output_norm")
_EMBEDDING = layer_norms(EMBEDDING_NORM)
_TYPES = {"token_types.weight": ("types", "width")}  # DistilBERT has none

BERT = Architecture(
    rope="neox",
    layer=partial(_layer, net=gelu_net, has_rope=False),
    tensors={**ATTENTION, **UNGATED, **_NORMS},
    optional={**biases(ATTENTION), **biases(UNGATED)},
    model={**_EMBEDDING, "position_embd.weight": ("context", "width")},
    model_optional=_TYPES,
    classifier={
        "cls.weight": ("width", "width"),
        "cls.bias": ("width",),
        "cls.output.weight": ("labels", "width"),
        "cls.output.bias": ("labels",),
    },
    traits=Traits(is_encoder=True, has_layer_norms=True, is_ranker=True),
)


NOMIC_BERT = Architecture(
    rope="neox",
    layer=_layer,
    tensors={**FUSED_ATTENTION, **FEED_FORWARD, **_NORMS},
    model=_EMBEDDING,
    model_optional=_TYPES,
    traits=Traits(is_encoder=True, has_layer_norms=True),
)


def _jina2_layer(b: Layer, x: Value) -> Value:
    q, k, v = (b.linear(x, f"attn_{name}") for name in "qkv")
    q, k = (b.norm(rows, name) if b.has(f"{name}.weight") else rows for rows, name in ((q, _Q_NORM), (k, _K_NORM)))
    attended = b.attention(*(b.heads(rows) for rows in (q, k, v)))
    h = b.norm(b.add(x, b.linear(attended, "attn_output")), "attn_output_norm")
    if b.has(f"{_SECOND_NORM}.weight"):
        h = b.norm(b.add(x, h), _SECOND_NORM)
    return b.norm(b.add(h, geglu_net(b, h)), "layer_output_norm")


_Q_NORM, _K_NORM, _SECOND_NORM = "attn_q_norm", "attn_k_norm", "attn_norm_2"
_JINA2_OPTIONAL: Shapes = {
    **layer_norms(_Q_NORM, _K_NORM, _SECOND_NORM),
    "ffn_gate.weight": ("ffn", "width"),
    "ffn_up.bias": ("ffn up",),
}

# Jina Embeddings 2: ALiBi instead of positions, GEGLU, and, for code, norms of queries and keys.
JINA_BERT_V2 = BERT._replace(
    layer=_jina2_layer,
    tensors={**BERT.tensors, "ffn_up.weight": ("ffn up", "width")},
    optional={**BERT.optional, **_JINA2_OPTIONAL},
    model=_EMBEDDING,
    classifier={},
    traits=BERT.traits._replace(is_ranker=False),
    max_bias=8.0,
)


def _gelu_experts(b: Layer, x: Value) -> Value:
    return gelu_net(b, x) if b.is_dense else experts_without_gates(b, x, b.p.gelu)


def _adapt_experts(keys: HeaderKeys) -> None:
    keys.supply("expert_feed_forward_length", keys.count("feed_forward_length", 1))


# Jina Embeddings 3 without its adapters: RoPE, and a fused matrix.
JINA_BERT_V3 = NOMIC_BERT._replace(
    layer=partial(_layer, net=_gelu_experts),
    tensors=without(NOMIC_BERT.tensors, "ffn_"),
    dense_tensors=UNGATED,
    optional={**biases(FUSED_ATTENTION), **biases(UNGATED)},
)
# Nomic Embed 2: the same, with experts in every second layer.
NOMIC_BERT_MOE = JINA_BERT_V3._replace(
    moe_tensors={
        "ffn_gate_inp.weight": ("experts", "width"),
        "ffn_up_exps.weight": ("experts", "expert ffn", "width"),
        "ffn_down_exps.weight": ("experts", "width", "expert ffn"),
    },
    traits=NOMIC_BERT.traits._replace(
        has_experts=True,
        has_moe_interval=True,
        router=lambda _: ExpertRouter(is_normalized=False),
        adapt=_adapt_experts,
    ),
)


def _modern_layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm") if b.has("attn_norm.weight") else x  # the first layer has none
    x = b.add(x, b.self_attention(h))
    return b.add(x, geglu_net(b, b.norm(x, "ffn_norm")))


def _adapt_modern(keys: HeaderKeys) -> None:
    activation = keys.value("hidden_activation", "gelu")
    if activation != "gelu":
        keys.problems.append(f"hidden_activation is {activation!r}, only 'gelu' is supported")


# ModernBERT: pre-norms, GEGLU, and a sliding window in two layers of three.
MODERN_BERT = Architecture(
    rope="neox",
    layer=_modern_layer,
    tensors={**FUSED_ATTENTION, **norms("ffn_norm"), **FUSED_FEED_FORWARD},
    optional=norms("attn_norm"),
    model=norms(EMBEDDING_NORM, LAST_NORM),
    traits=Traits(
        window_pattern=3,
        has_full_attention_first=True,
        has_window_rope=True,
        window_freq_base=0.0,
        is_encoder=True,
        has_layer_norms=True,
        adapt=_adapt_modern,
    ),
)

# NeoBERT: pre-norms, fused matrices and SwiGLU.
_LAST_NORM = "enc.output_norm"
NEO_BERT = PHI3._replace(
    rope="normal",
    model=norms(_LAST_NORM),
    model_optional={},
    last_norm=_LAST_NORM,
    traits=Traits(is_encoder=True),
)
