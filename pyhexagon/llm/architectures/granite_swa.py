# SPDX-License-Identifier: MIT
"""Granite 4.5, dense: Granite with attention sinks, and a sliding window in most layers."""

from __future__ import annotations

from pyhexagon.llm.architectures.granite import GRANITE

GRANITE_SWA = GRANITE._replace(
    tensors={**GRANITE.tensors, "attn_sinks.weight": ("heads",)},
    traits=GRANITE.traits._replace(window_pattern=4, has_full_attention_first=True, has_rope_pattern=True),
)
