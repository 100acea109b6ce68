# SPDX-License-Identifier: MIT
"""``pyhexagon show``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from llm import tiny, tiny_qwen35

from pyhexagon import LLM
from pyhexagon.cli import main
from pyhexagon.gguf.file import GGUFFile


def test_what_a_model_is_without_reading_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "gemma3", **tiny.TINY["gemma3"])
    monkeypatch.setattr(GGUFFile, "raw", None)
    assert main(["show", str(path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["architecture"], facts["layers"], facts["window"], facts["context"]) == ("gemma3", 7, 32, 512)
    assert facts["types"]["Q8_0"]["tensors"] == 1 + 7 * 7
    memory = facts["memory"]["q8_0"]
    assert memory["contexts"].keys() == {"512"}
    assert memory["longest_context"] == dict.fromkeys(("4", "8", "12", "16"), 512)
    assert main(["show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "7 of width 128, 4 heads of 32 over 2, a window of 32" in shown
    assert "most on 4 GB" in shown


def test_layers_that_remember(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tiny_qwen35.write(tmp_path / "tiny.gguf", layers=4, interval=4)
    assert main(["show", str(path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["layers"], facts["recurrent_layers"]) == (4, 3)
    n_before, n_channels, n_values, size, n_slots = 3, 256, 4, 32, 5  # four of a sequence, and zeros
    floats = (n_slots * n_before * n_channels, n_slots * n_values * (size + 2) * size)  # two rows more for the scales
    assert facts["remembered_bytes"] == 3 * sum(-(-4 * n // 4096) * 4096 for n in floats)
    with LLM(path, 512, device="loopback") as llm:
        assert facts["memory"]["q8_0"]["contexts"]["512"]["context"] == llm.memory()["context"]
    assert main(["show", str(path)]) == 0
    assert "in 3 layers, 0.3 MiB of the context, however long a text is" in capsys.readouterr().out


def test_a_model_that_cannot_be_run_is_shown_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "mamba")
    assert main(["show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "cannot be run" in shown
    assert "mamba" in shown
