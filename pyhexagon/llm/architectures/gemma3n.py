# SPDX-License-Identifier: MIT
"""Gemma 3n E2B and E4B, text: Gemma 4's per-layer embeddings and shared keys and values, a residual of several streams,
a branch of low rank beside attention, and sparse feed-forward nets in the first layers.
"""

from __future__ import annotations

from math import inf, isfinite

from pyhexagon.llm.architectures.gemma import root_of_width
from pyhexagon.llm.architectures.gemma4 import PER_LAYER, PER_LAYER_MODEL, gemma4_attention, soft_cap
from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.architectures.tensors import HEAD_NORMS, POST_NORMS
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.files.weights import N_STREAMS
from pyhexagon.llm.graph.altup import correct, merge, predict, spread
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value

_SOFT_CAP = 30.0  # files of 2025 do not say it


def _layer(b: Layer, streams: Value) -> Value:
    predicted = predict(b, streams)
    x = predicted[0]
    h = b.norm(x, "attn_norm")
    low_rank = b.add(b.norm(b.linear(b.linear(h, "laurel_l"), "laurel_r"), "laurel_post_norm"), h)
    y = b.norm(b.linear(gemma4_attention(b, h), "attn_output"), "post_attention_norm")
    x = b.p.scale(b.add(b.add(x, y), low_rank), 2**-0.5)
    h = b.norm(x, "ffn_norm")
    gate = _sparse(b, b.linear(h, "ffn_gate"))
    h = b.linear(b.p.geglu(gate, b.linear(h, "ffn_up")), "ffn_down")
    corrected = correct(b, predicted, b.add(x, b.norm(h, "post_ffw_norm")))
    first = b.linear(b.p.mul(corrected[0], b.vector("altup_correct_scale.weight")), "inp_gate")
    own = b.norm(b.linear(b.p.geglu(first, b.per_layer_embedding), "proj"), "post_norm")
    return b.p.concat([corrected[:1], b.add(corrected[1:], own)], axis=0)


def _sparse(b: Layer, gate: Value) -> Value:
    """Return by how much elements are more than some standard deviations above a row's mean, else 0."""
    n_deviations = b.config.factors.sparsity[b.index]
    if n_deviations == -inf:
        return gate
    p = b.p
    centred = p.sub(gate, p.mean(gate))
    deviation = p.sqrt(p.scale(p.sum_rows(p.sqr(centred)), 1 / (gate.shape[-1] - 1)))
    return p.clamp(p.sub(centred, p.scale(deviation, n_deviations)), 0.0, inf)


def _adapt(keys: HeaderKeys) -> None:
    """Accept a float as the number of layers that share keys and values, as files of 2025 have it."""
    n_shared = keys.value("attention.shared_kv_layers", 0.0)
    if n_shared.is_integer():
        keys.ignore("attention.shared_kv_layers")
        keys.supply("attention.shared_kv_layers", int(n_shared))


def _factors(keys: HeaderKeys) -> Factors:
    for name, only in (("altup.num_inputs", N_STREAMS), ("altup.active_idx", 0)):
        if keys.count(name, only, least=0) != only:
            keys.problems.append(f"gemma3n.{name} is not {only}")
    sparsity = keys.numbers("activation_sparsity_scale", keys.count("block_count"))
    if not all(isfinite(share) or share == -inf for share in sparsity):
        keys.problems.append("gemma3n.activation_sparsity_scale has NaN or infinity")
    return soft_cap(keys, _SOFT_CAP)._replace(sparsity=sparsity)


GEMMA3N = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        **LLAMA.tensors, **HEAD_NORMS, **POST_NORMS, **PER_LAYER,
        "laurel_l.weight": ("laurel", "width"),
        "laurel_r.weight": ("width", "laurel"),
        "laurel_post_norm.weight": ("width",),
        "altup_router.weight": ("streams", "width"),
        "altup_router_norm.weight": ("width",),
        "altup_predict_coef.weight": ("streams, squared", "streams"),
        "altup_correct_coef.weight": ("streams", "streams"),
        "altup_correct_scale.weight": ("width",),
    },
    model={
        **LLAMA.model, **PER_LAYER_MODEL,
        "altup_proj.weight": ("other streams", "width", "width"),
        "altup_unembd_proj.weight": ("other streams", "width", "width"),
    },
    streams=(spread, merge),
    traits=Traits(
        window_pattern=5, has_window_rope=True, has_shared_kv=True, has_per_layer_embeddings=True, adapt=_adapt,
        factors=_factors,
    ),
    embedding_scale=root_of_width,
    attention_scale=lambda _: 1.0,
)  # fmt: skip
