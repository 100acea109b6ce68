# SPDX-License-Identifier: MIT
"""Qwen 2, 2.5 and 3, their mixtures of experts and text models of VL, and models with norms of each head's query and
key like Qwen 3's: Hunyuan and Maincoder.
"""

from __future__ import annotations

from functools import partial

from pyhexagon.llm.architectures.llama import LLAMA, pre_norm_layer
from pyhexagon.llm.architectures.tensors import ATTENTION, EXPERTS, HEAD_NORMS, PRE_NORMS
from pyhexagon.llm.files.config import Traits
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Architecture, Layer
from pyhexagon.program.graph import Value

QWEN2 = LLAMA._replace(rope="neox", model_optional={})
QWEN3 = Architecture(
    rope="neox",
    layer=pre_norm_layer,
    tensors={**LLAMA.tensors, **HEAD_NORMS},
    classifier={"cls.output.weight": ("labels", "width")},
    traits=Traits(is_ranker=True),
)
QWEN3MOE = Architecture(
    rope="neox",
    layer=pre_norm_layer,
    tensors={**PRE_NORMS, **ATTENTION, **HEAD_NORMS, **EXPERTS},
    traits=Traits(has_experts=True),
)


def check_sections(keys: HeaderKeys) -> None:
    """Check MROPE's sections, and drop them and the layers that would take more of an image.

    Text has one position per token, which all sections use: it is RoPE. Images have rows and columns.
    """
    sections = keys.array("rope.dimension_sections")
    keys.ignore("n_deepstack_layers")
    if sections is None or not any(sections):  # zeros: the model has RoPE
        return
    per_head = keys.count("embedding_length", 1) // keys.count("attention.head_count", 1)
    n_pairs = keys.count("rope.dimension_count", keys.count("attention.key_length", per_head)) // 2
    if len(sections) != 4 or sum(sections) != n_pairs or min(sections) < 0 or sections[3]:
        keys.problems.append(f"rope.dimension_sections is {sections}: expected three with a sum of {n_pairs}, and 0")


# Qwen 2 VL, 2.5 VL and PaddleOCR-VL; Qwen 3 VL
QWEN2VL = QWEN2._replace(traits=QWEN2.traits._replace(adapt=check_sections, image_rope="sections"))
QWEN3VL = QWEN3._replace(traits=QWEN3.traits._replace(adapt=check_sections, image_rope="interleaved"))
QWEN3VLMOE = QWEN3MOE._replace(traits=QWEN3MOE.traits._replace(adapt=check_sections, image_rope="interleaved"))


def _hunyuan_attention(b: Layer, h: Value) -> Value:
    """Return attention's rows; RoPE comes before the norms of each head's query and key."""
    q, k, v = b.qkv(h)
    q, k = b.norm(b.rope(q), "attn_q_norm"), b.norm(b.rope(k), "attn_k_norm")
    return b.linear(b.attention(q, k, v), "attn_output")


HUNYUAN_DENSE = QWEN3._replace(
    layer=partial(pre_norm_layer, attention=_hunyuan_attention), classifier={}, traits=Traits()
)
MAINCODER = HUNYUAN_DENSE._replace(rope="normal")
