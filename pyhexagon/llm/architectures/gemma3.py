# SPDX-License-Identifier: MIT
"""Gemma 3: four norms per layer, norms of each head's query and key, GEGLU, and a window in five layers of six."""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.llama import HEAD_NORMS, LLAMA, POST_NORMS
from pyhexagon.llm.files.config import Config, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value

_LAYERS_OF_27B = 62
_STRETCHED = 34, 48, _LAYERS_OF_27B  # layers of 4B, 12B and 27B, whose context is stretched
_OF_IMAGES = "v.", "mm."  # image tensors in Ollama's files


def gemma_layer(b: Layer, x: Value) -> Value:
    """Return a layer's output; with norms of each head's query and key, if the file has them."""
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    if b.has("attn_q_norm.weight"):
        q, k = b.norm(q, "attn_q_norm"), b.norm(k, "attn_k_norm")
    y = b.linear(b.attention(b.rope(q), b.rope(k), v), "attn_output")
    x = b.add(x, b.norm(y, "post_attention_norm"))
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


def gemma_scale(config: Config, n_layers_of_27b: int) -> float:
    """Return the attention scale, which differs in the 27B model, and no key says so."""
    per_head = config.width / config.n_heads[0]
    return float(per_head**-0.5) if config.n_layers == n_layers_of_27b else config.scale


GEMMA3 = Architecture(
    rope="neox",
    layer=gemma_layer,
    tensors={**LLAMA.tensors, **HEAD_NORMS, **POST_NORMS},
    traits=Traits(window_pattern=6, has_window_rope=True, adapt=_of_ollama),
    ignored=_OF_IMAGES,
    embedding_scale=lambda config: float(config.width**0.5),
    attention_scale=partial(gemma_scale, n_layers_of_27b=_LAYERS_OF_27B),
)
