# SPDX-License-Identifier: MIT
"""StarCoder 2: layer norms, biases everywhere, and GELU without a gate."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    return b.add(x, b.linear(b.gelu(b.linear(b.norm(x, "ffn_norm"), "ffn_up")), "ffn_down"))


STARCODER2 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        "attn_norm.bias": ("width",),
        **ATTENTION,
        "attn_q.bias": ("q",),
        "attn_k.bias": ("kv",),
        "attn_v.bias": ("kv",),
        "attn_output.bias": ("width",),
        "ffn_norm.weight": ("width",),
        "ffn_norm.bias": ("width",),
        "ffn_up.weight": ("ffn", "width"),
        "ffn_up.bias": ("ffn",),
        "ffn_down.weight": ("width", "ffn"),
        "ffn_down.bias": ("width",),
    },
    model={"output_norm.weight": ("width",), "output_norm.bias": ("width",)},
    traits=Traits(has_layer_norms=True),
)
