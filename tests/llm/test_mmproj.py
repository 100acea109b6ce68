# SPDX-License-Identifier: MIT
"""mmproj files: what their keys and tensors must be, and what broken ones say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from llm import tiny, vision_files
from pyhexagon import UnsupportedError
from pyhexagon.errors import GGUFError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.vision import mmproj
from pyhexagon.llm.vision.kinds import KINDS
from pyhexagon.llm.vision.limits import limits_of


def problem_of(path: Path) -> str:
    with GGUFFile(path) as file, pytest.raises(UnsupportedError) as caught:
        mmproj.read(file, KINDS)
    return str(caught.value)


def test_the_numbers_of_a_file(tmp_path: Path) -> None:
    path = vision_files.write(tmp_path / "m.gguf", "idefics3", width=48, heads=3, image=40, patch=5, projection=96)
    with GGUFFile(path) as file:
        config, names = mmproj.read(file, KINDS)
    assert (config.kind, config.width, config.n_heads, config.head_size) == ("idefics3", 48, 3, 16)
    assert (config.n_side, config.projection, config.embedding_width, config.longest_edge) == (8, 96, 96, 80)
    assert config.activation == "gelu"
    assert config.mean == pytest.approx((0.5, 0.4, 0.6))
    assert "v.blk.1.attn_q.bias" in names
    assert len(names) == len(set(names))


def test_the_width_of_embeddings_with_deepstack(tmp_path: Path) -> None:
    with GGUFFile(vision_files.write(tmp_path / "m.gguf", "qwen3vl_merger", projection=96)) as file:
        config, _ = mmproj.read(file, KINDS)
    assert config.deepstack == (0, 1)
    assert config.embedding_width == 288


@pytest.mark.parametrize(
    ("kind", "key", "value", "message"),
    [
        ("mlp", "clip.has_vision_encoder", False, "no image encoder: clip.has_vision_encoder is not true"),
        ("mlp", "clip.projector_type", "cogvlm", "clip.projector_type is 'cogvlm'; supported are dots_ocr, gemma3"),
        ("mlp", "clip.projector_type", 7, "clip.projector_type is 7, not a string; supported are"),
        ("mlp", "clip.vision.image_size", None, "clip.vision.image_size is missing"),
        ("mlp", "clip.vision.image_size", 0, "clip.vision.image_size is 0: expected 1 to"),
        ("mlp", "clip.vision.image_size", 1 << 40, "clip.vision.image_size is 1099511627776: expected 1 to"),
        ("mlp", "clip.vision.image_size", 8192, "2048 patches on a side, expected 1 to 128"),
        ("mlp", "clip.vision.image_size", "large", "clip.vision.image_size is 'large', not an integer"),
        ("mlp", "clip.vision.patch_size", 64, "0 patches on a side"),
        ("mlp", "clip.vision.patch_size", -4, "clip.vision.patch_size is -4: expected 1 to"),
        ("mlp", "clip.vision.embedding_length", 1 << 20, "embedding_length is 1048576: expected 1 to 16384"),
        ("mlp", "clip.vision.embedding_length", 32, "the tensor mm.0.weight has the shape (160, 64), not (160, 32)"),
        ("mlp", "clip.vision.attention.head_count", 0, "clip.vision.attention.head_count is 0"),
        ("mlp", "clip.vision.attention.head_count", 3, "the tensor v.blk.0.attn_out.weight has the shape"),
        ("mlp", "clip.vision.block_count", 1 << 30, "clip.vision.block_count is 1073741824: expected 1 to 256"),
        ("mlp", "clip.vision.block_count", 3, "the tensor v.blk.2.ln1.weight is missing"),
        ("mlp", "clip.vision.block_count", 1, "the tensor v.blk.1.ln1.weight is not known"),
        ("mlp", "clip.vision.feed_forward_length", 97, "the tensor v.blk.0.ffn_up.weight has the shape"),
        ("mlp", "clip.vision.attention.layer_norm_epsilon", 0.0, "epsilon is 0.0: expected a number between"),
        ("mlp", "clip.vision.attention.layer_norm_epsilon", float("nan"), "layer_norm_epsilon is nan"),
        ("mlp", "clip.vision.image_mean", None, "clip.vision.image_mean is missing: expected 3 numbers"),
        ("mlp", "clip.vision.image_mean", [0.5, 0.5], "clip.vision.image_mean is .*: expected 3 numbers"),
        ("mlp", "clip.vision.image_std", [0.5, 0.5, 0.0], "clip.vision.image_std is .*: expected 3 positive numbers"),
        ("mlp", "clip.use_gelu", "yes", "clip.use_gelu is 'yes', not true or false"),
        ("mlp", "clip.vision.image_grid_pinpoints", [32, 64, 32], "expected widths and heights, multiples of 32"),
        ("mlp", "clip.vision.image_grid_pinpoints", [32, 60], "expected widths and heights, multiples of 32"),
        ("mlp", "clip.vision.image_grid_pinpoints", [32, 32 << 20], "expected widths and heights, multiples of 32"),
        ("ldp", "clip.vision.image_grid_pinpoints", [32, 64], "image_grid_pinpoints is not supported"),
        ("mlp", "clip.vision.feature_layer", [1, 3], "expected numbers of layers, 0 to 2"),
        ("minicpmv4_6", "clip.vision.wa_layer_indexes", [2], "expected the number of one layer, 0 to 1"),
        ("minicpmv4_6", "clip.vision.wa_layer_indexes", None, "clip.vision.wa_layer_indexes is missing"),
        ("minicpmv4_6", "clip.vision.projector.scale_factor", 2, "scale_factor is 2, only 4 is supported"),
        ("gemma3", "clip.vision.feature_layer", [1, 2], "feature_layer is not supported"),
        ("resampler", "clip.minicpmv_version", 7, "minicpmv_version is 7: expected one of 0, 2, 3, 4, 5, 6, 100045"),
        ("resampler", "clip.vision.image_size", 0, "clip.vision.image_size is 0: expected 1 to"),
        ("resampler", "clip.vision.image_size", 8192, "2048 patches on a side, expected 1 to 128"),
        ("minicpmv4_6", "clip.vision.image_size", 24, "6 patches on a side of a tile: expected a multiple of"),
        ("pixtral", "clip.use_gelu", True, "clip.use_gelu and clip.use_silu are both true"),
        ("gemma3", "clip.vision.projector.scale_factor", 3, "8 patches on a side of a tile: expected a multiple of"),
        ("gemma3", "clip.vision.projector.scale_factor", 99, "scale_factor is 99: expected 1 to 16"),
        ("idefics3", "clip.vision.preproc_image_size", 1 << 20, "preproc_image_size is 1048576: expected 0 to 512"),
        ("internvl", "clip.vision.preproc_min_tiles", 20, "preproc_min_tiles is 20, more than preproc_max_tiles, 12"),
        ("qwen2vl_merger", "clip.vision.attention.head_dim", 30, "heads of 30: expected a multiple of 4"),
        ("paddleocr", "clip.vision.image_min_pixels", None, "clip.vision.image_min_pixels is missing"),
        ("paddleocr", "clip.vision.image_max_pixels", 100, "clip.vision.image_min_pixels is 128, more than"),
        ("phi4", "clip.vision.image_max_pixels", 1 << 40, "image_max_pixels is 1099511627776: expected 1 to"),
        ("lightonocr", "clip.vision.preproc_image_size", 1 << 13, "preproc_image_size is 8192: expected 1 to 512"),
        ("gemma4v", "clip.vision.attention.head_count", 4, "v.blk.0.attn_q_norm.weight has the shape (32,), not (16,)"),
    ],
)  # fmt: skip
def test_a_broken_key_is_named(tmp_path: Path, kind: str, key: str, value: Any, message: str) -> None:
    problem = problem_of(vision_files.write(tmp_path / "m.gguf", kind, keys={key: value}))
    assert re.search(message if ".*" in message else re.escape(message), problem), problem


def test_a_resampler_of_half_a_head_is_refused(tmp_path: Path) -> None:
    problem = problem_of(vision_files.write(tmp_path / "m.gguf", "resampler", projection=192))
    assert "embeddings of 192 elements: expected a multiple of 128" in problem


@pytest.mark.parametrize(
    "name", ["v.patch_embd.weight", "v.blk.1.attn_k.weight", "mm.2.weight", "v.position_embd.weight"]
)
def test_a_missing_tensor_is_named(tmp_path: Path, name: str) -> None:
    assert f"the tensor {name}" in problem_of(vision_files.write(tmp_path / "m.gguf", "mlp", leave_out=[name]))


def test_an_unknown_tensor_is_named_and_an_audio_encoder_is_ignored(tmp_path: Path) -> None:
    def edit(file: gguf.GGUFWriter) -> None:
        for name in ("v.blk.0.attn_q_norm.weight", "a.conv1d.0.weight", "mm.a.fc.weight"):
            file.add_tensor(name, np.zeros(64, np.float32))

    problem = problem_of(vision_files.write(tmp_path / "m.gguf", "mlp", edit=edit))
    assert problem.endswith("cannot be run: the tensor v.blk.0.attn_q_norm.weight is not known")


def test_a_language_model_is_no_mmproj_file(tmp_path: Path) -> None:
    problem = problem_of(tiny.write(tmp_path / "m.gguf", "llama"))
    assert "its architecture is 'llama': an mmproj file's is 'clip'" in problem


@pytest.mark.parametrize(("values", "message"), [((2.0, 1.0), "are 2.0 and 1.0"), ((float("nan"), 1.0), "are nan")])
def test_limits_that_are_none(tmp_path: Path, values: tuple[float, float], message: str) -> None:
    def edit(file: gguf.GGUFWriter) -> None:
        for end, value in zip(("min", "max"), values, strict=True):
            file.add_tensor(f"v.blk.1.attn_v.input_{end}", np.array([value], np.float32))

    with GGUFFile(vision_files.write(tmp_path / "m.gguf", "gemma4v", edit=edit)) as file:
        _, names = mmproj.read(file, KINDS)
        with pytest.raises(UnsupportedError, match=rf"the limits of v.blk.1.attn_v {message}"):
            limits_of(file, names)


@pytest.mark.parametrize("kind", ["gemma3", "gemma4v"])
def test_mutated_headers_give_typed_errors(tmp_path: Path, kind: str, seed: int) -> None:
    """Flipped bytes of the header: the file is read, or refused with an error of this package."""
    chance = np.random.default_rng(seed)
    content = vision_files.write(tmp_path / "m.gguf", kind).read_bytes()
    end = content.index(b"mm.input_projection") + 80
    refused = 0
    for number in range(150):
        broken = bytearray(content)
        for at in chance.integers(8, end, 1 + number % 3):
            broken[at] = chance.integers(0, 256)
        path = tmp_path / "broken.gguf"
        path.write_bytes(broken)
        try:
            with GGUFFile(path) as file:
                _, names = mmproj.read(file, KINDS)
                limits_of(file, names)
        except (GGUFError, UnsupportedError):
            refused += 1
    assert refused > 50
