# SPDX-License-Identifier: MIT
"""AFM-4.5B: Llama's graph, with squared ReLU instead of a gate. Nemotron 3 and 4 (Minitron): with layer norms, too."""

from __future__ import annotations

from math import inf

from pyhexagon.llm.architectures.llama import ATTENTION, LLAMA
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    x = b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output"))
    positive = b.p.clamp(b.linear(b.norm(x, "ffn_norm"), "ffn_up"), 0.0, inf)
    return b.add(x, b.linear(b.p.sqr(positive), "ffn_down"))


ARCEE = LLAMA._replace(
    layer=_layer,
    tensors={
        "attn_norm.weight": ("width",),
        **ATTENTION,
        "ffn_norm.weight": ("width",),
        "ffn_up.weight": ("ffn", "width"),
        "ffn_down.weight": ("width", "ffn"),
    },
    optional={},
)
NEMOTRON = ARCEE._replace(
    rope="neox",
    tensors={**ARCEE.tensors, "attn_norm.bias": ("width",), "ffn_norm.bias": ("width",)},
    optional={name: shape for name, shape in LLAMA.optional.items() if name != "ffn_gate.bias"},
    model={"output_norm.weight": ("width",), "output_norm.bias": ("width",)},
    model_optional={},
    traits=Traits(has_layer_norms=True),
)
