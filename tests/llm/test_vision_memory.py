# SPDX-License-Identifier: MIT
"""Plans of image encoders: tokens and bytes before loading, beside those of the loaded encoder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from llm import vision_files
from llm.test_vision_chat import PICTURE, content, write
from pyhexagon import LLM, Device, DspMemoryError
from pyhexagon.cli import main
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm import memory as text_memory
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.files.weight_types import WEIGHT_TYPES
from pyhexagon.llm.memory import SessionMemory, used
from pyhexagon.llm.vision.encoder import ImageEncoder
from pyhexagon.llm.vision.kinds import KINDS
from pyhexagon.llm.vision.memory import PICTURE as PLANNED
from pyhexagon.llm.vision.memory import planned


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_plan_is_what_the_encoder_takes(tmp_path: Path, kind: str) -> None:
    """Weights exactly; activations within a factor of two."""
    number = sorted(KINDS).index(kind)
    weights, choice = Type.Q8_0 if number % 2 else Type.F16, WEIGHT_TYPES[number // 2 % 2]
    is_tile = KINDS[kind].positions == "tile"
    sizes: dict[str, Any] = {"width": 128, "heads": 2, "ffn": 512, "image": 160 if is_tile else 64, "patch": 16}
    path = vision_files.write(tmp_path / "m.gguf", kind, weights=weights, **sizes)
    with Device("cpu") as device, GGUFFile(path) as file:
        plan = planned(file, choice)
        encoder = ImageEncoder(device, file, weights=choice)
        before = _sum(used(device, encoder.weights(), ()))
        assert before.model == plan.memory.model
        tiles = encoder.tiles(np.zeros((PLANNED[1], PLANNED[0], 3), np.uint8))
        rows = [len(encoder.embed(tile)) for tile in (*tiles.parts, tiles.whole)]
        taken = _sum(used(device, encoder.weights(), ())).compute - before.compute
        assert 0.5 < plan.memory.compute / taken < 2
        assert (plan.n_tiles, plan.n_tokens) == (len(rows), sum(rows))


def _sum(sessions: list[SessionMemory]) -> SessionMemory:
    total = SessionMemory(0, 0, 0)
    for one in sessions:
        total = total.plus(one)
    return total


def test_an_encoder_that_does_not_fit_is_refused_before_loading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, mmproj = write(tmp_path, "internvl")
    with GGUFFile(text) as file, GGUFFile(mmproj) as encoder:
        room = sum(text_memory.planned(file, checked(file), 256)) + sum(planned(encoder).memory) // 2
    monkeypatch.setattr(text_memory, "available", lambda: room)
    with LLM(text, 256, device="cpu"):
        pass
    with pytest.raises(DspMemoryError, match=r"needs .* bytes: model"):
        LLM(text, 256, mmproj=mmproj, device="cpu")


def test_show_has_the_encoder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    text, mmproj = write(tmp_path, "idefics3")
    assert main(["pull", str(text), "--mmproj", str(mmproj), "--name", "sees"]) == 0
    capsys.readouterr()
    facts = []
    quantized = ["--mmproj-weights", "q8_0"]
    for arguments in (
        ["sees"], [str(text), "--mmproj", str(mmproj)], ["sees", "--no-mmproj"], ["sees", *quantized]
    ):  # fmt: skip
        assert main(["show", *arguments, "--json"]) == 0
        facts.append(json.loads(capsys.readouterr().out))
    with_it, by_file, without, smaller = facts
    assert (with_it["images"]["types"], with_it["images"]["quantized"]) == ({"F16": 14}, 0)
    assert (smaller["images"]["types"], smaller["images"]["quantized"]) == ({"F16": 1, "Q8_0": 13}, 13)
    assert smaller["images"]["memory"]["model"] < with_it["images"]["memory"]["model"]
    assert with_it["images"] == by_file["images"]
    assert without["images"] is None
    assert (with_it["images"]["projector"], with_it["images"]["tokens"]) == ("idefics3", 16 * 5)
    more, less = (one["memory"]["q8_0"]["contexts"]["512"] for one in (with_it, without))
    assert {name: more[name] - less[name] for name in more} == with_it["images"]["memory"]
    assert main(["show", "sees"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "M parameters, F16 14; a picture of 1024 x 768: 5 tiles, 80 tokens of the context" in shown
    assert "--mmproj-weights" not in shown  # a tiny encoder takes no time
    assert main(["show", "sees", *quantized]) == 0
    assert "Q8_0 13, F16 1 (13 quantized at load); a picture" in " ".join(capsys.readouterr().out.split())


def test_what_a_picture_takes_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, mmproj = write(tmp_path, "internvl")
    command = ["run", str(text), "--mmproj", str(mmproj), "--tokens", "1,2", "-n", "1", "--device", "cpu"]
    with GGUFFile(mmproj) as file:
        n_tokens = planned(file).n_tokens
    of_picture = f"{n_tokens} tokens for 1024 x 768 pixels\n"
    assert main([*command, "-c", "512"]) == 0
    assert f"images: internvl, F16 15, {of_picture}" in capsys.readouterr().err
    assert main([*command, "-c", "512", "--mmproj-weights", "q8_0"]) == 0
    assert f"images: internvl, Q8_0 14, F16 1 (14 quantized at load), {of_picture}" in capsys.readouterr().err
    assert main([*command, "-c", "64"]) == 0
    assert "pixels, more than the context length 64: a larger -c" in capsys.readouterr().err
    with LLM(text, 256, mmproj=mmproj, device="cpu") as llm:
        before = llm.memory()
        assert llm.report()["vision"]["tokens"] == n_tokens
        list(llm.chat(content(PICTURE, "the"), 1))
        assert llm.memory()["context"] == before["context"]
