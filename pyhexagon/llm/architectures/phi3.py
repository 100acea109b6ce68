# SPDX-License-Identifier: MIT
"""Phi 3 and 4 mini: Llama's graph with fused QKV and gate-up matrices. NeoBERT: the same, with attention both ways."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import llama_layer
from pyhexagon.llm.architectures.tensors import (
    FUSED_ATTENTION,
    FUSED_FEED_FORWARD,
    LONG_ROPE_FACTORS,
    PRE_NORMS,
    norms,
)
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Architecture

PHI3 = Architecture(
    rope="neox",
    layer=llama_layer,
    tensors={**PRE_NORMS, **FUSED_ATTENTION, **FUSED_FEED_FORWARD},
    traits=Traits(adapt=lambda keys: keys.ignore("attention.sliding_window")),  # as llama.cpp does
    model_optional=LONG_ROPE_FACTORS,
)

_LAST_NORM = "enc.output_norm"
NEO_BERT = PHI3._replace(
    rope="normal",
    model=norms(_LAST_NORM),
    model_optional={},
    last_norm=_LAST_NORM,
    traits=Traits(is_encoder=True),
)
