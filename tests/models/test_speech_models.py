# SPDX-License-Identifier: MIT
"""Speech models by name: the catalogue, pull, link."""

from __future__ import annotations

from math import prod
from pathlib import Path

import gguf
import pytest
from gguf import GGMLQuantizationType as Q
from speech import whisper_files
from speech.whisper_files import ENGLISH, MULTILINGUAL, V3

from models.fake_hub import FakeHub
from pyhexagon.cli import main
from pyhexagon.errors import ArgumentError
from pyhexagon.models import catalogue, store
from pyhexagon.models.hub import choose
from pyhexagon.models.pull import pull
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.hyper_parameters import HyperParameters
from pyhexagon.speech.tensor_shapes import Role, tensor_shapes

REPO = "ggerganov/whisper.cpp"
TEXT_BYTES = {False: 320_827, True: 307_057}  # of the 50,257 texts in English and multilingual files
SHAPES = {"tiny": (384, 4), "base": (512, 6), "small": (768, 12), "medium": (1024, 24), "large": (1280, 32)}


def hyper_parameters(name: str) -> HyperParameters:
    """Return the hyper-parameters that OpenAI published for a model."""
    width, n_layers = SHAPES[name.partition("-")[0].partition(".")[0]]
    n_vocab = ENGLISH if ".en" in name else V3 if "-v3" in name else MULTILINGUAL
    n_text_layers = 4 if "turbo" in name else n_layers
    heads = width // 64
    n_mels = 128 if "-v3" in name else 80
    return HyperParameters(n_vocab, 1500, width, heads, n_layers, 448, width, heads, n_text_layers, n_mels, 1)


def test_published_files_have_the_sizes_that_their_tensors_add_up_to() -> None:
    """So the names and shapes of all tensors of all models are right, though none of the files is here."""
    models = {name: one for name, one in catalogue.published().items() if name.startswith("whisper:")}
    assert len(models) == 33
    for name, model in models.items():
        tag = name.removeprefix("whisper:")
        assert (model.repo, model.file) == (REPO, f"ggml-{tag}.bin")
        base, _, kind = tag.rpartition("-q")
        dtype, of = (Q[f"Q{kind}"], hyper_parameters(base)) if base else (Q.F16, hyper_parameters(tag))
        size = 48 + 8 + 4 * of.n_mels * 201 + 4 + 4 * 50_257 + TEXT_BYTES[of.is_multilingual]
        for tensor, (role, shape) in tensor_shapes(of).items():
            own = {Role.MATRIX: dtype, Role.CONVOLUTION: Q.F16, Role.VECTOR: Q.F32}[role]
            block, n_bytes = gguf.GGML_QUANT_SIZES[own]
            size += 12 + 4 * len(shape) + len(tensor) + prod(shape) // block * n_bytes
        assert size == model.size, name


@pytest.fixture
def published(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Publish a small file as whisper:tiny.en; return its bytes."""
    content = whisper_files.write(tmp_path / "tiny.bin").read_bytes()
    known = {"whisper:tiny.en": catalogue.Published(REPO, "ggml-tiny.en.bin", len(content))}
    monkeypatch.setattr(catalogue, "published", lambda: known)
    hub.files[REPO] = {"README.md": b"text", "ggml-tiny.en.bin": content, "ggml-tiny.en-encoder.mlmodelc.zip": b"PK"}
    return content


def test_a_speech_model_is_pulled_by_name(published: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pull", "whisper"]) == 0
    assert "pyhexagon transcribe --model whisper:tiny.en FILE" in capsys.readouterr().out
    path = store.resolve("whisper:tiny.en")
    assert Path(path).read_bytes() == published
    assert WhisperFile(path).hyper_parameters == whisper_files.TINY
    entry = pull(f"https://huggingface.co/{REPO}/resolve/main/ggml-tiny.en.bin")
    assert entry.name == f"hf:{REPO}:ggml-tiny.en.bin"
    assert main(["show", "whisper:tiny.en"]) == 0
    assert "2 heads, 16 tokens" in capsys.readouterr().out


def test_files_of_whisper_cpp_are_meant_by_their_whole_names() -> None:
    names = ["ggml-tiny.en.bin", "ggml-tiny.en-q5_1.bin", "ggml-tiny.en-encoder.mlmodelc.zip", "model.bin"]
    assert choose(REPO, names, "ggml-tiny.en-q5_1.bin") == ["ggml-tiny.en-q5_1.bin"]
    for selector in ("", "q5_1", "ggml-base.bin", "ggml-tiny.en-encoder.mlmodelc.zip", "model.bin"):
        with pytest.raises(ArgumentError, match=f"{REPO} has no "):
            choose(REPO, names, selector)


@pytest.mark.usefixtures("published")
def test_a_file_is_linked_if_it_is_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tiny.bin"
    assert main(["pull", str(path), "--name", "mine"]) == 0
    assert "pyhexagon transcribe --model mine FILE" in capsys.readouterr().out
    assert store.resolve("mine").endswith("/mine/tiny.bin")
    assert main(["rm", "mine"]) == 0
    assert path.exists()
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["pull", str(path), "--name", "mine"]) == 1
    assert "truncated or corrupt" in capsys.readouterr().err
    assert store.find("mine") is None
