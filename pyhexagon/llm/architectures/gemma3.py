# SPDX-License-Identifier: MIT
"""Gemma 3: four norms a layer, norms of each head's query and key, GEGLU, and a window in five layers of six."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.config import Config, Traits
from pyhexagon.llm.step import Architecture, Layer
from pyhexagon.program.graph import Value

_LAYERS_OF_27B = 62  # its heads are scaled otherwise, and no key says so


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = (b.heads(b.linear(h, name)) for name in ("attn_q", "attn_k", "attn_v"))
    q, k = b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm"))
    x = b.add(x, b.norm(b.linear(b.attention(q, k, v), "attn_output"), "post_attention_norm"))
    h = b.norm(x, "ffn_norm")
    h = b.linear(b.geglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up")), "ffn_down")
    return b.add(x, b.norm(h, "post_ffw_norm"))


def _scale(config: Config) -> float:
    per_head = config.width / config.n_heads[0]
    return float(per_head**-0.5) if config.n_layers == _LAYERS_OF_27B else config.scale


GEMMA3 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        **LLAMA.tensors,
        "attn_q_norm.weight": ("head",),
        "attn_k_norm.weight": ("head",),
        "post_attention_norm.weight": ("width",),
        "post_ffw_norm.weight": ("width",),
    },
    traits=Traits(window_pattern=6, has_window_rope=True, ignored=("vision.", "mm.")),
    ignored=("v.", "mm."),  # Ollama has images in the same file
    embedding_scale=lambda config: float(config.width**0.5),
    attention_scale=_scale,
)
