# SPDX-License-Identifier: MIT
"""Image encoders and projectors, one row for each kind: against a float64 pass, and with the same bits everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest
from gguf import GGMLQuantizationType as Type

from llm import vision_files
from llm.vision_reference import VisionReference
from pyhexagon import ArgumentError, Device
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.files.weight_types import WeightType
from pyhexagon.llm.vision.encoder import ImageEncoder
from pyhexagon.llm.vision.kinds import KINDS

# Limits of the normalised mean squared error. Rounding of activations is most of it: to 14 bits beside float16 weights,
# to 8 bits beside others. llama.cpp's figures are in recorded/vision.json.
MOST: Final[dict[Type | str, float]] = {
    Type.F16: 8e-7, Type.Q8_0: 4e-4, Type.Q4_0: 4e-4,
    # Norms of heads make attention's weights far from equal; Gemma's logits are not even scaled.
    "gemma4v": 4e-6, "glm4v": 2e-6,
}  # fmt: skip
# Other sizes than the writer's: the kind, and its arguments. Heads of 64, 72 and 80; an odd number of layers and seeds.
OTHERS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("gemma3", {"width": 128, "heads": 2, "merge": 4, "seed": 2}),
    ("idefics3", {"width": 144, "heads": 2, "layers": 3, "projection": 96, "seed": 3}),
    ("internvl", {"width": 160, "heads": 2, "image": 40, "patch": 10, "seed": 4}),
    ("qwen2.5vl_merger", {"width": 160, "heads": 2, "patch": 14, "layers": 4, "seed": 5}),
    ("pixtral", {"width": 128, "heads": 2, "merge": 1, "seed": 6}),
    ("qwen3vl_merger", {"width": 144, "heads": 2, "layers": 3, "seed": 7}),
    ("gemma4v", {"width": 128, "heads": 2, "merge": 3, "patch": 5, "seed": 8}),
    ("paddleocr", {"width": 144, "heads": 2, "layers": 3, "seed": 9}),
    ("resampler", {"width": 144, "heads": 2, "projection": 256, "seed": 10}),
    ("minicpmv4_6", {"width": 144, "heads": 2, "layers": 3, "keys": {"clip.vision.wa_layer_indexes": [1]}, "seed": 11}),
]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("cpu") as device:
        yield device


def embed(
    device: Device, path: Path, tile: npt.NDArray[np.float32], weights: WeightType = "file"
) -> npt.NDArray[np.float32]:
    with GGUFFile(path) as file:
        encoder = ImageEncoder(device, file, weights=weights)
    try:
        rows = encoder.embed(tile)
        assert rows.shape[1] == encoder.config.embedding_width
        return rows
    finally:
        encoder.close()


def tile_of(kind: str, side: int = 32, wider: int = 16) -> npt.NDArray[np.float32]:
    """Return a normalised tile: of kinds that take any size, no square."""
    takes_any = KINDS[kind].positions != "tile"
    picture = vision_files.picture(side + wider if takes_any else side, side, seed=9)
    return np.asarray((picture / np.float32(255) - 0.5) / 0.3, np.float32)


def error_of(ours: npt.NDArray[np.float32], path: Path, tile: npt.NDArray[np.float32]) -> float:
    wanted = VisionReference(path).embeddings(tile)
    assert ours.shape == wanted.shape
    return float(((ours - wanted) ** 2).sum() / (wanted**2).sum())


def test_each_kind_has_a_row() -> None:
    assert sorted(vision_files.KINDS) == sorted(KINDS)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_embeddings_are_near_the_float64_pass(device: Device, tmp_path: Path, kind: str) -> None:
    path = vision_files.write(tmp_path / "m.gguf", kind)
    tile = tile_of(kind)
    ours = embed(device, path, tile)
    assert error_of(ours, path, tile) < MOST.get(kind, MOST[Type.F16])
    assert error_of(ours[::-1], path, tile) > 0.1  # another order of the rows is far off


@pytest.mark.parametrize(("kind", "options"), OTHERS)
def test_other_widths_heads_and_seeds(device: Device, tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    path = vision_files.write(tmp_path / "m.gguf", kind, **options)
    patch, is_square = options.get("patch", 4), KINDS[kind].positions == "tile"
    unit = patch * (KINDS[kind].merge if kind == "minicpmv4_6" else options.get("merge", 2))
    tile = tile_of(kind, options.get("image", 32 if is_square else 4 * unit), unit)
    assert error_of(embed(device, path, tile), path, tile) < MOST.get(kind, MOST[Type.F16])


@pytest.mark.parametrize("weights", [Type.Q8_0, Type.Q4_0])
@pytest.mark.parametrize("kind", ["gemma3", "idefics3", "qwen2.5vl_merger"])
def test_quantized_weights(device: Device, tmp_path: Path, kind: str, weights: Type) -> None:
    path = vision_files.write(tmp_path / "m.gguf", kind, weights=weights)
    tile = tile_of(kind)
    assert error_of(embed(device, path, tile), path, tile) < MOST[weights]


def test_exchanged_names_of_the_feed_forward_net(device: Device, tmp_path: Path) -> None:
    """Old files call the downward projection ffn_up; llama.cpp tells by the shape."""
    tile = tile_of("mlp")
    paths = [vision_files.write(tmp_path / f"{swaps}.gguf", "mlp", swaps_ffn=swaps) for swaps in (False, True)]
    one, other = (embed(device, path, tile) for path in paths)
    assert np.array_equal(one, other)


def test_programs_of_grids_are_kept_and_freed(device: Device, tmp_path: Path) -> None:
    path = vision_files.write(tmp_path / "m.gguf", "pixtral")
    with GGUFFile(path) as file:
        encoder = ImageEncoder(device, file)
    tiles = [tile_of("pixtral", side) for side in (16, 24, 32, 40, 48, 56)]
    first = [encoder.embed(tile) for tile in tiles]
    assert all(np.array_equal(encoder.embed(tile), rows) for tile, rows in zip(tiles, first, strict=True))
    assert len(encoder._compiled) == 4
    encoder.close()
    assert not encoder.tensors()


@pytest.mark.parametrize(
    "tile",
    [
        np.zeros((32, 36, 3), np.float32), np.zeros((32, 32), np.float32), np.zeros((32, 32, 3)),
        np.zeros((4, 32, 3), np.float32), np.zeros((520, 520, 3), np.float32),
    ],
)  # fmt: skip
def test_a_tile_of_a_wrong_shape_is_refused(device: Device, tmp_path: Path, tile: npt.NDArray[Any]) -> None:
    path = vision_files.write(tmp_path / "m.gguf", "qwen2vl_merger")
    with pytest.raises(ArgumentError, match="a tile of float"):
        embed(device, path, tile)


@pytest.mark.parametrize("name", ["loopback", "loopback:qemu"])
def test_the_same_bits_on_each_engine(device: Device, tmp_path: Path, name: str) -> None:
    """A kind with windows, rotary positions and a gate: nearly all ops."""
    path = vision_files.write(tmp_path / "m.gguf", "qwen2.5vl_merger", width=32, heads=1, ffn=48, projection=32)
    tile = tile_of("qwen2.5vl_merger", 16)
    with Device(name) as other:
        assert np.array_equal(embed(other, path, tile), embed(device, path, tile))


@pytest.mark.long
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_same_bits_of_each_kind_on_each_engine(device: Device, tmp_path: Path, kind: str) -> None:
    path = vision_files.write(tmp_path / "m.gguf", kind)
    tile = tile_of(kind)
    wanted = embed(device, path, tile)
    for name in ("loopback", "loopback:qemu"):
        with Device(name) as other:
            assert np.array_equal(embed(other, path, tile), wanted)
