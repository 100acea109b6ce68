# SPDX-License-Identifier: MIT
"""Apertus: norms of each head's query and key, and a feed-forward network with xIELU instead of a gate."""

from __future__ import annotations

from math import exp, inf, log1p

from pyhexagon.llm.architectures.arcee import ARCEE
from pyhexagon.llm.architectures.llama import HEAD_NORMS
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    q, k = b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm"))
    x = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    return b.add(x, b.linear(_xielu(b, b.linear(b.norm(x, "ffn_norm"), "ffn_up")), "ffn_down"))


def _xielu(b: Layer, x: Value) -> Value:
    """Return ``beta * x`` plus ``alpha_p * x**2`` where x is positive, ``alpha_n * (exp(x) - 1 - x)`` where not."""
    p, (alpha_n, alpha_p, beta) = b.p, b.config.factors.xielu[b.index]
    negative = p.clamp(x, -inf, 0.0)
    curved = p.sub(p.scale(p.exp(negative), alpha_n, -alpha_n), p.scale(negative, alpha_n))
    squared = p.scale(p.sqr(p.clamp(x, 0.0, inf)), alpha_p)
    return p.add(p.scale(x, beta), p.add(squared, curved))


def _softplus(x: float) -> float:
    return max(x, 0.0) + log1p(exp(-abs(x)))


def _factors(keys: HeaderKeys) -> Factors:
    """Read xIELU's numbers; files have the inverse softplus of alpha_p, and of alpha_n - beta."""
    n_layers = keys.count("block_count")
    raw = (keys.without_prefix(f"xielu.{name}", n_layers) for name in ("alpha_n", "alpha_p", "beta"))
    return Factors(xielu=tuple((beta + _softplus(n), _softplus(p), beta) for n, p, beta in zip(*raw, strict=True)))


APERTUS = ARCEE._replace(
    rope="neox",
    layer=_layer,
    tensors={**ARCEE.tensors, **HEAD_NORMS},
    traits=Traits(factors=_factors),
)
