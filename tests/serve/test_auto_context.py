# SPDX-License-Identifier: MIT
"""``serve -c auto``: the longest context that the memory has room for, at most the trained one."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from llm import tiny, vision_files

from pyhexagon import Device
from pyhexagon.cli import llm_options
from pyhexagon.errors import DspMemoryError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.files.weight_types import WEIGHT_TYPES
from pyhexagon.llm.memory import planned
from pyhexagon.llm.vision.memory import planned as planned_encoder
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.loading import DeviceLoader
from pyhexagon.serve.models.pooled_model import LoadedModel, PooledModel


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("models") / "m.gguf", "llama", n_ctx=32768)


def options(path: Path) -> argparse.Namespace:
    return argparse.Namespace(model=str(path), device="cpu", kv=None, mmproj=None)


def size(path: Path, n_ctx: int, n_sequences: int) -> int:
    with GGUFFile(path) as file:
        return sum(planned(file, checked(file), n_ctx, n_sequences=n_sequences))


@pytest.mark.parametrize("n_sequences", [1, 3, 8])
@pytest.mark.parametrize("wanted", [64, 1024, 16384])
def test_one_page_more_would_not_fit(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wanted: int, n_sequences: int
) -> None:
    free = size(path, wanted, n_sequences)
    monkeypatch.setattr(llm_options, "available", lambda: -(-free * 8 // 7))
    chosen = llm_options.automatic_context(options(path), n_sequences)
    assert wanted - 64 <= chosen <= wanted  # the plan counts pages of memory
    assert size(path, chosen, n_sequences) <= free + 8 < size(path, chosen + 128, n_sequences)
    assert f"{chosen} tokens of context for {n_sequences} sequences" in capsys.readouterr().err


def test_it_is_at_most_what_the_model_was_trained_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm_options, "available", lambda: 1 << 40)
    assert llm_options.automatic_context(options(path), 4) == 32768
    monkeypatch.setattr(llm_options, "available", lambda: 1 << 10)
    with pytest.raises(DspMemoryError, match="-c auto: the model needs"):
        llm_options.automatic_context(options(path), 4)


def test_an_image_encoder_leaves_less(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mmproj = vision_files.write(tmp_path / "mmproj.gguf", "internvl", width=128, ffn=512)
    monkeypatch.setattr(llm_options, "available", lambda: -(-size(path, 16384, 4) * 8 // 7))
    lengths = []
    for choice in WEIGHT_TYPES:
        given = options(path)
        given.mmproj, given.mmproj_weights = str(mmproj), choice
        lengths.append(llm_options.automatic_context(given, 4))
        with GGUFFile(mmproj) as file:
            n_bytes = size(path, lengths[-1], 4) + sum(planned_encoder(file, choice).memory)
        assert 0 <= size(path, 16384, 4) - n_bytes < size(path, 4 * 64, 4) - size(path, 64, 4) + (1 << 16)
    assert 64 < lengths[0] < lengths[1] < 16384


def test_encoders_have_the_trained_length(tmp_path: Path) -> None:
    assert llm_options.automatic_context(options(tiny.write_encoder(tmp_path / "e.gguf", "bert")), 4) == 128


def test_several_models_have_equal_parts_of_the_memory(path: Path, tmp_path: Path) -> None:
    encoder = tiny.write_encoder(tmp_path / "e.gguf", "bert")
    part = size(path, 8192, 2) + 8
    with Device("loopback") as device:
        for n_bytes, n_ctx in ((part, 8192), (1, 4096)):  # at least as without -c
            loader = DeviceLoader([device], Limits(n_parallel=2), Metrics(), context_bytes=n_bytes)
            assert loader.n_bytes(str(path)) == pytest.approx(size(path, n_ctx, 2), abs=1 << 17)
            assert loader.n_bytes(str(encoder)) > 0
        loaded = loader.load(PooledModel("m", str(path), n_ctx=5000), lambda: None)
        assert isinstance(loaded, LoadedModel)
        assert loaded.model.n_ctx == 5000
        loaded.close()
