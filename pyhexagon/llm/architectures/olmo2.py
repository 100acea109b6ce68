# SPDX-License-Identifier: MIT
"""OLMo 2 and 3: norms after attention and feed-forward network, and of all queries and all keys of a row at once.

Three layers of four of OLMo 3 have a sliding window, and there the context is not stretched.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import ATTENTION, FEED_FORWARD, POST_NORMS
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value


def attention_with_row_norms(b: Layer, x: Value) -> Value:
    """Return attention's rows (M, K) for rows (M, K)."""
    q, k = (b.heads(b.norm(b.linear(x, f"attn_{name}"), f"attn_{name}_norm")) for name in ("q", "k"))
    return b.linear(b.attention(b.rope(q), b.rope(k), b.heads(b.linear(x, "attn_v"))), "attn_output")


def _layer(b: Layer, x: Value) -> Value:
    x = b.add(x, b.norm(attention_with_row_norms(b, x), "post_attention_norm"))
    return b.add(x, b.norm(b.feed_forward(x), "post_ffw_norm"))


ROW_NORMS = {"attn_q_norm.weight": ("q",), "attn_k_norm.weight": ("kv",)}
OLMO2 = Architecture(
    rope="neox",
    layer=_layer,
    tensors={**ATTENTION, **ROW_NORMS, **FEED_FORWARD, **POST_NORMS},
    traits=Traits(window_pattern=4, has_window_rope=True, window_freq_base=0.0),
)
