# SPDX-License-Identifier: MIT
"""Spark-X2.5: Llama with GEGLU, a sliding window in three layers of four, and a gate on each head of attention.

Full-attention layers rotate a quarter of each head, those with the window all of it, with a base of their own.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    y = b.heads(b.attention(b.rope(q), b.rope(k), v))
    gate = b.sigmoid(b.linear(h, "attn_gate"))
    y = b.mul(y, gate.reshape(*gate.shape, 1)).reshape(y.shape[0], -1)
    x = b.add(x, b.linear(y, "attn_output"))
    h = b.norm(x, "ffn_norm")
    return b.add(x, b.linear(b.geglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up")), "ffn_down"))


SPARK2_5 = LLAMA._replace(
    rope="neox",
    layer=_layer,
    tensors={**LLAMA.tensors, "attn_gate.weight": ("heads", "width")},
    optional={},
    model_optional={},
    traits=Traits(window_pattern=4, has_window_rope=True, window_freq_base=0.0, has_window_heads=True),
)
