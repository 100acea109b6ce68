# SPDX-License-Identifier: MIT
"""Qwen 3 Next: Qwen 3.5's mixture of experts, with other orders of heads in its delta nets."""

from __future__ import annotations

from pyhexagon.llm.architectures.qwen35 import QWEN35MOE, qwen35_layer
from pyhexagon.llm.graph.delta_net import by_key_head
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value


def _gates(b: Layer, h: Value) -> tuple[Value, Value]:
    beta, alpha = by_key_head(b, b.linear(h, "ssm_ba"))
    return alpha, beta


def _layer(b: Layer, x: Value) -> Value:
    return qwen35_layer(b, x, _gates, is_grouped=True)


_tensors = dict(QWEN35MOE.recurrent_tensors)
del _tensors["ssm_alpha.weight"], _tensors["ssm_beta.weight"]

QWEN3NEXT = QWEN35MOE._replace(
    layer=_layer,
    mtp=({}, {}),
    recurrent_tensors={**_tensors, "ssm_ba.weight": ("2 value heads", "width")},
    traits=QWEN35MOE.traits._replace(has_mrope=False, image_rope=None),
)
