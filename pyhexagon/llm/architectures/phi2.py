# SPDX-License-Identifier: MIT
"""Phi 1, 1.5 and 2: attention and a feed-forward network without a gate side by side on one layer norm, and biases."""

from __future__ import annotations

from pyhexagon.llm.architectures.starcoder2 import STARCODER2
from pyhexagon.llm.files.weights import OUTPUT_BIAS
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    attended = b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output")
    return b.add(x, b.add(attended, b.linear(b.gelu(b.linear(h, "ffn_up")), "ffn_down")))


PHI2 = STARCODER2._replace(
    layer=_layer,
    tensors={name: shape for name, shape in STARCODER2.tensors.items() if not name.startswith("ffn_norm.")},
    model={**STARCODER2.model, OUTPUT_BIAS: ("vocabulary",)},
)
