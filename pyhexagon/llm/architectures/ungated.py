# SPDX-License-Identifier: MIT
"""Feed-forward networks without a gate: StarCoder 2, Phi 2, AFM-4.5B (Arcee), Nemotron and Apertus."""

from __future__ import annotations

from functools import partial
from math import exp, inf, log1p

from pyhexagon.llm.architectures.llama import LLAMA, pre_norm_layer
from pyhexagon.llm.architectures.tensors import (
    ATTENTION,
    HEAD_NORMS,
    LAST_LAYER_NORM,
    PRE_NORMS,
    UNGATED,
    biases,
    layer_norms,
    without,
)
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.files.weights import OUTPUT_BIAS
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def gelu_net(b: Layer, h: Value) -> Value:
    """Return the feed-forward network with GELU of rows: (M, K) to (M, K)."""
    return b.linear(b.p.gelu(b.linear(h, "ffn_up")), "ffn_down")


# StarCoder 2: layer norms, and biases everywhere.
STARCODER2 = Architecture(
    rope="neox",
    layer=partial(pre_norm_layer, net=gelu_net),
    tensors={
        **layer_norms("attn_norm", "ffn_norm"), **ATTENTION, **biases(ATTENTION), **UNGATED, **biases(UNGATED),
    },
    model=LAST_LAYER_NORM,
    traits=Traits(has_layer_norms=True),
)  # fmt: skip


def _phi2_layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    return b.add(x, b.add(b.self_attention(h), gelu_net(b, h)))


# Phi 1, 1.5 and 2: attention and feed-forward network side by side on one norm.
PHI2 = STARCODER2._replace(
    layer=_phi2_layer,
    tensors=without(STARCODER2.tensors, "ffn_norm."),
    model={**LAST_LAYER_NORM, OUTPUT_BIAS: ("vocabulary",)},
)


def squared_relu_net(b: Layer, h: Value) -> Value:
    """Return the feed-forward network with squared ReLU of rows: (M, K) to (M, K)."""
    return b.linear(b.p.sqr(b.p.clamp(b.linear(h, "ffn_up"), 0.0, inf)), "ffn_down")


ARCEE = LLAMA._replace(
    layer=partial(pre_norm_layer, net=squared_relu_net), tensors={**PRE_NORMS, **ATTENTION, **UNGATED}, optional={}
)

# Nemotron 3 and 4 (Minitron): layer norms.
NEMOTRON = ARCEE._replace(
    rope="neox",
    tensors={**ARCEE.tensors, **layer_norms("attn_norm", "ffn_norm")},
    optional=without(LLAMA.optional, "ffn_gate."),
    model=LAST_LAYER_NORM,
    model_optional={},
    traits=Traits(has_layer_norms=True),
)


def _xielu(b: Layer, x: Value) -> Value:
    """Return ``beta * x`` plus ``alpha_p * x**2`` where x is positive, ``alpha_n * (exp(x) - 1 - x)`` where not."""
    p, (alpha_n, alpha_p, beta) = b.p, b.config.factors.xielu[b.index]
    negative = p.clamp(x, -inf, 0.0)
    curved = p.sub(p.scale(p.exp(negative), alpha_n, -alpha_n), p.scale(negative, alpha_n))
    squared = p.scale(p.sqr(p.clamp(x, 0.0, inf)), alpha_p)
    return p.add(p.scale(x, beta), p.add(squared, curved))


def _softplus(x: float) -> float:
    return max(x, 0.0) + log1p(exp(-abs(x)))


def _apertus_factors(keys: HeaderKeys) -> Factors:
    """Read xIELU's numbers; files have the inverse softplus of alpha_p, and of alpha_n - beta."""
    n_layers = keys.count("block_count")
    raw = (keys.without_prefix(f"xielu.{name}", n_layers) for name in ("alpha_n", "alpha_p", "beta"))
    return Factors(xielu=tuple((beta + _softplus(n), _softplus(p), beta) for n, p, beta in zip(*raw, strict=True)))


# Apertus: norms of each head's query and key, and xIELU.
APERTUS = ARCEE._replace(
    rope="neox",
    layer=partial(pre_norm_layer, net=lambda b, h: b.linear(_xielu(b, b.linear(h, "ffn_up")), "ffn_down")),
    tensors={**ARCEE.tensors, **HEAD_NORMS},
    traits=Traits(factors=_apertus_factors),
)
