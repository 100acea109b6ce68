# SPDX-License-Identifier: MIT
"""``pyhexagon show`` of a speech model, the memory it plans, and commands that want a language model instead."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from gguf import GGMLQuantizationType as Q

from pyhexagon import Device
from pyhexagon.cli import main
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.memory import planned
from pyhexagon.speech.model import WhisperModel
from speech import whisper_files
from speech.whisper_files import V3


def test_show_says_what_a_speech_model_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = replace(whisper_files.sized(64, 4), n_vocab=V3, n_mels=128, ftype=whisper_files.FTYPES[Q.Q5_0])
    path = whisper_files.write(tmp_path / "w.bin", sizes)
    assert main(["show", str(path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["architecture"], facts["size"], facts["n_mels"], facts["n_text_layer"]) == ("whisper", "tiny", 128, 4)
    assert (len(facts["languages"]), facts["languages"][-1]) == (100, "yue")
    assert {name: one["tensors"] for name, one in facts["types"].items()} == {"F32": 100, "F16": 2, "Q5_0": 65}
    assert sum(one["bytes"] for one in facts["types"].values()) < path.stat().st_size
    assert main(["show", str(path)]) == 0
    shown = capsys.readouterr().out
    for line in ("whisper tiny, a speech model: pyhexagon transcribe", "100", "128 mel bands, 0.48 s", "51,866 tokens"):
        assert line in shown
    odd = whisper_files.write(tmp_path / "odd.bin", replace(sizes, n_audio_layer=5))
    assert main(["show", str(odd)]) == 0
    assert "whisper, a speech model" in capsys.readouterr().out


@pytest.mark.parametrize("weights", ["file", "q8_0"])
def test_the_memory_is_what_a_loaded_model_takes(tmp_path: Path, weights: str) -> None:
    sizes = replace(whisper_files.sized(128, 2), n_audio_ctx=70, n_text_ctx=80, ftype=whisper_files.FTYPES[Q.F16])
    file = WhisperFile(whisper_files.write(tmp_path / "w.bin", sizes))
    plan = planned(file, weights=weights)
    with Device("cpu") as device:
        model = WhisperModel(
            device, file, weights=weights, kv="f16", n_sequences=1, n_windows=1,  # type: ignore[arg-type]
            lock=threading.Lock(), check=lambda: None,
        )  # fmt: skip
        assert plan.weights == model.model.weights.nbytes
        assert plan.audio == sum(tensor.nbytes for tensor in model.encoder_cache.tensors())
        model.close()


@pytest.mark.parametrize("command", ["chat", "run", "embed"])
def test_commands_for_language_models_name_the_other_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    path = whisper_files.write(tmp_path / "ggml-tiny.bin")
    assert main([command, str(path), *(["text"] if command != "chat" else []), "--device", "cpu"]) == 1
    assert "a speech model of whisper.cpp; pyhexagon transcribe runs it" in capsys.readouterr().err
