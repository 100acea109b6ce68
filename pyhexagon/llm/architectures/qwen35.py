# SPDX-License-Identifier: MIT
"""Qwen 3.5 and 3.6, dense and mixtures of experts: gated delta nets in three layers of four, gated attention in the
fourth. Qwen 3 Next has other orders of heads in its delta nets.

The recurrent state of a delta net is a matrix per head instead of keys and values; see ``delta_net``.
"""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.llama import pre_norm_layer
from pyhexagon.llm.architectures.tensors import (
    ATTENTION,
    EXPERTS,
    FEED_FORWARD,
    HEAD_NORMS,
    SHARED_EXPERTS,
    norms,
    without,
)
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.delta_net import by_key_head, delta_net, read
from pyhexagon.llm.graph.experts import experts
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _attention(b: Layer, h: Value) -> Value:
    if b.is_recurrent:
        return _linear_attention(b, h)
    q, k, v = b.qkv(h)
    q, gate = q[:, ::2], q[:, 1::2]  # query and gate alternate by head
    y = b.attention(b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm")), v)
    return b.linear(b.p.mul(y, b.p.sigmoid(gate).reshape(y.shape)), "attn_output")


def _linear_attention(b: Layer, h: Value) -> Value:
    is_grouped = b.has("ssm_ba.weight")  # Qwen 3 Next
    if is_grouped:
        beta, alpha = by_key_head(b, b.linear(h, "ssm_ba"))
    else:
        alpha, beta = b.linear(h, "ssm_alpha"), b.linear(h, "ssm_beta")
    qkv, gate = b.linear(h, "attn_qkv"), b.linear(h, "attn_gate")
    decay = b.p.mul(b.p.softplus(b.add(alpha, b.vector("ssm_dt.bias"))), b.vector("ssm_a"))
    y = b.norm(delta_net(b, qkv, decay, b.p.sigmoid(beta), is_grouped=is_grouped), "ssm_norm")
    return b.linear(b.p.swiglu(gate.reshape(y.shape), y).reshape(gate.shape), "ssm_out")


def _net(b: Layer, h: Value) -> Value:
    if b.is_dense:
        return b.feed_forward(h)
    gate = b.p.sigmoid(b.p.sum_rows(b.p.mul(h, b.vector("ffn_gate_inp_shexp.weight"))))
    return b.add(experts(b, h, b.p.swiglu), b.p.mul(b.feed_forward(h, "_shexp"), gate))


_NORMS = norms("attn_norm", "post_attention_norm")

_MTP = {
    "nextn.eh_proj.weight": ("width", "2 width"),
    **norms("nextn.enorm", "nextn.hnorm"),
}
_MTP_OPTIONAL = {
    "nextn.embed_tokens.weight": ("vocabulary", "width"),
    "nextn.shared_head_head.weight": ("vocabulary", "width"),
    "nextn.shared_head_norm.weight": ("width",),
}

QWEN35 = Architecture(
    rope="neox",
    layer=partial(pre_norm_layer, attention=_attention, net=_net, second_norm="post_attention_norm"),
    tensors={
        **_NORMS,
        **ATTENTION,
        "attn_q.weight": ("2 q", "width"),  # with gates
        **HEAD_NORMS,
    },
    recurrent_tensors={
        **_NORMS,
        "attn_qkv.weight": ("channels", "width"),
        "attn_gate.weight": ("values", "width"),
        "ssm_conv1d.weight": ("channels", "taps"),
        "ssm_alpha.weight": ("value heads", "width"),
        "ssm_dt.bias": ("value heads",),
        "ssm_a": ("value heads",),
        "ssm_beta.weight": ("value heads", "width"),
        "ssm_norm.weight": ("state",),
        "ssm_out.weight": ("width", "values"),
    },
    dense_tensors=FEED_FORWARD,
    mtp=(_MTP, _MTP_OPTIONAL),
    traits=Traits(recurrence=read, has_mrope=True, has_mtp=True, image_rope="interleaved"),
)

QWEN35MOE = QWEN35._replace(
    moe_tensors={**EXPERTS, **SHARED_EXPERTS, "ffn_gate_inp_shexp.weight": ("width",)},
    traits=QWEN35.traits._replace(has_experts=True, has_shared_experts=True),
)

QWEN3NEXT = QWEN35MOE._replace(
    mtp=({}, {}),
    recurrent_tensors={
        **without(QWEN35MOE.recurrent_tensors, "ssm_alpha.", "ssm_beta."),
        "ssm_ba.weight": ("2 value heads", "width"),
    },
    traits=QWEN35MOE.traits._replace(has_mrope=False, image_rope=None),
)
