# SPDX-License-Identifier: MIT
"""Gemma 3: four norms per layer, norms of each head's query and key, GEGLU, and a window in five layers of six."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.config import Config, Traits
from pyhexagon.llm.header_keys import HeaderKeys
from pyhexagon.llm.layer import Architecture, Layer
from pyhexagon.program.graph import Value

_LAYERS_OF_27B = 62  # its attention scale differs, and no key says so
_STRETCHED = 34, 48, _LAYERS_OF_27B  # layers of 4B, 12B and 27B, whose context is stretched
_OF_IMAGES = "v.", "mm."  # image tensors in Ollama's files


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    q, k, v = b.qkv(h)
    q, k = b.rope(b.norm(q, "attn_q_norm")), b.rope(b.norm(k, "attn_k_norm"))
    x = b.add(x, b.norm(b.linear(b.attention(q, k, v), "attn_output"), "post_attention_norm"))
    h = b.norm(x, "ffn_norm")
    h = b.linear(b.geglu(b.linear(h, "ffn_gate"), b.linear(h, "ffn_up")), "ffn_down")
    return b.add(x, b.norm(h, "post_ffw_norm"))


def _of_ollama(keys: HeaderKeys) -> None:
    """Adapt Ollama's files, which have image keys and other names, and leave out what its own engine knows.

    Some have a soft cap of logits, which no Gemma 3 has.
    """
    if not any(name.startswith(("vision.", "mm.", "rope.global.", "rope.local.")) for name in keys.names):
        return
    keys.ignore("vision.", "mm.", "final_logit_softcapping")
    keys.rename("rope.global.freq_base", "rope.freq_base")
    keys.rename("rope.local.freq_base", "rope.freq_base_swa")
    keys.supply("rope.freq_base", 1e6)
    keys.supply("attention.layer_norm_rms_epsilon", 1e-6)
    if keys.value("block_count", 0) in _STRETCHED:
        keys.supply("rope.scaling.factor", 8.0)


def _scale(config: Config) -> float:
    per_head = config.width / config.n_heads[0]
    return float(per_head**-0.5) if config.n_layers == _LAYERS_OF_27B else config.scale


GEMMA3 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={
        **LLAMA.tensors,
        "attn_q_norm.weight": ("head",),
        "attn_k_norm.weight": ("head",),
        "post_attention_norm.weight": ("width",),
        "post_ffw_norm.weight": ("width",),
    },
    traits=Traits(window_pattern=6, has_window_rope=True, adapt=_of_ollama),
    ignored=_OF_IMAGES,
    embedding_scale=lambda config: float(config.width**0.5),
    attention_scale=_scale,
)
