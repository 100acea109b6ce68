# SPDX-License-Identifier: MIT
"""Mixtures of experts: ERNIE 4.5, GLM 4.5 and 4.6, Ling and Ring 2.0, Phi 3.5 MoE, OLMoE, gpt-oss and SmallThinker.

Those of Qwen, Granite, LFM2, DeepSeek and Gemma are with their dense models.
"""

from __future__ import annotations

from functools import partial
from math import inf

from pyhexagon.llm.architectures.llama import LLAMA, pre_norm_layer
from pyhexagon.llm.architectures.post_norms import ROW_NORMS, attention_with_row_norms
from pyhexagon.llm.architectures.tensors import (
    ATTENTION,
    EXPERTS,
    FEED_FORWARD,
    FUSED_ATTENTION,
    HEAD_NORMS,
    LAST_LAYER_NORM,
    LONG_ROPE_FACTORS,
    PRE_NORMS,
    QKV,
    ROUTER_BIAS,
    SHARED_EXPERTS,
    biases,
    layer_norms,
    norms,
)
from pyhexagon.llm.files.config import ExpertRouter, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.files.weights import OUTPUT_BIAS
from pyhexagon.llm.graph.experts import SIGMOID, experts, router_of_keys
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _adapt_width(keys: HeaderKeys) -> None:
    keys.rename("feed_forward_length", "expert_feed_forward_length")


# The first layers have no experts.
ERNIE4_5_MOE = LLAMA._replace(
    tensors={**PRE_NORMS, **ATTENTION},
    dense_tensors=FEED_FORWARD,
    moe_tensors={**EXPERTS, **SHARED_EXPERTS},
    optional=ROUTER_BIAS,
    model_optional={},
    traits=Traits(has_experts=True, has_dense_layers=True, has_shared_experts=True),
)

# GLM 4.5 and 4.6: the first layers have no experts, and RoPE is on half a head.
GLM4MOE = Architecture(
    rope="neox",
    layer=partial(pre_norm_layer, second_norm="post_attention_norm"),
    tensors={**norms("attn_norm", "post_attention_norm"), **ATTENTION},
    dense_tensors=FEED_FORWARD,
    moe_tensors={**EXPERTS, **SHARED_EXPERTS, **ROUTER_BIAS},
    optional={**biases(QKV), **HEAD_NORMS},
    traits=Traits(
        has_experts=True,
        has_dense_layers=True,
        has_shared_experts=True,
        has_mtp=True,
        router=partial(router_of_keys, default=SIGMOID),
    ),
)

# Ling and Ring 2.0: like GLM 4.5, with experts from groups.
BAILINGMOE2 = GLM4MOE._replace(
    layer=pre_norm_layer,
    tensors={**PRE_NORMS, **FUSED_ATTENTION, **HEAD_NORMS},
    moe_tensors={**EXPERTS, **SHARED_EXPERTS},
    optional=ROUTER_BIAS,
)

# Phi 3.5 MoE: norms have biases, and are RMS norms as in llama.cpp.
PHIMOE = Architecture(
    rope="neox",
    layer=pre_norm_layer,
    tensors={**layer_norms("attn_norm", "ffn_norm"), **ATTENTION, "attn_output.bias": ("width",), **EXPERTS},
    optional=biases(QKV),
    model={**LAST_LAYER_NORM, OUTPUT_BIAS: ("vocabulary",)},
    model_optional=LONG_ROPE_FACTORS,
    traits=Traits(has_experts=True, adapt=_adapt_width),
)


# OLMoE: experts' shares are not normalised, and norms are of all queries and all keys of a row at once.
OLMOE = Architecture(
    rope="neox",
    layer=partial(pre_norm_layer, attention=attention_with_row_norms),
    tensors={**PRE_NORMS, **ATTENTION, **ROW_NORMS, **EXPERTS},
    traits=Traits(has_experts=True, router=lambda _: ExpertRouter(is_normalized=False), adapt=_adapt_width),
)


# gpt-oss: biases everywhere, sinks, YaRN, and a window in every second layer.
GPT_OSS = Architecture(
    rope="neox",
    layer=partial(
        pre_norm_layer, net=lambda b, h: experts(b, h, b.p.swiglu_oai), second_norm="post_attention_norm"
    ),
    tensors={
        **norms("attn_norm", "post_attention_norm"), **ATTENTION, **biases(ATTENTION), "attn_sinks.weight": ("heads",),
        **EXPERTS, **biases(EXPERTS),
    },
    traits=Traits(window_pattern=2, has_experts=True),
)  # fmt: skip


def _smallthinker_layer(b: Layer, x: Value) -> Value:
    def relu_gated(gate: Value, up: Value) -> Value:
        return b.p.mul(b.p.clamp(gate, 0.0, inf), up)

    attended = b.add(x, b.self_attention(b.norm(x, "attn_norm"), has_rope=b.is_local))
    return b.add(attended, experts(b, b.norm(attended, "ffn_norm"), relu_gated, routed=x))


# SmallThinker: experts with ReLU gates, which a router chooses by the input of attention. Three layers of four of the
# 21B model have a sliding window, and only these have RoPE.
SMALLTHINKER = Architecture(
    rope="neox",
    layer=_smallthinker_layer,
    tensors={**PRE_NORMS, **ATTENTION, **EXPERTS},
    traits=Traits(
        window_pattern=4,
        has_full_attention_first=True,
        has_experts=True,
        router=lambda keys: router_of_keys(keys)._replace(is_normalized=True),
    ),
)
