# SPDX-License-Identifier: MIT
"""GLM-OCR: a convolution over squares of patches, a matrix, a layer norm, GELU, and a feed-forward net with a gate."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import PatchRotation, ProjectorKind
from pyhexagon.llm.vision.preprocessing import of_any_size
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_EPS: Final = 1e-5  # of PyTorch's LayerNorm, whatever the encoder's


def _project(b: Tower, x: Value) -> Value:
    y = b.linear(b.linear(b.merged_by_channel(x), "mm.patch_merger"), "mm.model.fc")
    y = b.p.gelu(b.norm(y, "mm.post_norm", norm="layer", eps=_EPS))
    return b.linear(b.p.swiglu(b.linear(y, "mm.gate"), b.linear(y, "mm.up")), "mm.down")


GLM4V: Final = ProjectorKind(
    project=_project,
    preprocess=of_any_size,
    output=("mm.down.weight", 0),
    tensors={
        "mm.patch_merger.weight": ("projection", "width", "merge", "merge"), "mm.patch_merger.bias": ("projection",),
        "mm.model.fc.weight": ("projection", "projection"),
        "mm.post_norm.weight": ("projection",), "mm.post_norm.bias": ("projection",),
        "mm.gate.weight": ("hidden", "projection"), "mm.up.weight": ("hidden", "projection"),
        "mm.down.weight": ("projection", "hidden"),
    },
    hidden="mm.up.weight",
    merge_key="vision.spatial_merge_size",
    merge=2,
    positions=None,
    norm="rms",
    rotation=PatchRotation("neox"),
    tokens=(8, 4096),
    optional_layer={"attn_q_norm.weight": ("head",), "attn_k_norm.weight": ("head",)},
    has_places=True,
    begin="<|begin_of_image|>",
    end="<|end_of_image|>",
)  # fmt: skip
