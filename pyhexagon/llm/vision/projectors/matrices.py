# SPDX-License-Identifier: MIT
"""One or two matrices, on each patch or on merged ones: LLaVA, Phi 4, Janus Pro, Idefics 3, InternVL, LFM2-VL,
PaddleOCR-VL, Qwen VL, dots.ocr, GLM-OCR and Pixtral.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from pyhexagon.llm.vision.config import PatchRotation, ProjectorKind, TileMarks, merged_patches, with_biases
from pyhexagon.llm.vision.preprocessing import (
    GREY,
    lfm2,
    of_any_size,
    of_best_size,
    of_longest_edge,
    square,
    tiled_by_aspect_ratio,
    tiled_by_longest_edge,
)
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.graph import Value

_TORCH_EPS: Final = 1e-5  # of PyTorch's LayerNorm, whatever the encoder's


# LLaVA 1.5 and 1.6: the rows of the last layer but one. Granite Vision has SigLIP as its encoder, without a class
# token, and the rows of several layers side by side. From CLIP, llama.cpp drops the encoder's first row, which is the
# first patch, and keeps the class token: so do published files expect it.
MLP: Final = ProjectorKind(
    project=lambda b, x: b.mlp(x[1:] if b.config.has_class else x, "mm.0", "mm.2"),
    preprocess=of_best_size,
    has_sizes=True,
    has_features=True,
    output=("mm.2.weight", 0),
    tensors=with_biases({"mm.0": ("hidden", "features"), "mm.2": ("projection", "hidden")}),
    hidden="mm.0.weight",
    has_class=True,
    n_skipped=1,
    has_swapped_ffn=True,
)


def _of_merged(b: Tower, x: Value) -> Value:
    return b.mlp(b.merged(x), "mm.0", "mm.2")


# Phi 4 with images: one embedding for each patch.
PHI4: Final = ProjectorKind(
    project=_of_merged,
    preprocess=partial(of_any_size, resample="BILINEAR"),
    output=("mm.2.weight", 0),
    tensors=with_biases({"mm.0": ("hidden", "width"), "mm.2": ("projection", "hidden")}),
    hidden="mm.0.weight",
    positions="antialiased",
    tokens=None,
)


JANUS_PRO: Final = ProjectorKind(
    project=lambda b, x: b.linear(b.activation(b.linear(x, "mm.0")), "mm.1"),
    preprocess=partial(square, padding=GREY),
    output=("mm.1.weight", 0),
    tensors=with_biases({"mm.0": ("hidden", "width"), "mm.1": ("projection", "hidden")}),
    hidden="mm.0.weight",
)


# Idefics 3, SmolVLM and SmolVLM 2: the prompt names the place of each tile.
IDEFICS3: Final = ProjectorKind(
    project=lambda b, x: b.linear(b.merged(x), "mm.model.fc"),
    preprocess=tiled_by_longest_edge,
    output=("mm.model.fc.weight", 0),
    tensors={"mm.model.fc.weight": ("projection", "merged")},
    merge_key="vision.projector.scale_factor",
    has_swapped_ffn=True,
    longest_edge="own",
    marks=TileMarks(
        part="<fake_token_around_image><row_{}_col_{}>",
        row_end=("\n",),
        whole_begin=("\n\n", "<fake_token_around_image>", "<global-img>"),
        whole_end=("<fake_token_around_image>",),
    ),
)


def _internvl(b: Tower, x: Value) -> Value:
    patches = x[: b.grid.n_patches]  # without the class token
    y = b.norm(b.merged(patches), "mm.model.mlp.0", norm="layer", eps=_TORCH_EPS)
    return b.mlp(y, "mm.model.mlp.1", "mm.model.mlp.3")


INTERNVL: Final = ProjectorKind(
    project=_internvl,
    preprocess=tiled_by_aspect_ratio,
    output=("mm.model.mlp.3.weight", 0),
    tensors=with_biases({
        "mm.model.mlp.0": ("merged",), "mm.model.mlp.1": ("hidden", "merged"),
        "mm.model.mlp.3": ("projection", "hidden"),
    }),
    hidden="mm.model.mlp.1.weight",
    merge_key="vision.projector.scale_factor",
    merge=2,
    has_class=True,
    begin="<img>",
    end="</img>",
)  # fmt: skip


def _lfm2(b: Tower, x: Value) -> Value:
    y = b.merged(x)
    y = b.norm(y, "mm.input_norm", norm="layer", eps=_TORCH_EPS) if b.has("mm.input_norm.weight") else y
    return b.mlp(y, "mm.1", "mm.2")


LFM2: Final = ProjectorKind(
    project=_lfm2,
    preprocess=lfm2,
    output=("mm.2.weight", 0),
    tensors=with_biases({"mm.1": ("hidden", "merged"), "mm.2": ("projection", "hidden")}),
    optional=with_biases({"mm.input_norm": ("merged",)}),
    hidden="mm.1.weight",
    merge_key="vision.projector.scale_factor",
    merge=2,
    positions="antialiased",
    tokens=(64, 256),
    begin="<|image_start|>",
    end="<|image_end|>",
    marks=TileMarks(part="<|img_row_{}_col_{}|>", whole_begin=("<|img_thumbnail|>",)),
)


def _paddleocr(b: Tower, x: Value) -> Value:
    y = b.merged(b.norm(x, "mm.input_norm", norm="layer", eps=_TORCH_EPS))
    return b.linear(b.activation(b.linear(y, "mm.1")), "mm.2")


# PaddleOCR-VL: the encoder has position embeddings, which are interpolated, as well as rotary positions.
PADDLEOCR: Final = ProjectorKind(
    project=_paddleocr,
    preprocess=of_any_size,
    output=("mm.2.weight", 0),
    tensors=with_biases({
        "mm.input_norm": ("width",), "mm.1": ("hidden", "merged"), "mm.2": ("projection", "hidden"),
    }),
    hidden="mm.1.weight",
    merge=2,
    positions="antialiased",
    rotation=PatchRotation("neox"),
    tokens=None,
    has_places=True,
    begin="<|IMAGE_START|>",
    end="<|IMAGE_END|>",
)  # fmt: skip


QWEN2VL: Final = ProjectorKind(
    project=_of_merged,
    preprocess=of_any_size,
    output=("mm.2.weight", 0),
    tensors=with_biases({"mm.0": ("hidden", "merged"), "mm.2": ("projection", "hidden")}),
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
)
# Qwen 2.5 VL: attention over windows in most layers.
QWEN25VL: Final = QWEN2VL._replace(norm="rms")
# Qwen 3 VL: position embeddings as well as rotary positions, and rows of some layers added to the language model's
# (deepstack).
QWEN3VL: Final = QWEN2VL._replace(positions="corners", has_swapped_ffn=False)


def _dots(b: Tower, x: Value) -> Value:
    y = b.norm(b.norm(x, "mm.post_norm"), "mm.input_norm", norm="layer", eps=1e-6)  # whatever the encoder's
    return b.mlp(b.merged(y), "mm.0", "mm.2")


DOTS_OCR: Final = QWEN25VL._replace(
    project=_dots,
    tensors={
        **QWEN2VL.tensors, "mm.post_norm.weight": ("width",), **with_biases({"mm.input_norm": ("width",)}),
    },
    merge_key="vision.projector.scale_factor",
    has_swapped_ffn=False,
    tokens=None,
    has_places=False,
    begin="<|img|>",
    end="<|endofimg|>",
)  # fmt: skip


def _glm(b: Tower, x: Value) -> Value:
    y = b.linear(b.linear(b.merged_by_channel(x), "mm.patch_merger"), "mm.model.fc")
    y = b.p.gelu(b.norm(y, "mm.post_norm", norm="layer", eps=_TORCH_EPS))
    return b.linear(b.p.swiglu(b.linear(y, "mm.gate"), b.linear(y, "mm.up")), "mm.down")


# GLM-OCR: a convolution over squares of patches, a matrix, a layer norm, GELU, and a feed-forward net with a gate.
GLM4V: Final = QWEN25VL._replace(
    project=_glm,
    output=("mm.down.weight", 0),
    tensors={
        "mm.patch_merger.weight": ("projection", "width", "merge", "merge"), "mm.patch_merger.bias": ("projection",),
        "mm.model.fc.weight": ("projection", "projection"), **with_biases({"mm.post_norm": ("projection",)}),
        "mm.gate.weight": ("hidden", "projection"), "mm.up.weight": ("hidden", "projection"),
        "mm.down.weight": ("projection", "hidden"),
    },
    hidden="mm.up.weight",
    has_swapped_ffn=False,
    optional_layer={"attn_q_norm.weight": ("head",), "attn_k_norm.weight": ("head",)},
    begin="<|begin_of_image|>",
    end="<|end_of_image|>",
)  # fmt: skip


def _lightonocr(b: Tower, x: Value) -> Value:
    if b.has("mm.patch_merger.weight"):
        x = b.norm(x, "mm.input_norm", norm="rms") if b.has("mm.input_norm.weight") else x
        x = b.linear(b.merged_by_channel(x), "mm.patch_merger")
    return b.mlp(x, "mm.1", "mm.2")


def _pixtral(b: Tower, x: Value) -> Value:
    p, grid, y = b.p, b.grid, _lightonocr(b, x)
    n_rows, n_columns = grid.n_rows // grid.merge, grid.n_columns // grid.merge
    mark = b.vector("v.token_embd.img_break").broadcast_to(n_rows, 1, y.shape[1])
    rows = p.concat([y.reshape(n_rows, n_columns, -1), mark], axis=1)
    return p.cpy(rows.reshape(-1, y.shape[1])[:-1])


# Pixtral and Mistral Small: a mark at the end of each row of the picture but the last. LightOnOCR has no marks.
_MATRICES: Final = {"mm.1.weight": ("hidden", "width"), "mm.2.weight": ("projection", "hidden")}
PIXTRAL: Final = ProjectorKind(
    project=_pixtral,
    preprocess=of_any_size,
    output=("mm.2.weight", 0),
    tensors={**_MATRICES, "v.token_embd.img_break": ("projection",)},
    optional={
        "mm.1.bias": ("hidden",), "mm.2.bias": ("projection",),
        "mm.input_norm.weight": ("width",), "mm.patch_merger.weight": ("width", "merged"),
    },
    hidden="mm.1.weight",
    merge_key="vision.spatial_merge_size",
    positions=None,
    rotation=PatchRotation("normal", is_shifted=True),
    tokens=(8, 1024),
    end="[IMG_END]",
    norm="rms",
    n_tokens=lambda grid: merged_patches(grid) + grid.n_rows // grid.merge - 1,
)  # fmt: skip
LIGHTONOCR: Final = PIXTRAL._replace(
    project=_lightonocr,
    preprocess=of_longest_edge,
    tensors=_MATRICES,
    longest_edge="image_size",
    n_tokens=merged_patches,
    begin="<|im_start|>",
    end="<|im_end|>",
)
