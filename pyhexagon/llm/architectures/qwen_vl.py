# SPDX-License-Identifier: MIT
"""The text models of Qwen 2 VL, 2.5 VL and 3 VL: Qwen 2's and Qwen 3's graphs. PaddleOCR-VL's is Qwen 2 VL's.

Text has one position per token, which all sections of MROPE use: it is RoPE. Images have rows and columns.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.qwen import QWEN2, QWEN3
from pyhexagon.llm.architectures.qwen3moe import QWEN3MOE
from pyhexagon.llm.files.header_keys import HeaderKeys


def check_sections(keys: HeaderKeys) -> None:
    """Check MROPE's sections, and drop them and the layers that would take more of an image."""
    sections = keys.array("rope.dimension_sections")
    keys.ignore("n_deepstack_layers")
    if sections is None or not any(sections):  # zeros: the model has RoPE
        return
    per_head = keys.count("embedding_length", 1) // keys.count("attention.head_count", 1)
    n_pairs = keys.count("rope.dimension_count", keys.count("attention.key_length", per_head)) // 2
    if len(sections) != 4 or sum(sections) != n_pairs or min(sections) < 0 or sections[3]:
        keys.problems.append(f"rope.dimension_sections is {sections}: expected three with a sum of {n_pairs}, and 0")


QWEN2VL = QWEN2._replace(traits=QWEN2.traits._replace(adapt=check_sections, image_rope="sections"))
QWEN3VL = QWEN3._replace(traits=QWEN3.traits._replace(adapt=check_sections, image_rope="interleaved"))
QWEN3VLMOE = QWEN3MOE._replace(traits=QWEN3MOE.traits._replace(adapt=check_sections, image_rope="interleaved"))
