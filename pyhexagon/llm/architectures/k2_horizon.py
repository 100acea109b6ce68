# SPDX-License-Identifier: MIT
"""K2-Horizon, dense: Llama with norms of groups of elements; files may have a gate on the result of attention."""

from __future__ import annotations

from math import log

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    y = b.attention(b.rope(q), b.rope(k), v)
    if b.has("attn_gate.weight"):  # log2(1 + 2**gate)
        gate = b.softplus(b.scale(b.linear(h, "attn_gate"), log(2)))
        y = b.mul(y, b.scale(gate, 1 / log(2)))
    x = b.add(x, b.linear(y, "attn_output"))
    return b.add(x, b.feed_forward(b.norm(x, "ffn_norm")))


def _factors(keys: HeaderKeys) -> Factors:
    n_groups, width = keys.count("attention.group_norm_groups", 1), keys.count("embedding_length")
    if width % n_groups:
        keys.problems.append(f"norms have {n_groups} groups, which do not divide the {width} elements of a row")
    return Factors(norm_groups=n_groups)


K2_HORIZON = LLAMA._replace(
    rope="neox",
    layer=_layer,
    optional={"attn_gate.weight": ("q", "width")},
    model_optional={},
    traits=Traits(factors=_factors),
)
