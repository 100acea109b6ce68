# SPDX-License-Identifier: MIT
"""The shapes of tensors that layers of several architectures have."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.files.weights import LAST_NORM, Shapes


def norms(*names: str) -> Shapes:
    """Return the weights of norms of rows."""
    return {f"{name}.weight": ("width",) for name in names}


def layer_norms(*names: str) -> Shapes:
    """Return the weights and biases of norms of rows."""
    return {f"{name}.{end}": ("width",) for name in names for end in ("weight", "bias")}


def biases(matrices: Shapes) -> Shapes:
    """Return the biases of matrices, or of matrices of each expert."""
    return {f"{name.removesuffix('weight')}bias": shape[:-1] for name, shape in matrices.items()}


def without(shapes: Shapes, *prefixes: str) -> Shapes:
    """Return the shapes of tensors whose names do not begin with a prefix."""
    return {name: shape for name, shape in shapes.items() if not name.startswith(prefixes)}


QKV: Final[Shapes] = {
    "attn_q.weight": ("q", "width"),
    "attn_k.weight": ("kv", "width"),
    "attn_v.weight": ("kv", "width"),
}
ATTENTION: Final[Shapes] = {**QKV, "attn_output.weight": ("width", "q")}
FUSED_ATTENTION: Final[Shapes] = {"attn_qkv.weight": ("qkv", "width"), "attn_output.weight": ("width", "q")}
HEAD_NORMS: Final[Shapes] = {"attn_q_norm.weight": ("head",), "attn_k_norm.weight": ("head",)}

UNGATED: Final[Shapes] = {"ffn_up.weight": ("ffn", "width"), "ffn_down.weight": ("width", "ffn")}
FEED_FORWARD: Final[Shapes] = {"ffn_gate.weight": ("ffn", "width"), **UNGATED}
FUSED_FEED_FORWARD: Final[Shapes] = {"ffn_up.weight": ("2 ffn", "width"), "ffn_down.weight": ("width", "ffn")}

EXPERTS: Final[Shapes] = {
    "ffn_gate_inp.weight": ("experts", "width"),
    "ffn_gate_exps.weight": ("experts", "expert ffn", "width"),
    "ffn_up_exps.weight": ("experts", "expert ffn", "width"),
    "ffn_down_exps.weight": ("experts", "width", "expert ffn"),
}
SHARED_EXPERTS: Final[Shapes] = {
    "ffn_gate_shexp.weight": ("shared ffn", "width"),
    "ffn_up_shexp.weight": ("shared ffn", "width"),
    "ffn_down_shexp.weight": ("width", "shared ffn"),
}
ROUTER_BIAS: Final[Shapes] = {"exp_probs_b.bias": ("experts",)}

PRE_NORMS: Final = norms("attn_norm", "ffn_norm")
POST_NORMS: Final = norms("post_attention_norm", "post_ffw_norm")
LAST_LAYER_NORM: Final = layer_norms(LAST_NORM)
ROPE_FACTORS: Final[Shapes] = {"rope_freqs.weight": ("pairs",)}
LONG_ROPE_FACTORS: Final[Shapes] = {
    "rope_factors_long.weight": ("pairs",), "rope_factors_short.weight": ("pairs",),
}  # fmt: skip
