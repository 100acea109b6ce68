# SPDX-License-Identifier: MIT
"""ModernBERT: pre-norms, GEGLU, and bidirectional attention with a sliding window in two layers of three."""

from __future__ import annotations

from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm") if b.has("attn_norm.weight") else x  # the first layer has none
    q, k, v = b.qkv(h)
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    gate, up = b.split(b.linear(b.norm(x, "ffn_norm"), "ffn_up"), ("ffn", "ffn"))
    return b.add(x, b.linear(b.geglu(gate, up), "ffn_down"))


def _adapt(keys: HeaderKeys) -> None:
    activation = keys.value("hidden_activation", "gelu")
    if activation != "gelu":
        keys.problems.append(f"hidden_activation is {activation!r}, only 'gelu' is supported")


MODERN_BERT = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        "attn_qkv.weight": ("qkv", "width"),
        "attn_output.weight": ("width", "q"),
        "ffn_norm.weight": ("width",),
        "ffn_up.weight": ("2 ffn", "width"),
        "ffn_down.weight": ("width", "ffn"),
    },
    optional={"attn_norm.weight": ("width",)},
    model={"token_embd_norm.weight": ("width",), "output_norm.weight": ("width",)},
    traits=Traits(
        window_pattern=3,
        has_full_attention_first=True,
        has_window_rope=True,
        window_freq_base=0.0,
        is_encoder=True,
        has_layer_norms=True,
        adapt=_adapt,
    ),
)
