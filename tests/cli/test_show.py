# SPDX-License-Identifier: MIT
"""``pyhexagon show``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from llm import tiny

from pyhexagon.cli import main
from pyhexagon.gguf_file import GGUFFile


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


def test_a_model_that_cannot_be_run_is_shown_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "mamba")
    assert main(["show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "cannot be run" in shown
    assert "mamba" in shown
