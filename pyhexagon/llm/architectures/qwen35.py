# SPDX-License-Identifier: MIT
"""Qwen 3.5 and 3.6, dense and mixtures of experts: gated delta nets in three layers of four, gated attention in the
fourth.

The recurrent state of a delta net is a matrix per head instead of keys and values; see ``delta_net``.
"""

from __future__ import annotations

from collections.abc import Callable

from pyhexagon.llm.architectures.llama import FEED_FORWARD, HEAD_NORMS
from pyhexagon.llm.architectures.qwen3moe import EXPERTS, SHARED_EXPERTS
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.delta_net import delta_net, read
from pyhexagon.llm.graph.experts import experts
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _gates(b: Layer, h: Value) -> tuple[Value, Value]:
    """Return the inputs of the delta net's decay and update, (M, value heads) each."""
    return b.linear(h, "ssm_alpha"), b.linear(h, "ssm_beta")


def qwen35_layer(
    b: Layer, x: Value, gates: Callable[[Layer, Value], tuple[Value, Value]] = _gates, *, is_grouped: bool = False
) -> Value:
    """Return a layer's output.

    Args:
        b: the layer.
        x: its input.
        gates: returns the inputs of the delta net's decay and update.
        is_grouped: see ``delta_net``.
    """
    h = b.norm(x, "attn_norm")
    x = b.add(x, _linear_attention(b, h, *gates(b, h), is_grouped=is_grouped) if b.is_recurrent else _attention(b, h))
    h = b.norm(x, "post_attention_norm")
    return b.add(x, b.feed_forward(h) if b.is_dense else _experts(b, h))


def _attention(b: Layer, h: Value) -> Value:
    q, k, v = b.qkv(h)
    q, gate = q[:, ::2], q[:, 1::2]  # query and gate alternate by head
    y = b.attention(b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm")), v)
    return b.linear(b.mul(y, b.sigmoid(gate).reshape(y.shape)), "attn_output")


def _linear_attention(b: Layer, h: Value, alpha: Value, beta: Value, *, is_grouped: bool) -> Value:
    qkv, gate = b.linear(h, "attn_qkv"), b.linear(h, "attn_gate")
    decay = b.mul(b.softplus(b.add(alpha, b.vector("ssm_dt.bias"))), b.vector("ssm_a"))
    y = b.norm(delta_net(b, qkv, decay, b.sigmoid(beta), is_grouped=is_grouped), "ssm_norm")
    return b.linear(b.swiglu(gate.reshape(y.shape), y).reshape(gate.shape), "ssm_out")


def _experts(b: Layer, h: Value) -> Value:
    gate = b.sigmoid(b.dot(h, b.vector("ffn_gate_inp_shexp.weight")))
    return b.add(experts(b, h, b.swiglu), b.mul(b.feed_forward(h, "_shexp"), gate))


_NORMS = {"attn_norm.weight": ("width",), "post_attention_norm.weight": ("width",)}

_MTP = {
    "nextn.eh_proj.weight": ("width", "2 width"),
    "nextn.enorm.weight": ("width",),
    "nextn.hnorm.weight": ("width",),
}
_MTP_OPTIONAL = {
    "nextn.embed_tokens.weight": ("vocabulary", "width"),
    "nextn.shared_head_head.weight": ("vocabulary", "width"),
    "nextn.shared_head_norm.weight": ("width",),
}

QWEN35 = Architecture(
    rope="neox",
    layer=qwen35_layer,
    tensors={
        **_NORMS,
        "attn_q.weight": ("2 q", "width"),
        "attn_k.weight": ("kv", "width"),
        "attn_v.weight": ("kv", "width"),
        **HEAD_NORMS,
        "attn_output.weight": ("width", "q"),
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
