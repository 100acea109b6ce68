# SPDX-License-Identifier: MIT
"""GLM-4: norms before and after attention and feed-forward network, a fused gate-up matrix, RoPE on half a head.

GLM-OCR has M-RoPE on whole heads.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION
from pyhexagon.llm.architectures.qwen_vl import check_sections
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    y = b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output")
    x = b.add(x, b.norm(y, "post_attention_norm"))
    gate, up = b.split(b.linear(b.norm(x, "ffn_norm"), "ffn_up"), ("ffn", "ffn"))
    return b.add(x, b.norm(b.linear(b.swiglu(gate, up), "ffn_down"), "post_ffw_norm"))


GLM4 = Architecture(
    rope="normal",
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        **ATTENTION,
        "post_attention_norm.weight": ("width",),
        "ffn_norm.weight": ("width",),
        "ffn_up.weight": ("2 ffn", "width"),
        "ffn_down.weight": ("width", "ffn"),
        "post_ffw_norm.weight": ("width",),
    },
    optional={"attn_q.bias": ("q",), "attn_k.bias": ("kv",), "attn_v.bias": ("kv",)},
    traits=Traits(has_mtp=True, adapt=check_sections, image_rope="sections"),
)
