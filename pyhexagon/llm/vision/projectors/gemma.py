# SPDX-License-Identifier: MIT
"""Gemma 3 and 4: the mean of each square of patches, an RMS norm, and a matrix.

The encoder of Gemma 4 is Gemma's own: norms before and after each part of a layer and on heads, and rotary positions
beside embeddings of columns and rows. The files of small models limit what goes into each matrix and what comes out.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from pyhexagon.llm.vision.config import PatchRotation, ProjectorKind, VisionConfig
from pyhexagon.llm.vision.limits import limit_shapes
from pyhexagon.llm.vision.preprocessing import Tiles, of_any_size, square
from pyhexagon.llm.vision.resizing import U8
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_PROJECTION: Final = "mm.input_projection"
_MATRICES: Final = "attn_q", "attn_k", "attn_v", "attn_out", "ffn_gate", "ffn_up", "ffn_down"

GEMMA3: Final = ProjectorKind(
    project=lambda b, x: b.p.matmul(
        b.norm(b.pooled(x, b.grid.merge**2), "mm.soft_emb_norm", norm="rms"), b.matrix(f"{_PROJECTION}.weight")
    ),
    preprocess=partial(square, resample="BILINEAR"),
    output=(f"{_PROJECTION}.weight", 1),
    tensors={f"{_PROJECTION}.weight": ("width", "projection"), "mm.soft_emb_norm.weight": ("width",)},
    merge_key="vision.projector.scale_factor",
    merge=4,
    has_swapped_ffn=True,
    is_causal=False,
    begin="<start_of_image>",
    end="<end_of_image>",
)


def _preprocess(picture: U8, config: VisionConfig) -> Tiles:
    tiles = of_any_size(picture, config)
    return tiles._replace(whole=2 * tiles.whole - 1)


def _gemma4(b: Tower, x: Value) -> Value:
    p = b.p
    y = p.scale(b.pooled(x, b.grid.merge**2), b.config.width**0.5)
    if b.has("v.std_bias") and b.has("v.std_scale"):
        y = p.mul(p.sub(y, b.vector("v.std_bias")), b.vector("v.std_scale"))
    return b.linear(p.rms_norm(y, eps=b.config.eps), _PROJECTION)


GEMMA4V: Final = ProjectorKind(
    project=_gemma4,
    preprocess=_preprocess,
    output=(f"{_PROJECTION}.weight", 0),
    tensors={f"{_PROJECTION}.weight": ("projection", "width")},
    optional={
        "v.std_bias": ("width",), "v.std_scale": ("width",), **limit_shapes([_PROJECTION]),
    },
    merge_key="vision.projector.scale_factor",
    merge=3,
    positions="axes",
    norm="rms",
    rotation=PatchRotation("halves", base=100.0, is_column_first=True),
    tokens=(70, 280),
    layer={"attn_q_norm.weight": ("head",), "attn_k_norm.weight": ("head",)},
    optional_layer={
        "attn_post_norm.weight": ("width",), "ffn_post_norm.weight": ("width",), "out_scale.weight": ("width",),
        **limit_shapes(_MATRICES),
    },
    attention_scale=1.0,
    has_value_norm=True,
    is_causal=False,
    begin="<|image>",
    end="<image|>",
)  # fmt: skip
