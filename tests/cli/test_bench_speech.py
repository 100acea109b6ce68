# SPDX-License-Identifier: MIT
"""``bench speech``: packets of a whisper file, counted with one layer, and the real-time factor that follows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from speech import whisper_files

from pyhexagon.cli import main
from pyhexagon.speech.ggml_file import WhisperFile


def costs(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["bench", "speech", "--json", *arguments]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_each_layer_of_a_file_costs_the_same(qemu: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {}
    for n_layers in (1, 2, 3):
        sizes = replace(whisper_files.sized(64, n_layers), n_text_ctx=80)
        path = whisper_files.write(tmp_path / f"{n_layers}.bin", sizes)
        found[n_layers] = costs(capsys, str(path), "--kv", "q8_0")
        assert WhisperFile(path).hyper_parameters.n_audio_layer == n_layers
    for part in ("encoding", "token"):
        one, two, three = ([found[n][part][name] for name in ("packets", "busiest", "bytes")] for n in (1, 2, 3))
        assert all(0 < a < b for a, b in zip(one, two, strict=True))
        for a, b, c in zip(one, two, three, strict=True):  # packets depend a little on weights, which are random
            assert c - b == pytest.approx(b - a, rel=0.03)
        assert one[0] >= one[1]
    factors = found[3]["real_time_factor"]
    assert 0 < factors["low"] < factors["expected"] < factors["high"]
    assert found[3]["threads"] == 4


def test_a_language_model_is_no_speech_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + bytes(300))
    assert main(["bench", "speech", str(path)]) == 1
    assert "not a model of whisper.cpp: a GGUF file" in capsys.readouterr().err
