# SPDX-License-Identifier: MIT
"""Tiny mmproj files with random weights, one for each kind of projector, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from llm.vision_projectors import PROJECTORS, Sizes

F32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Parts:
    """What the encoder of a kind has besides attention and a feed-forward net."""

    activation: str = "gelu_quick"
    has_class: bool = False
    has_positions: bool = False
    has_axes: bool = False
    has_buckets: bool = False
    has_patch_bias: bool = False
    has_next_patches: bool = False
    has_pre_norm: bool = False
    has_post_norm: bool = False
    has_scales: bool = False
    has_gate: bool = False
    has_biases: bool = True
    is_rms: bool = False
    is_fused: bool = False
    is_gemma4: bool = False
    has_head_norms: bool = False
    has_pixels: bool = False
    deepstack: tuple[int, ...] = ()
    merge_key: str = "clip.vision.spatial_merge_size"


_SIGLIP: Final = Parts(
    activation="gelu", has_positions=True, has_patch_bias=True, has_post_norm=True,
    merge_key="clip.vision.projector.scale_factor",
)  # fmt: skip
_FEATURES: Final = "clip.vision.feature_layer"
SIGLIP: Final = _SIGLIP
_CLIP: Final = Parts(has_class=True, has_positions=True, has_pre_norm=True)
_QWEN: Final = Parts(has_next_patches=True, has_post_norm=True)
_QWEN25: Final = Parts(activation="silu", has_next_patches=True, has_post_norm=True, is_rms=True, has_gate=True)
_PIXTRAL: Final = Parts(activation="silu", has_pre_norm=True, is_rms=True, has_gate=True, has_biases=False)
KINDS: Final[dict[str, Parts]] = {
    "dots_ocr": Parts(
        activation="silu", has_patch_bias=True, is_rms=True, has_gate=True, has_biases=False, has_pre_norm=True,
        has_pixels=True, merge_key="clip.vision.projector.scale_factor",
    ),
    "gemma3": _SIGLIP,
    "gemma4v": Parts(
        activation="gelu", has_axes=True, is_rms=True, has_gate=True, has_biases=False, is_gemma4=True,
        merge_key="clip.vision.projector.scale_factor",
    ),
    "glm4v": Parts(
        activation="silu", has_next_patches=True, has_patch_bias=True, has_post_norm=True, is_rms=True, has_gate=True,
        is_fused=True, has_head_norms=True,
    ),
    "idefics3": _SIGLIP,
    "internvl": Parts(
        activation="gelu", has_class=True, has_positions=True, has_patch_bias=True, has_scales=True,
        merge_key="clip.vision.projector.scale_factor",
    ),
    "janus_pro": _SIGLIP,
    "ldp": _CLIP,
    "ldpv2": _CLIP,
    "lfm2": _SIGLIP,
    "lightonocr": _PIXTRAL,
    "minicpmv4_6": replace(_SIGLIP, has_positions=False, has_buckets=True),
    "mlp": _CLIP,
    "paddleocr": replace(_SIGLIP, has_pixels=True),
    "phi4": replace(_SIGLIP, has_pixels=True),
    "pixtral": _PIXTRAL,
    "qwen2.5o": _QWEN25,
    "qwen2.5vl_merger": _QWEN25,
    "qwen2vl_merger": _QWEN,
    "qwen3vl_merger": Parts(
        activation="gelu", has_next_patches=True, has_post_norm=True, has_positions=True, has_patch_bias=True,
        is_fused=True, deepstack=(0, 1),
    ),
    "resampler": replace(_SIGLIP, has_positions=False, has_buckets=True),
}  # fmt: skip


class Writer:
    """Writes tensors with random numbers."""

    def __init__(self, path: Path, weights: Type, seed: int, leave_out: Sequence[str], swaps_ffn: bool) -> None:
        self.file = gguf.GGUFWriter(path, "clip")
        self._chance, self._weights, self._leave_out = np.random.default_rng(seed), weights, leave_out
        self._swaps_ffn = swaps_ffn

    def tensor(self, name: str, *shape: int, kind: Type = Type.F32, spread: float = 1.0, mean: float = 0.0) -> None:
        values = (mean + spread * self._chance.standard_normal(shape)).astype(np.float32)
        if self._swaps_ffn and ".ffn_" in name:
            name = name.replace("_up.", "_down.") if "_up." in name else name.replace("_down.", "_up.")
        if name not in self._leave_out:
            self.file.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    def vector(self, name: str, n: int, mean: float = 0.0) -> None:
        self.tensor(name, n, spread=0.1, mean=mean)

    def matrix(self, name: str, n: int, k: int, bias: bool = True) -> None:
        block = gguf.GGML_QUANT_SIZES[self._weights][0]
        self.tensor(f"{name}.weight", n, k, kind=Type.F16 if k % block else self._weights, spread=k**-0.5)
        if bias:
            self.vector(f"{name}.bias", n)

    def norm(self, name: str, n: int, bias: bool = True) -> None:
        self.vector(f"{name}.weight", n, mean=1.0)
        if bias:
            self.vector(f"{name}.bias", n)

    def limits(self, name: str, most: float) -> None:
        """Write limits of a matrix that its operands and results exceed."""
        for end, value in (("input_min", -most), ("input_max", most), ("output_min", -most), ("output_max", most)):
            self.tensor(f"{name}.{end}", 1, spread=0.0, mean=value)

    def kernel(self, name: str, *shape: int) -> None:
        self.tensor(name, *shape, kind=Type.F16, spread=float(np.prod(shape[1:])) ** -0.5)


def write(
    path: Path,
    kind: str,
    *,
    projection: int = 128,
    width: int = 64,
    heads: int = 2,
    layers: int = 2,
    ffn: int = 96,
    image: int = 32,
    patch: int = 4,
    merge: int = 2,
    weights: Type = Type.F16,
    seed: int = 1,
    keys: dict[str, Any] | None = None,
    leave_out: Sequence[str] = (),
    swaps_ffn: bool = False,
    deepstack: tuple[int, ...] | None = None,
    parts: Parts | None = None,
    edit: Callable[[gguf.GGUFWriter], None] = lambda _: None,
) -> Path:
    """Write an mmproj file, and return its path.

    Args:
        keys: values of further or other keys; None: the key is left out.
        leave_out: tensors to leave out.
        swaps_ffn: exchange the names of the feed-forward net's matrices, as old files do.
        deepstack: layers with further embeddings; None: the kind's usual ones.
        parts: of the encoder; None: the kind's usual ones.
        edit: adds keys or tensors.
    """
    parts, w = parts or KINDS[kind], Writer(path, weights, seed, leave_out, swaps_ffn)
    values: dict[str, Any] = {
        "clip.has_vision_encoder": True, "clip.projector_type": kind, "clip.vision.image_size": image,
        "clip.vision.patch_size": patch, "clip.vision.embedding_length": width,
        "clip.vision.feed_forward_length": ffn, "clip.vision.block_count": layers,
        "clip.vision.attention.head_count": heads, "clip.vision.projection_dim": projection,
        "clip.vision.attention.layer_norm_epsilon": 1e-6, parts.merge_key: merge,
        "clip.vision.image_mean": [0.5, 0.4, 0.6], "clip.vision.image_std": [0.5, 0.3, 0.4],
    }  # fmt: skip
    if parts.activation != "gelu_quick":
        values[f"clip.use_{parts.activation}"] = True
    if kind == "resampler":
        values |= {"clip.minicpmv_version": 3, "clip.minicpmv_query_num": 12}
    if kind == "minicpmv4_6":
        values |= {parts.merge_key: 4, "clip.vision.wa_layer_indexes": [0]}
    if kind == "idefics3":
        values["clip.vision.preproc_image_size"] = 2 * image
    if parts.has_pixels:
        values |= {"clip.vision.image_min_pixels": 8 * patch**2, "clip.vision.image_max_pixels": 1200 * patch**2}
    if kind.startswith("qwen2.5"):
        values["clip.vision.n_wa_pattern"] = 2
    for key, value in {**values, **(keys or {})}.items():
        _add_key(w.file, key, value)
    _encoder(w, parts, width=width, heads=heads, layers=layers, ffn=ffn, image=image, patch=patch)
    for layer in parts.deepstack if deepstack is None else deepstack:
        w.norm(f"v.deepstack.{layer}.norm", width * merge**2)
        w.matrix(f"v.deepstack.{layer}.fc1", width * merge**2, width * merge**2)
        w.matrix(f"v.deepstack.{layer}.fc2", projection, width * merge**2)
    PROJECTORS[kind](w, Sizes(projection, width * len((keys or {}).get(_FEATURES, [0])), width * merge**2, merge))
    edit(w.file)
    w.file.write_header_to_file()
    w.file.write_kv_data_to_file()
    w.file.write_tensors_to_file()
    w.file.close()
    return path


def _add_key(file: gguf.GGUFWriter, key: str, value: Any) -> None:
    if isinstance(value, bool):
        file.add_bool(key, value)
    elif key == "clip.minicpmv_version":  # the only signed number
        file.add_int32(key, value)
    elif isinstance(value, int):
        file.add_int64(key, value) if value < 0 or value >= 1 << 32 else file.add_uint32(key, value)
    elif isinstance(value, float):
        file.add_float32(key, value)
    elif isinstance(value, str):
        file.add_string(key, value)
    elif value is not None:
        file.add_array(key, value)


def _encoder(
    w: Writer, parts: Parts, *, width: int, heads: int, layers: int, ffn: int, image: int, patch: int
) -> None:
    w.kernel("v.patch_embd.weight", width, 3, patch, patch)
    if parts.has_next_patches:
        w.kernel("v.patch_embd.weight.1", width, 3, patch, patch)
    if parts.has_patch_bias:
        w.vector("v.patch_embd.bias", width)
    if parts.has_class:
        w.tensor("v.class_embd", width)
    if parts.has_positions:
        w.tensor("v.position_embd.weight", (image // patch) ** 2 + parts.has_class, width, spread=0.5)
    if parts.has_buckets:
        w.tensor("v.position_embd.weight", 4900, width, spread=0.5)
    if parts.has_axes:
        w.tensor("v.position_embd.weight", 2, 48, width, spread=0.5)
    for norm in ["pre_ln"] * parts.has_pre_norm + ["post_ln"] * parts.has_post_norm:
        w.norm(f"v.{norm}", width, not parts.is_rms)
    for layer in range(layers):
        name = f"v.blk.{layer}"
        for norm in ("ln1", "ln2"):
            w.norm(f"{name}.{norm}", width, not parts.is_rms)
        for norm in ["attn_q_norm", "attn_k_norm"] * parts.has_head_norms:
            w.norm(f"{name}.{norm}", width // heads, bias=False)
        if parts.is_gemma4:
            _gemma4_layer(w, name, width, width // heads)
        for one in ("qkv",) if parts.is_fused else ("q", "k", "v"):
            w.matrix(f"{name}.attn_{one}", width * len(one), width, parts.has_biases)
        w.matrix(f"{name}.attn_out", width, width, parts.has_biases)
        w.matrix(f"{name}.ffn_up", ffn, width, parts.has_biases)
        w.matrix(f"{name}.ffn_down", width, ffn, parts.has_biases)
        if parts.has_gate:
            w.matrix(f"{name}.ffn_gate", ffn, width, parts.has_biases)
        for scale in ["ls1", "ls2"] * parts.has_scales:
            w.vector(f"{name}.{scale}.weight", width, mean=1.0)


def _gemma4_layer(w: Writer, name: str, width: int, head: int) -> None:
    for norm in ("attn_post_norm", "ffn_post_norm"):
        w.norm(f"{name}.{norm}", width, bias=False)
    for norm in ("attn_q_norm", "attn_k_norm"):
        w.norm(f"{name}.{norm}", head, bias=False)
    w.vector(f"{name}.out_scale.weight", width, mean=1.0)
    for matrix in ("attn_q", "attn_out", "ffn_up", "ffn_down"):
        w.limits(f"{name}.{matrix}", 1.5)


def picture(width: int, height: int, seed: int = 0) -> npt.NDArray[np.uint8]:
    """Return a picture of rectangles over a gradient, with a little noise: (height, width, 3) uint8."""
    chance = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    levels = np.stack([200 * x / width, 200 * y / height, 100 + 0.0 * x], axis=-1)
    for _ in range(5):
        left, right = np.sort(chance.integers(0, width + 1, 2))
        top, bottom = np.sort(chance.integers(0, height + 1, 2))
        levels[top:bottom, left:right] = chance.integers(0, 256, 3)
    return np.asarray((levels + chance.normal(0, 6, levels.shape)).clip(0, 255), np.uint8)


def quantized(path: Path, to: Path) -> Path:
    """Write a file again with its matrices of floats as Q8_0, as llama.cpp's tools do, and return its path.

    Position embeddings, kernels of convolutions and Gemma 3's projection, which is transposed, stay as they are.
    """
    file = gguf.GGUFReader(path)
    kept = {"v.position_embd.weight"}
    kept |= {"mm.input_projection.weight"} if file.fields["clip.projector_type"].contents() == "gemma3" else set()
    writer = gguf.GGUFWriter(to, "clip")
    for field in file.fields.values():
        if not field.name.startswith(("GGUF.", "general.architecture")):
            kind, *inner = field.types
            writer.add_key_value(field.name, field.contents(), kind, sub_type=inner[0] if inner else None)
    for tensor in file.tensors:
        data, raw, shape = tensor.data, tensor.tensor_type, tensor.shape[::-1]
        is_matrix = len(shape) == 2 and shape[1] % 32 == 0 and tensor.name.endswith(".weight")
        if is_matrix and raw in (Type.F32, Type.F16, Type.BF16) and tensor.name not in kept:
            data, raw = gguf.quantize(gguf.dequantize(data, raw), Type.Q8_0), Type.Q8_0
        writer.add_tensor(tensor.name, data, raw_dtype=raw)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return to
