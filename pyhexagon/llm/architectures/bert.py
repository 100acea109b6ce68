# SPDX-License-Identifier: MIT
"""BERT, and Nomic's: bidirectional attention, post-norms, and the hidden rows as output."""

from __future__ import annotations

from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _bert_layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(x)
    x = b.norm(b.add(x, b.linear(b.attention(q, k, v), "attn_output")), "attn_output_norm")
    return b.norm(b.add(x, b.linear(b.gelu(b.linear(x, "ffn_up")), "ffn_down")), "layer_output_norm")


def _nomic_layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(x)
    x = b.norm(b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output")), "attn_output_norm")
    return b.norm(b.add(x, b.feed_forward(x)), "layer_output_norm")


_NORMS = {
    "attn_output_norm.weight": ("width",),
    "attn_output_norm.bias": ("width",),
    "layer_output_norm.weight": ("width",),
    "layer_output_norm.bias": ("width",),
}
_EMBEDDING = {
    "token_embd_norm.weight": ("width",),
    "token_embd_norm.bias": ("width",),
}
_TYPES = {"token_types.weight": ("types", "width")}  # DistilBERT has none

BERT = Architecture(
    rope="neox",
    layer=_bert_layer,
    tensors={
        "attn_q.weight": ("q", "width"),
        "attn_k.weight": ("kv", "width"),
        "attn_v.weight": ("kv", "width"),
        "attn_output.weight": ("width", "q"),
        "ffn_up.weight": ("ffn", "width"),
        "ffn_down.weight": ("width", "ffn"),
        **_NORMS,
    },
    optional={
        "attn_q.bias": ("q",),
        "attn_k.bias": ("kv",),
        "attn_v.bias": ("kv",),
        "attn_output.bias": ("width",),
        "ffn_up.bias": ("ffn",),
        "ffn_down.bias": ("width",),
    },
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
    layer=_nomic_layer,
    tensors={
        "attn_qkv.weight": ("qkv", "width"),
        "attn_output.weight": ("width", "q"),
        "ffn_gate.weight": ("ffn", "width"),
        "ffn_up.weight": ("ffn", "width"),
        "ffn_down.weight": ("width", "ffn"),
        **_NORMS,
    },
    model=_EMBEDDING,
    model_optional=_TYPES,
    traits=Traits(is_encoder=True, has_layer_norms=True),
)
