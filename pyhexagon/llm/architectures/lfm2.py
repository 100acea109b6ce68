# SPDX-License-Identifier: MIT
"""LFM2: gated short convolutions in most layers, attention with norms of each head's query and key in the others.

LFM2 MoE has mixtures of experts, except in the first layers. In embedders, attention and convolutions see both ways;
ColBERT makes narrow embeddings of rows.
"""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.llama import pre_norm_layer
from pyhexagon.llm.architectures.tensors import (
    ATTENTION,
    EXPERTS,
    FEED_FORWARD,
    HEAD_NORMS,
    PRE_NORMS,
    ROUTER_BIAS,
    norms,
)
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.files.weights import DENSE, EMBEDDING_NORM
from pyhexagon.llm.graph.experts import sigmoid_router
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.llm.graph.short_conv import read, short_conv
from pyhexagon.program.graph import Value


def _attention(b: Layer, h: Value) -> Value:
    if not b.is_recurrent:
        return b.self_attention(h)
    return b.linear(short_conv(b, b.linear(h, "shortconv.in_proj")), "shortconv.out_proj")


LFM2 = Architecture(
    rope="neox",
    layer=partial(pre_norm_layer, attention=_attention),
    tensors={**PRE_NORMS, **ATTENTION, **HEAD_NORMS},
    recurrent_tensors={
        **PRE_NORMS,
        "shortconv.conv.weight": ("width", "taps"),
        "shortconv.in_proj.weight": ("3 width", "width"),
        "shortconv.out_proj.weight": ("width", "width"),
    },
    model=norms(EMBEDDING_NORM),
    last_norm=EMBEDDING_NORM,  # despite its name, after the last layer
    model_optional={f"{DENSE}.weight": ("embedding", "width")},
    projection=DENSE,
    traits=Traits(recurrence=read, may_be_encoder=True, has_projection=True),
    dense_tensors=FEED_FORWARD,
)

LFM2MOE = LFM2._replace(
    model_optional={},
    projection="",
    traits=Traits(recurrence=read, has_experts=True, has_dense_layers=True, router=sigmoid_router),
    moe_tensors={**EXPERTS, **ROUTER_BIAS},
)
