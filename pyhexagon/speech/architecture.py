# SPDX-License-Identifier: MIT
"""Whisper's decoder as an architecture of the engine: pre-norms, learned positions, and cross-attention."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.files.config import Config, EncoderConfig, ExpertRouter, Factors, Rope, Traits
from pyhexagon.llm.files.weights import LAST_NORM, POSITION_EMBEDDING
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value
from pyhexagon.speech.hyper_parameters import HyperParameters

EPS: Final = 1e-5


def _layer(b: Layer, x: Value) -> Value:
    q, k, v = b.qkv(b.norm(x, "attn_norm"))
    x = b.add(x, b.linear(b.attention(q, k, v), "attn_output"))
    q = b.heads(b.linear(b.norm(x, "cross_attn_norm"), "cross_attn_q"))
    x = b.add(x, b.linear(b.cross_attention(q), "cross_attn_output"))
    up = b.linear(b.norm(x, "ffn_norm"), "ffn_up")
    return b.add(x, b.linear(b.p.gelu(up), "ffn_down"))


WHISPER: Final = Architecture(
    rope="normal",  # not used
    layer=_layer,
    tensors={},  # ``WhisperFile`` checks them
    model={
        f"{LAST_NORM}.weight": ("width",),
        f"{LAST_NORM}.bias": ("width",),
        POSITION_EMBEDDING: ("context", "width"),
    },
    traits=Traits(has_layer_norms=True),
)


def config_of(sizes: HyperParameters) -> Config:
    """Return the configuration of a model's decoder, and of its encoder."""
    n_layers, n_heads, width = sizes.n_text_layer, sizes.n_text_head, sizes.n_text_state
    head_size = width // n_heads
    return Config(
        architecture="whisper",
        n_ctx=sizes.n_text_ctx,
        width=width,
        n_layers=n_layers,
        n_heads=(n_heads,) * n_layers,
        n_kv_heads=(n_heads,) * n_layers,
        n_ffn=(4 * width,) * n_layers,
        n_experts=0,
        n_experts_used=0,
        n_expert_ffn=0,
        n_shared_ffn=0,
        dense=(True,) * n_layers,
        router=ExpertRouter(),
        head_size=head_size,
        head_size_window=head_size,
        eps=EPS,
        pooling=None,
        scale=head_size**-0.5,
        temperature_scale=0.0,
        window=0,
        windowed=(False,) * n_layers,
        rope=Rope(head_size, head_size, 10000.0, 10000.0, 1.0, 1.0, 0.0, 1.0, 32.0, 1.0, sizes.n_text_ctx),
        factors=Factors(),
        has_rope=False,
        encoder=EncoderConfig(sizes.n_audio_ctx, sizes.n_audio_layer, sizes.n_audio_head, sizes.n_mels),
        has_learned_positions=True,
    )
