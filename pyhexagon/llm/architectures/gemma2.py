# SPDX-License-Identifier: MIT
"""Gemma 2: Gemma 3's graph without norms of queries and keys, with soft caps, and a window in every second layer."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.config import Config, Factors, Traits
from pyhexagon.llm.header_keys import HeaderKeys
from pyhexagon.llm.layer import Architecture, Layer
from pyhexagon.ops.flash_attn_ext import SOFTCAP_MOST
from pyhexagon.program.graph import Value

_LAYERS_OF_27B = 46  # its attention scale differs, and no key says so


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    y = b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output")
    x = b.add(x, b.norm(y, "post_attention_norm"))
    h = b.norm(x, "ffn_norm")
    h = b.linear(b.geglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up")), "ffn_down")
    return b.add(x, b.norm(h, "post_ffw_norm"))


def _soft_caps(keys: HeaderKeys) -> Factors:
    of_scores, of_logits = keys.value("attn_logit_softcapping", 50.0), keys.value("final_logit_softcapping", 30.0)
    if not 1 <= min(of_scores, of_logits) <= max(of_scores, of_logits) <= SOFTCAP_MOST:
        keys.problems.append(f"soft caps of {of_scores} and {of_logits}: expected 1 to {SOFTCAP_MOST}")
    return Factors(attention_softcap=of_scores, logit_softcap=of_logits)


def _scale(config: Config) -> float:
    per_head = config.width / config.n_heads[0]
    return float(per_head**-0.5) if config.n_layers == _LAYERS_OF_27B else config.scale


GEMMA2 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        **LLAMA.tensors,
        "post_attention_norm.weight": ("width",),
        "post_ffw_norm.weight": ("width",),
    },
    traits=Traits(window_pattern=2, factors=_soft_caps),
    embedding_scale=lambda config: float(config.width**0.5),
    attention_scale=_scale,
)
