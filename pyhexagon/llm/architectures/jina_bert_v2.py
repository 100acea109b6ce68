# SPDX-License-Identifier: MIT
"""Jina Embeddings 2: BERT with ALiBi instead of positions, GEGLU, and, for code, norms of queries and keys."""

from __future__ import annotations

from pyhexagon.llm.architectures.bert import BERT
from pyhexagon.llm.files.weights import Shapes
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = (b.linear(x, f"attn_{name}") for name in "qkv")
    q, k = (b.norm(rows, name) if b.has(f"{name}.weight") else rows for rows, name in ((q, _Q_NORM), (k, _K_NORM)))
    attended = b.attention(*(b.heads(rows) for rows in (q, k, v)))
    h = b.norm(b.add(x, b.linear(attended, "attn_output")), "attn_output_norm")
    if b.has(f"{_SECOND_NORM}.weight"):
        h = b.norm(b.add(x, h), _SECOND_NORM)
    up = b.linear(h, "ffn_up")
    gate, up = (b.linear(h, "ffn_gate"), up) if b.has("ffn_gate.weight") else b.split(up, ("ffn", "ffn"))
    return b.norm(b.add(h, b.linear(b.geglu(gate, up), "ffn_down")), "layer_output_norm")


_Q_NORM, _K_NORM, _SECOND_NORM = "attn_q_norm", "attn_k_norm", "attn_norm_2"
_OPTIONAL: Shapes = {
    **{f"{name}.{end}": ("width",) for name in (_Q_NORM, _K_NORM, _SECOND_NORM) for end in ("weight", "bias")},
    "ffn_gate.weight": ("ffn", "width"),
    "ffn_up.bias": ("ffn up",),
}

JINA_BERT_V2 = BERT._replace(
    layer=_layer,
    tensors={**BERT.tensors, "ffn_up.weight": ("ffn up", "width")},
    optional={**BERT.optional, **_OPTIONAL},
    model={name: shape for name, shape in BERT.model.items() if name != "position_embd.weight"},
    classifier={},
    traits=BERT.traits._replace(is_ranker=False),
    max_bias=8.0,
)
