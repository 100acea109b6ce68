# SPDX-License-Identifier: MIT
"""Stable LM 2 1.6B: Llama's graph with layer norms, and RoPE on a quarter of a head."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.files.config import Traits

STABLELM = LLAMA._replace(
    rope="neox",
    tensors={**LLAMA.tensors, "attn_norm.bias": ("width",), "ffn_norm.bias": ("width",)},
    optional={"attn_q.bias": ("q",), "attn_k.bias": ("kv",), "attn_v.bias": ("kv",)},
    model={"output_norm.weight": ("width",), "output_norm.bias": ("width",)},
    model_optional={},
    traits=Traits(has_layer_norms=True),
)
