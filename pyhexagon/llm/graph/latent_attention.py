# SPDX-License-Identifier: MIT
"""Multi-head latent attention (MLA), expanded: keys and values of each head are computed from a narrow row.

The KV cache holds them, and values are padded to the length of keys. RoPE rotates the end of a key, which all heads
share, and the end of each query.
"""

from __future__ import annotations

from math import log

from pyhexagon.llm.files.config import Latent
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value

LATENT_QUERIES = {
    "attn_q_a.weight": ("q rank", "width"),
    "attn_q_a_norm.weight": ("q rank",),
    "attn_q_b.weight": ("q", "q rank"),
}
LATENT_ATTENTION = {
    "attn_kv_a_mqa.weight": ("kv rank + rope", "width"),
    "attn_kv_a_norm.weight": ("kv rank",),
    "attn_kv_b.weight": ("latent kv", "kv rank"),
    "attn_output.weight": ("width", "heads of values"),
}


def read(keys: HeaderKeys, head_size: int) -> Latent:
    """Return the sizes of latent attention."""
    width, n_heads = keys.count("embedding_length", 1), keys.count("attention.head_count", 1)
    if any(keys.count(f"attention.{name}_length_mla", 0, least=0) for name in ("key", "value")):
        keys.ignore("attention.value_length_mla")
        keys.problems.append("attention over the narrow rows (attention.key_length_mla) is not supported")
    latent = Latent(
        q_rank=keys.count("attention.q_lora_rank", 0, least=0),
        kv_rank=keys.count("attention.kv_lora_rank"),
        n_value=keys.count("attention.value_length", max(1, width // n_heads)),
        scale=_scale(keys),
    )
    n_rotated = keys.count("rope.dimension_count", head_size)
    if latent.n_value > head_size or n_rotated >= head_size:
        keys.problems.append(f"heads of {latent.n_value} values, and keys of {head_size} with {n_rotated} rotated")
    return latent


def _scale(keys: HeaderKeys) -> float:
    """Return the square of YaRN's magnitude, which scales the products of queries and keys."""
    factor = keys.value("rope.scaling.factor", 1.0)
    if keys.value("rope.scaling.type", "none") != "yarn" or factor <= 1:
        return 1.0
    multiplier = keys.value("rope.scaling.yarn_log_multiplier", 0.0)
    if multiplier <= 0:
        keys.problems.append(f"rope.scaling.yarn_log_multiplier is {multiplier}: expected a positive number")
    return float((1 + multiplier * log(factor)) ** 2)


def latent_attention(b: Layer, h: Value) -> Value:
    """Return the result of attention, (M, width) to (M, width)."""
    p, latent, n_rows = b.p, b.latent, h.shape[0]
    if latent.q_rank:
        q = b.heads(b.linear(b.norm(b.linear(h, "attn_q_a"), "attn_q_a_norm"), "attn_q_b"))
    else:
        q = b.heads(b.linear(h, "attn_q"))
    n_heads, n_plain = q.shape[1], q.shape[2] - b.config.rope.n_dims
    narrow = b.linear(h, "attn_kv_a_mqa")
    k_end = b.rope(narrow[:, latent.kv_rank :].reshape(n_rows, 1, -1))
    kv = b.linear(b.norm(narrow[:, : latent.kv_rank], "attn_kv_a_norm"), "attn_kv_b").reshape(n_rows, n_heads, -1)
    q = p.concat([q[:, :, :n_plain], b.rope(q[:, :, n_plain:])], axis=2)
    k = p.concat([kv[:, :, :n_plain], k_end.broadcast_to(n_rows, n_heads, b.config.rope.n_dims)], axis=2)
    v = kv[:, :, n_plain:]
    if latent.n_value < b.config.head_size:
        padding = p.scale(k[:, :, : b.config.head_size - latent.n_value], 0.0)
        v = p.concat([v, padding], axis=2)
    y = b.heads(b.attention(q, k, v))[:, :, : latent.n_value]
    return b.linear(p.cpy(y).reshape(n_rows, -1), "attn_output")
