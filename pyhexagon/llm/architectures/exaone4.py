# SPDX-License-Identifier: MIT
"""EXAONE 4: norms after attention and feed-forward network, and of each head's query and key.

Three layers of four of the 32B model have a sliding window, and only these have RoPE.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION, FEED_FORWARD, HEAD_NORMS, POST_NORMS
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(x)
    q, k = b.norm(q, "attn_q_norm"), b.norm(k, "attn_k_norm")
    if b.has_window or not b.config.window:
        q, k = b.rope(q), b.rope(k)
    x = b.add(x, b.norm(b.linear(b.attention(q, k, v), "attn_output"), "post_attention_norm"))
    return b.add(x, b.norm(b.feed_forward(x), "post_ffw_norm"))


EXAONE4 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={**ATTENTION, **HEAD_NORMS, **FEED_FORWARD, **POST_NORMS},
    model_optional={"rope_freqs.weight": ("pairs",)},
    traits=Traits(window_pattern=4),
)
