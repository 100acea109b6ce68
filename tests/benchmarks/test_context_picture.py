# SPDX-License-Identifier: MIT
"""benchmarks.context_picture draws the records of ``bench context``."""

from __future__ import annotations

from pathlib import Path

import pytest
from llm import tiny

from benchmarks.context_picture import main
from pyhexagon import cli


def test_a_picture_of_contexts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, records = tiny.write(tmp_path / "tiny.gguf", "llama"), tmp_path / "context.json"
    command = ["bench", "context", "128,1K", str(model), "--device", "loopback", "-p", "8", "-n", "1", "--no-cpu"]
    assert cli.main([*command, "--json"]) == 0
    records.write_text(capsys.readouterr().out)
    for place in ("a.svg", "b.svg"):
        assert main([str(records), "a model", str(tmp_path / place)]) == 0
    text = (tmp_path / "a.svg").read_text()
    assert "tokens of context" in text
    assert "a model, cache q8_0, measured on loopback" in text
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert main([str(records), "a model", str(tmp_path / "contexts.pdf")]) == 1
    assert "a picture is a .png or .svg file" in capsys.readouterr().err
    records.write_text("[{}]")
    assert main([str(records), "a model", str(tmp_path / "a.svg")]) == 1
    assert "does not hold records with n_ctx" in capsys.readouterr().err
