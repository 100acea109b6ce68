# SPDX-License-Identifier: MIT
"""Qwen 2, 2.5 and 3 VL: merged patches, and two matrices with GELU between them.

Version 2.5 has attention over windows in most layers. Version 3 has position embeddings as well as rotary positions,
and adds rows of some layers to the language model's (deepstack).
"""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import PatchRotation, ProjectorKind
from pyhexagon.llm.vision.preprocessing import of_any_size
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value


def _project(b: Tower, x: Value) -> Value:
    return b.mlp(b.merged(x), "mm.0", "mm.2")


QWEN2VL: Final = ProjectorKind(
    project=_project,
    preprocess=of_any_size,
    output=("mm.2.weight", 0),
    tensors={
        "mm.0.weight": ("hidden", "merged"), "mm.0.bias": ("hidden",),
        "mm.2.weight": ("projection", "hidden"), "mm.2.bias": ("projection",),
    },
    hidden="mm.0.weight",
    merge_key="vision.spatial_merge_size",
    merge=2,
    positions=None,
    has_swapped_ffn=True,
    rotation=PatchRotation("neox"),
    tokens=(8, 4096),
    has_places=True,
    begin="<|vision_start|>",
    end="<|vision_end|>",
)  # fmt: skip
QWEN25VL: Final = QWEN2VL._replace(norm="rms")
QWEN3VL: Final = QWEN2VL._replace(positions="corners", has_swapped_ffn=False)
