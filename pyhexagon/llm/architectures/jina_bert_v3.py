# SPDX-License-Identifier: MIT
"""Jina Embeddings 3 without its adapters, and Nomic Embed 2: BERT with RoPE, a fused matrix, and experts in every
second layer of the latter.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.bert import BERT, NOMIC_BERT
from pyhexagon.llm.files.config import ExpertRouter, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.experts import experts_without_gates
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(x)
    x = b.norm(b.add(x, b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output")), "attn_output_norm")
    y = b.linear(b.gelu(b.linear(x, "ffn_up")), "ffn_down") if b.is_dense else experts_without_gates(b, x, b.gelu)
    return b.norm(b.add(x, y), "layer_output_norm")


def _adapt(keys: HeaderKeys) -> None:
    keys.supply("expert_feed_forward_length", keys.count("feed_forward_length", 1))


_FEED_FORWARD = "ffn_up.weight", "ffn_down.weight"
_BIASES = "attn_output.bias", "ffn_up.bias", "ffn_down.bias"

JINA_BERT_V3 = NOMIC_BERT._replace(
    layer=_layer,
    tensors={name: one for name, one in NOMIC_BERT.tensors.items() if not name.startswith("ffn_")},
    dense_tensors={name: BERT.tensors[name] for name in _FEED_FORWARD},
    optional={"attn_qkv.bias": ("qkv",), **{name: BERT.optional[name] for name in _BIASES}},
)
NOMIC_BERT_MOE = JINA_BERT_V3._replace(
    moe_tensors={
        "ffn_gate_inp.weight": ("experts", "width"),
        "ffn_up_exps.weight": ("experts", "expert ffn", "width"),
        "ffn_down_exps.weight": ("experts", "width", "expert ffn"),
    },
    traits=Traits(
        is_encoder=True,
        has_layer_norms=True,
        has_experts=True,
        has_moe_interval=True,
        router=lambda _: ExpertRouter(is_normalized=False),
        adapt=_adapt,
    ),
)
