# SPDX-License-Identifier: MIT
"""LLaVA 1.5 and 1.6: two matrices with GELU between them, on the rows of the last layer but one.

Granite Vision has SigLIP as its encoder, without a class token, and the rows of several layers side by side. From CLIP,
llama.cpp drops the encoder's first row, which is the first patch, and keeps the class token: so do published files
expect it.
"""

from __future__ import annotations

from pyhexagon.llm.vision.config import ProjectorKind
from pyhexagon.llm.vision.slicing import of_best_size
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value


def _project(b: Tower, x: Value) -> Value:
    return b.mlp(x[1:] if b.config.has_class else x, "mm.0", "mm.2")


MLP = ProjectorKind(
    project=_project,
    preprocess=of_best_size,
    has_sizes=True,
    has_features=True,
    output=("mm.2.weight", 0),
    tensors={
        "mm.0.weight": ("hidden", "features"), "mm.0.bias": ("hidden",),
        "mm.2.weight": ("projection", "hidden"), "mm.2.bias": ("projection",),
    },
    hidden="mm.0.weight",
    has_class=True,
    n_skipped=1,
    has_swapped_ffn=True,
)  # fmt: skip
