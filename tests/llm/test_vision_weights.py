# SPDX-License-Identifier: MIT
"""Image encoders whose float weights are quantized when they are uploaded: the bits, the plan and the accuracy of a
file that was quantized before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from llm import vision_files, vision_oracle
from llm.test_vision_chat import PICTURE, answer, content, write
from llm.test_vision_encoders import embed, error_of, tile_of
from llm.vision_oracle import RECORDED, picture_of
from llm.vision_reference import VisionReference
from pyhexagon import LLM, ArgumentError, Device
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.vision.encoder import ImageEncoder
from pyhexagon.llm.vision.kinds import KINDS
from pyhexagon.llm.vision.memory import planned

ALL: Final[dict[str, dict[str, Any]]] = json.loads(RECORDED.read_text())
MOST_RATIO: Final = 1.2  # of the errors, ours over llama.cpp's with a file that was quantized before
# Of the push lane: a transposed matrix, a convolution among the projectors, halves of heads, deepstack, and vectors
# that the host computes.
SAMPLE: Final = "gemma3", "glm4v", "gemma4v", "qwen3vl_merger", "resampler", "ldp"


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("cpu") as device:
        yield device


def is_equal(device: Device, folder: Path, kind: str, **options: Any) -> None:
    """Compare an encoder that is quantized at load with one of a file that gguf quantized."""
    path = vision_files.write(folder / "m.gguf", kind, **options)
    before = vision_files.quantized(path, folder / "q.gguf")
    tile = tile_of(kind)
    with GGUFFile(path) as file, GGUFFile(before) as other:
        plan, wanted = planned(file, "q8_0"), planned(other)
        assert planned(other, "q8_0") == wanted._replace(weights="q8_0")  # there is nothing left to quantize
        assert plan == wanted._replace(weights="q8_0", n_quantized=plan.n_quantized)
        assert 0 < plan.n_quantized == plan.types["Q8_0"]
        assert plan.memory.model < planned(file).memory.model
        encoders = [
            ImageEncoder(device, file, weights="q8_0"), ImageEncoder(device, other), ImageEncoder(device, file)
        ]  # fmt: skip
    rows = [one.embed(tile) for one in encoders]
    assert encoders[0].nbytes == encoders[1].nbytes < encoders[2].nbytes
    assert encoders[0].fingerprint == encoders[1].fingerprint != encoders[2].fingerprint
    for one in encoders:
        one.close()
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


@pytest.mark.parametrize("kind", SAMPLE)
def test_the_bits_are_those_of_a_file_that_was_quantized_before(device: Device, tmp_path: Path, kind: str) -> None:
    is_equal(device, tmp_path, kind)


@pytest.mark.long
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - set(SAMPLE)))
def test_the_bits_of_each_other_kind(device: Device, tmp_path: Path, kind: str) -> None:
    is_equal(device, tmp_path, kind)


@pytest.mark.parametrize("weights", [Type.BF16, Type.F32])
def test_other_floats(device: Device, tmp_path: Path, weights: Type) -> None:
    is_equal(device, tmp_path, "idefics3", weights=weights)


def test_rows_without_whole_blocks_keep_their_type(device: Device, tmp_path: Path) -> None:
    is_equal(device, tmp_path, "gemma3", ffn=80)
    with GGUFFile(tmp_path / "m.gguf") as file:
        plan = planned(file, "q8_0")
    # Two layers: queries, keys, values, outputs and up; the rows of down are 80 long. The kernel, the projection.
    assert plan.types == {"Q8_0": 10, "F16": 4}


@pytest.mark.parametrize("name", ["loopback", "loopback:qemu"])
def test_the_same_bits_on_each_engine(device: Device, tmp_path: Path, name: str) -> None:
    path = vision_files.write(tmp_path / "m.gguf", "qwen2.5vl_merger", width=32, heads=1, ffn=48, projection=32)
    tile = tile_of("qwen2.5vl_merger", 16)
    with Device(name) as other:
        assert np.array_equal(embed(other, path, tile, "q8_0"), embed(device, path, tile, "q8_0"))


@pytest.mark.parametrize("kind", ["gemma3", "qwen3vl_merger"])
def test_the_error_beside_llama_cpp_s(device: Device, tmp_path: Path, kind: str) -> None:
    compare(device, tmp_path, kind)


@pytest.mark.long
@pytest.mark.parametrize("kind", [case for case, weights, _ in vision_oracle.cases() if weights == "Q8_0"])
def test_all_errors_beside_llama_cpp_s(device: Device, tmp_path: Path, kind: str) -> None:
    compare(device, tmp_path, kind)


def compare(device: Device, folder: Path, kind: str) -> None:
    """Compare with a float64 pass of the quantized weights, as the recorded figures of llama.cpp do."""
    path = vision_oracle.write(folder, kind, "F16")
    with GGUFFile(path) as file:
        encoder = ImageEncoder(device, file, weights="q8_0")
    tiles = encoder.tiles(picture_of("small"))
    rows = np.concatenate([encoder.embed(tile) for tile in tiles.in_order()])
    encoder.close()
    reference = VisionReference(vision_files.quantized(path, folder / "q.gguf"))
    wanted = np.concatenate([reference.embeddings(tile) for tile in tiles.in_order()])
    error = float(((rows - wanted) ** 2).sum() / (wanted**2).sum())
    assert error < MOST_RATIO * ALL[f"{kind} Q8_0 small"]["nmse"], f"{error:.2e}"


def test_the_error_from_the_float16_weights(device: Device, tmp_path: Path) -> None:
    """It is that of the activations, and about as much again of the weights: docs/vision.md, "Float encoders"."""
    path, tile = vision_files.write(tmp_path / "m.gguf", "gemma3"), tile_of("gemma3")
    before = vision_files.quantized(path, tmp_path / "q.gguf")
    rows = embed(device, path, tile, "q8_0")
    of_activations, of_all = error_of(rows, before, tile), error_of(rows, path, tile)
    assert 10 * error_of(embed(device, path, tile), path, tile) < of_activations < of_all < 6 * of_activations


def test_a_language_model_with_a_quantized_encoder(device: Device, tmp_path: Path) -> None:
    text, mmproj = write(tmp_path, "internvl")
    before, messages = vision_files.quantized(mmproj, tmp_path / "q.gguf"), content("an ", PICTURE, " he")
    saved = tmp_path / "saved.npz"
    with LLM(text, 256, mmproj=before, device=device) as llm:
        wanted = answer(llm, messages)
        prompt, embeddings = llm.chat_prompt(messages)
        llm.save(saved, prompt, embeddings=embeddings)
        model_bytes = llm.memory()["model"]
    with LLM(text, 256, mmproj=mmproj, mmproj_weights="q8_0", device=device) as llm:
        assert llm.load(saved) == prompt  # the embeddings have the same bits
        assert answer(llm, messages) == wanted
        facts = llm.report()["vision"]
        assert (facts["weights"], facts["quantized"]) == ("q8_0", facts["types"]["Q8_0"])
        assert llm.memory()["model"] == model_bytes
        llm.save(saved, prompt, embeddings=embeddings)
    with LLM(text, 256, mmproj=mmproj, device=device) as llm:
        assert answer(llm, messages) != wanted
        assert llm.memory()["model"] > model_bytes
        with pytest.raises(ArgumentError, match="with which it was saved, and the same mmproj_weights"):
            llm.load(saved)


def test_weights_that_cannot_be_quantized_are_named(device: Device, tmp_path: Path) -> None:
    path = vision_files.write(tmp_path / "m.gguf", "gemma3")
    (at,) = (one.data_offset for one in gguf.GGUFReader(path).tensors if one.name == "v.blk.1.ffn_up.weight")
    with path.open("r+b") as content:
        content.seek(int(at))
        content.write(np.array([np.inf], np.float16).tobytes())
    with GGUFFile(path) as file:
        ImageEncoder(device, file).close()
        message = r"m\.gguf: the tensor v\.blk\.1\.ffn_up\.weight: weights with NaN or infinity cannot be quantised"
        with pytest.raises(ArgumentError, match=message):
            ImageEncoder(device, file, weights="q8_0")


def test_another_choice_is_refused_before_a_device_opens(tmp_path: Path) -> None:
    text, mmproj = write(tmp_path, "internvl")
    options: Any = {"mmproj": mmproj, "mmproj_weights": "Q4_0", "device": "none-such"}
    with pytest.raises(ArgumentError, match="mmproj_weights is 'Q4_0': expected 'file' or 'q8_0'"):
        LLM(text, 256, **options)
