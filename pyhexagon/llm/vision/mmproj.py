# SPDX-License-Identifier: MIT
"""mmproj files: the keys ``clip.*`` and the tensors of an image encoder and its projector, read and checked.

Nothing is allocated before every number is within bounds and every tensor has the shape that the keys give.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from pyhexagon.cache import MAX_HEAD_SIZE
from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.files.header_keys import HeaderKeys, short
from pyhexagon.llm.files.weights import Shapes, is_vector
from pyhexagon.llm.vision import fields
from pyhexagon.llm.vision.config import Activation, ProjectorKind, VisionConfig, with_biases
from pyhexagon.llm.vision.fields import MAX_PATCHES
from pyhexagon.llm.vision.limits import LIMITS

PATCHES: Final = "v.patch_embd.weight"
NEXT_PATCHES: Final = "v.patch_embd.weight.1"  # of a second frame: a picture is two equal ones
PATCH_BIAS: Final = "v.patch_embd.bias"
CLASS: Final = "v.class_embd"
POSITIONS: Final = "v.position_embd.weight"
QUERIES: Final = "resampler.query"  # of MiniCPM-V
MERGER_KERNEL: Final = "mm.patch_merger.weight"  # of GLM, a convolution's
MERGER: Final = "v.vit_merger.ds_ffn_up.weight"
_MOST_SHOWN: Final = 20

_ENCODER: Final[Shapes] = {
    "ln1.weight": ("width",), "ln2.weight": ("width",),
    "attn_out.weight": ("width", "heads"),
    "ffn_up.weight": ("ffn", "width"), "ffn_down.weight": ("width", "ffn"),
}  # fmt: skip
_FUSED: Final[Shapes] = {"attn_qkv.weight": ("3 heads", "width")}
_SEPARATE: Final[Shapes] = {f"attn_{name}.weight": ("heads", "width") for name in "qkv"}
_OPTIONAL: Final[Shapes] = {
    **{name.replace("weight", "bias"): shape[:1] for name, shape in {**_ENCODER, **_FUSED, **_SEPARATE}.items()},
    "ffn_gate.weight": ("ffn", "width"), "ffn_gate.bias": ("ffn",), "ls1.weight": ("width",), "ls2.weight": ("width",),
}  # fmt: skip
_DEEPSTACK: Final = with_biases(
    {"norm": ("merged",), "fc1": ("merged", "merged"), "fc2": ("projection", "merged")}
)
_NORMS: Final = with_biases({"v.pre_ln": ("width",), "v.post_ln": ("width",)})
_IGNORED: Final = "a.", "mm.a.", "t.", "resampler.pos_embed_k", "v.image_newline"  # audio, text, and no longer used
_MATRICES: Final = frozenset({PATCHES, NEXT_PATCHES, CLASS, POSITIONS})  # read by the host, in any type


def read(file: GGUFFile, kinds: Mapping[str, ProjectorKind]) -> tuple[VisionConfig, list[str]]:
    """Return the hyper-parameters of an image encoder, and the names of its tensors.

    Args:
        file: the mmproj file.
        kinds: the supported kinds of projectors.

    Raises:
        UnsupportedError: the file is no mmproj file, has no image encoder, or cannot be run; the message lists all
            problems and names the keys.
    """
    metadata = file.metadata
    architecture = metadata.get("general.architecture")
    if architecture != "clip":
        what = short(architecture) if isinstance(architecture, str) else "missing"
        raise UnsupportedError(f"{os.fspath(file.path)}: its architecture is {what}: an mmproj file's is 'clip'")
    keys = HeaderKeys(file, "clip")
    if not keys.value("has_vision_encoder", False):
        raise UnsupportedError(f"{os.fspath(file.path)} has no image encoder: clip.has_vision_encoder is not true")
    key = "projector_type" if "projector_type" in keys.names else "vision.projector_type"
    name = keys.value(key, "")
    if name not in kinds:
        what = keys.problems[0] if keys.problems else f"clip.{key} is {short(name)}"
        raise UnsupportedError(f"{os.fspath(file.path)}: {what}; supported are {', '.join(sorted(kinds))}")
    config = _config(keys, file, name, kinds[name])
    problems = keys.problems
    names: list[str] = []
    if not problems:
        names, problems = _check(file, config, kinds[name])
    if problems:
        shown = problems[:_MOST_SHOWN]
        shown += [f"and {len(problems) - len(shown)} more"] if len(problems) > len(shown) else []
        raise UnsupportedError(f"{os.fspath(file.path)} cannot be run: {'; '.join(shown)}")
    return config, names


def lengths(config: VisionConfig, hidden: int, inner: int) -> dict[str, int]:
    """Return the lengths of the tensors' dimensions by name.

    Args:
        hidden, inner: rows of the projector's first matrix, and of the first matrix of a merger among the layers.
    """
    heads = config.n_heads * config.head_size
    return {
        "width": config.width, "heads": heads, "3 heads": 3 * heads, "ffn": config.n_ffn,
        "projection": config.projection, "merged": config.width * config.merge**2,
        "4 width": 4 * config.width, "hidden": hidden, "inner": inner,
        "quarter": config.projection // 4, "one": 1, "three": 3, "head": config.head_size, "merge": config.merge,
        "features": config.width * max(1, len(config.features)),
    }  # fmt: skip


def _config(keys: HeaderKeys, file: GGUFFile, name: str, kind: ProjectorKind) -> VisionConfig:
    has_tiles = kind.positions in ("tile", "buckets")  # slices are of a tile's area
    image_size = fields.count(keys, "vision.image_size", 1 << 13, least=1 if has_tiles else 0)
    patch_size = fields.count(keys, "vision.patch_size", 1 << 8)
    width = fields.count(keys, "vision.embedding_length", 1 << 14)
    n_heads = fields.count(keys, "vision.attention.head_count", 256)
    n_layers = fields.count(keys, "vision.block_count", 256)
    merge = fields.count(keys, kind.merge_key, 16, kind.merge) if kind.merge_key else kind.merge
    fewest = fields.count(keys, "vision.preproc_min_tiles", 64, 1)
    tiles = fewest, fields.count(keys, "vision.preproc_max_tiles", 64, 12)
    head_size = fields.count(keys, "vision.attention.head_dim", MAX_HEAD_SIZE, max(1, width // n_heads))
    is_gelu, is_silu = keys.value("use_gelu", False), keys.value("use_silu", False)
    activation: Activation = "gelu" if is_gelu else "silu" if is_silu else "gelu_quick"
    pattern = fields.count(keys, "vision.n_wa_pattern", 256, 0, least=0) if name.startswith("qwen2.5") else 0
    eps = keys.value("vision.attention.layer_norm_epsilon", 0.0)
    problems = keys.problems
    if is_gelu and is_silu:
        problems.append("clip.use_gelu and clip.use_silu are both true")
    if not 0 < eps < 1:
        problems.append(f"clip.vision.attention.layer_norm_epsilon is {eps}: expected a number between 0 and 1")
    if tiles[0] > tiles[1]:
        problems.append(f"clip.vision.preproc_min_tiles is {tiles[0]}, more than preproc_max_tiles, {tiles[1]}")
    n_side = image_size // patch_size
    if not problems and has_tiles and not merge <= n_side <= MAX_PATCHES**0.5:
        problems.append(
            f"clip.vision.image_size is {image_size}, and clip.vision.patch_size {patch_size}: {n_side} patches on a "
            f"side, expected {merge} to {int(MAX_PATCHES**0.5)}"
        )
    if not problems and has_tiles and n_side % merge:
        problems.append(f"{n_side} patches on a side of a tile: expected a multiple of clip.{kind.merge_key}, {merge}")
    if kind.merger is not None and merge != kind.merge:
        problems.append(f"clip.{kind.merge_key} is {merge}, only {kind.merge} is supported")
    if kind.rotation is not None and head_size % 4:
        problems.append(f"heads of {head_size}: expected a multiple of 4")
    projection = _length(file, *kind.output)
    if projection % kind.output_multiple:
        problems.append(f"embeddings of {projection} elements: expected a multiple of {kind.output_multiple}")
    down, features = "v.blk.0.ffn_down.weight", fields.features(keys, file, kind, n_layers)
    return VisionConfig(
        kind=name, image_size=image_size, patch_size=patch_size, width=width, n_layers=n_layers, n_heads=n_heads,
        head_size=head_size, n_ffn=fields.count(keys, "vision.feed_forward_length", 1 << 16),
        eps=eps, activation=activation, projection=projection, merge=merge,
        mean=fields.channels(keys, file, "vision.image_mean", is_positive=False),
        std=fields.channels(keys, file, "vision.image_std", is_positive=True),
        window_pattern=pattern, tiles=tiles,
        longest_edge=fields.longest_edge(keys, kind, image_size, patch_size),
        is_ffn_swapped=kind.has_swapped_ffn and _length(file, down, -1) == width,
        deepstack=tuple(layer for layer in range(n_layers) if f"v.deepstack.{layer}.fc1.weight" in file),
        rotation=kind.rotation, pixels=fields.pixels(keys, kind, patch_size, merge),
        marks=fields.marks(keys, kind), sizes=fields.sizes(keys, file, kind, image_size),
        has_class=kind.has_class and not features, features=features,
        merger_layer=fields.merger_layer(keys, file, n_layers) if kind.merger is not None else None,
    )  # fmt: skip


def _length(file: GGUFFile, name: str, axis: int) -> int:
    shape = file.info(name).shape if name in file else ()
    return shape[axis] if -len(shape) <= axis < len(shape) else 0


def _expected(file: GGUFFile, config: VisionConfig, kind: ProjectorKind) -> dict[str, tuple[tuple[int, ...], bool]]:
    """Return the shape of each known tensor, and whether it is required."""
    named = lengths(config, _length(file, kind.hidden, 0), _length(file, MERGER, 0))
    needed, optional = dict(kind.tensors), {**_NORMS, **kind.optional}
    has_halves = kind.rotation is not None and kind.rotation.mode == "halves"
    for layer in range(config.n_layers):
        is_fused = f"v.blk.{layer}.attn_qkv.weight" in file and not has_halves
        layer_needed = {**_ENCODER, **(_FUSED if is_fused else _SEPARATE), **kind.layer}
        layer_optional = {**_OPTIONAL, **kind.optional_layer}
        needed |= {f"v.blk.{layer}.{name}": _swapped(name, shape, config) for name, shape in layer_needed.items()}
        optional |= {f"v.blk.{layer}.{name}": _swapped(name, shape, config) for name, shape in layer_optional.items()}
    for layer in config.deepstack:
        needed |= {f"v.deepstack.{layer}.{name}": shape for name, shape in _DEEPSTACK.items()}
    parts = ((needed, True), (optional, False))
    result = {name: (tuple(named[size] for size in shape), is_needed) for part, is_needed in parts
              for name, shape in part.items()}  # fmt: skip
    patch = config.width, 3, config.patch_size, config.patch_size
    result |= {PATCHES: (patch, True), NEXT_PATCHES: (patch, False), PATCH_BIAS: ((config.width,), False)}
    if kind.positions == "axes":
        result[POSITIONS] = (2, max(1, _length(file, POSITIONS, 1)), config.width), True
    elif kind.positions is not None:
        n_side = config.n_side if kind.positions == "tile" else max(1, round(_length(file, POSITIONS, 0) ** 0.5))
        result[POSITIONS] = (n_side**2 + config.has_class, config.width), True
    if config.has_class:
        result[CLASS] = (config.width,), True
    return result


def _swapped(name: str, shape: tuple[str, ...], config: VisionConfig) -> tuple[str, ...]:
    """Return the shape of a layer's tensor in a file whose feed-forward net has its names exchanged."""
    if not config.is_ffn_swapped or not name.startswith(("ffn_up.", "ffn_down.")):
        return shape
    return tuple({"ffn": "width", "width": "ffn"}[size] for size in shape)


def _check(file: GGUFFile, config: VisionConfig, kind: ProjectorKind) -> tuple[list[str], list[str]]:
    """Return the names of the tensors that the encoder uses, and the problems that prevent loading them."""
    expected, names, problems = _expected(file, config, kind), [], []
    for name, (shape, is_needed) in expected.items():
        if name not in file:
            problems += [f"the tensor {name} is missing"] if is_needed else []
            continue
        names.append(name)
        info = file.info(name)
        if info.shape != shape and tuple(n for n in info.shape if n > 1) != tuple(n for n in shape if n > 1):
            problems.append(f"the tensor {name} has the shape {info.shape}, not {shape}")
        elif name.endswith(LIMITS) and info.gguf_type.name != "F32":
            problems.append(f"the tensor {name} is of type {info.type_name}: expected F32")
        elif name not in _MATRICES and not is_vector(name, shape) and info.unsupported:
            problems.append(f"the tensor {name}: {info.unsupported}")
    problems += [
        f"the tensor {name} is not known" for name in file if name not in expected and not name.startswith(_IGNORED)
    ]
    return names, problems
