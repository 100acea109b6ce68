# SPDX-License-Identifier: MIT
"""InternVL: merged patches, a layer norm, and two matrices with GELU between them."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import ProjectorKind
from pyhexagon.llm.vision.preprocessing import tiled_by_aspect_ratio
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_EPS: Final = 1e-5  # of PyTorch's LayerNorm, whatever the encoder's


def _project(b: Tower, x: Value) -> Value:
    patches = x[: b.grid.n_patches]  # without the class token
    y = b.norm(b.merged(patches), "mm.model.mlp.0", norm="layer", eps=_EPS)
    return b.mlp(y, "mm.model.mlp.1", "mm.model.mlp.3")


INTERNVL = ProjectorKind(
    project=_project,
    preprocess=tiled_by_aspect_ratio,
    output=("mm.model.mlp.3.weight", 0),
    tensors={
        "mm.model.mlp.0.weight": ("merged",), "mm.model.mlp.0.bias": ("merged",),
        "mm.model.mlp.1.weight": ("hidden", "merged"), "mm.model.mlp.1.bias": ("hidden",),
        "mm.model.mlp.3.weight": ("projection", "hidden"), "mm.model.mlp.3.bias": ("projection",),
    },
    hidden="mm.model.mlp.1.weight",
    merge_key="vision.projector.scale_factor",
    merge=2,
    has_class=True,
    begin="<img>",
    end="</img>",
)  # fmt: skip
