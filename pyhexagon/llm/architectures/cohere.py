# SPDX-License-Identifier: MIT
"""Command R and Command A (Cohere 2): attention and feed-forward network side by side on one layer norm.

Three layers of four of Cohere 2 have a sliding window, and only these have RoPE.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.tensors import ATTENTION, FEED_FORWARD, norms
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def _layer(b: Layer, x: Value) -> Value:
    h = b.norm(x, "attn_norm")
    return b.add(b.add(x, b.self_attention(h, has_rope=b.is_local)), b.feed_forward(h))


COMMAND_R = Architecture(
    rope="normal",
    layer=_layer,
    tensors={**norms("attn_norm"), **ATTENTION, **FEED_FORWARD},
    traits=Traits(has_layer_norms=True, factors=lambda keys: Factors(logits=keys.value("logit_scale", 0.0) or 1.0)),
)
COHERE2 = COMMAND_R._replace(traits=COMMAND_R.traits._replace(window_pattern=4))
