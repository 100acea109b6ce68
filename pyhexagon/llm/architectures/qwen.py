# SPDX-License-Identifier: MIT
"""Qwen 2 and 2.5: Llama's graph, with biases and NeoX pairs. Qwen 3: also norms of each head's query and key."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import HEAD_NORMS, LLAMA
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value

QWEN2 = LLAMA._replace(rope="neox", model_optional={})


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    q, k = b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm"))
    x = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    return b.add(x, b.feed_forward(b.norm(x, "ffn_norm")))


QWEN3 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={**LLAMA.tensors, **HEAD_NORMS},
    classifier={"cls.output.weight": ("labels", "width")},
    traits=Traits(is_ranker=True),
)
