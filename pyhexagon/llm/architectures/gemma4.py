# SPDX-License-Identifier: MIT
"""Gemma 4, text: wide heads in full-attention layers.

E2B and E4B have layers that share keys and values, and per-layer embeddings; 26B A4B has experts beside each
feed-forward network. EmbeddingGemma 2 has bidirectional attention and a matrix that makes embeddings of rows.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.gemma import root_of_width, without_logits
from pyhexagon.llm.architectures.llama import LLAMA, geglu_net
from pyhexagon.llm.architectures.tensors import (
    EXPERTS,
    HEAD_NORMS,
    POST_NORMS,
    ROPE_FACTORS,
    norms,
    without,
)
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.files.weights import LAST_NORM, OUTPUT, PER_LAYER_EMBEDDING
from pyhexagon.llm.graph.experts import experts
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.ops.flash_attn_ext import SOFTCAP_MOST
from pyhexagon.program.graph import Value


def gemma4_attention(b: Layer, h: Value) -> Value:
    """Return attention's rows for normalised rows; values are normalised too, and some layers have none."""
    q = b.rope(b.norm(b.heads(b.linear(h, "attn_q")), "attn_q_norm"))
    if not b.has_own_kv:
        return b.attention(q)
    keys = b.heads(b.linear(h, "attn_k"))
    values = b.heads(b.linear(h, "attn_v")) if b.has("attn_v.weight") else keys
    return b.attention(q, b.rope(b.norm(keys, "attn_k_norm")), b.rms_norm(values))


def _layer(b: Layer, x: Value) -> Value:
    y = b.linear(gemma4_attention(b, b.norm(x, "attn_norm")), "attn_output")
    x = b.add(x, b.norm(y, "post_attention_norm"))
    x = b.add(x, b.norm(_feed_forward(b, x), "post_ffw_norm"))
    if b.config.n_per_layer:
        own = b.p.geglu(b.linear(x, "inp_gate"), b.per_layer_embedding)
        x = b.add(x, b.norm(b.linear(own, "proj"), "post_norm"))
    return b.p.mul(x, b.vector("layer_output_scale.weight")) if b.has("layer_output_scale.weight") else x


def _feed_forward(b: Layer, x: Value) -> Value:
    y = geglu_net(b, b.norm(x, "ffn_norm"))
    if b.is_dense:
        return y
    routed = b.p.mul(b.p.scale(b.rms_norm(x), b.config.width**-0.5), b.vector("ffn_gate_inp.scale"))
    mixture = experts(b, b.norm(x, "pre_ffw_norm_2"), b.p.geglu, routed)
    return b.add(b.norm(y, "post_ffw_norm_1"), b.norm(mixture, "post_ffw_norm_2"))


def soft_cap(keys: HeaderKeys, default: float = 0.0) -> Factors:
    """Read the soft cap of logits."""
    cap = keys.value("final_logit_softcapping", default)
    if cap and not 1 <= cap <= SOFTCAP_MOST:
        keys.problems.append(f"a soft cap of {cap}: expected 1 to {SOFTCAP_MOST}")
    return Factors(logit_softcap=cap)


def _factors(keys: HeaderKeys) -> Factors:
    if "attention.sliding_window_pattern" not in keys.names:
        keys.problems.append("gemma4.attention.sliding_window_pattern is missing")
    return soft_cap(keys)


_V = "attn_v.weight"
PER_LAYER = {
    "inp_gate.weight": ("per layer", "width"),
    "proj.weight": ("width", "per layer"),
    "post_norm.weight": ("width",),
}
PER_LAYER_MODEL = {
    PER_LAYER_EMBEDDING: ("vocabulary", "per layer, all"),
    "per_layer_model_proj.weight": ("per layer, all", "width"),
    "per_layer_proj_norm.weight": ("per layer",),
}
GEMMA4 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={**without(LLAMA.tensors, _V), **HEAD_NORMS, **POST_NORMS},
    moe_tensors={
        **EXPERTS, "ffn_gate_inp.scale": ("width",), **norms("pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2"),
    },
    per_layer=(PER_LAYER_MODEL, PER_LAYER),
    optional={_V: LLAMA.tensors[_V], "layer_output_scale.weight": ("one",)},
    model={**LLAMA.model, **ROPE_FACTORS},
    traits=Traits(
        window_pattern=5, has_window_rope=True, has_window_heads=True, has_shared_kv=True,
        has_per_layer_embeddings=True, has_experts=True, may_be_dense=True, factors=_factors,
    ),
    embedding_scale=root_of_width,
    attention_scale=lambda _: 1.0,
)  # fmt: skip

# EmbeddingGemma 2, text. Per-layer embeddings are projections of the token embeddings alone: there is no table of them.
GEMMA_EMBEDDING2 = GEMMA4._replace(
    tensors={**GEMMA4.tensors, **GEMMA4.optional},
    moe_tensors={},
    per_layer=(without(PER_LAYER_MODEL, PER_LAYER_EMBEDDING), PER_LAYER),
    optional={},
    model={**norms(LAST_NORM), OUTPUT: ("embedding", "width")},
    projection="output",
    traits=Traits(
        window_pattern=6, has_window_rope=True, has_window_heads=True, has_per_layer_embeddings=True, is_encoder=True,
        has_projection=True, adapt=without_logits,
    ),
)  # fmt: skip
