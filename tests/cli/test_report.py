# SPDX-License-Identifier: MIT
"""``pyhexagon report``: what the file does not contain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyhexagon import cli
from pyhexagon.cli import report


def test_a_report_names_neither_the_home_directory_nor_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("socket.gethostname", lambda: "my-board-7")
    missing = str(tmp_path / "home/my-board-7.gguf")
    monkeypatch.setattr(report, "_steps", lambda model, device: {"show": ["show", missing, "--json"]})
    out = tmp_path / "report.json"
    assert cli.main(["report", "--out", str(out)]) == 0
    assert f"exit code 1: {missing}: No such file" in capsys.readouterr().out
    step = json.loads(out.read_text())["steps"]["show"]
    assert step["command"] == ["pyhexagon", "show", "~/HOST.gguf", "--json"]
    assert "~/HOST.gguf" in json.dumps(step["result"])
    assert "my-board-7" not in out.read_text()
    assert str(tmp_path) not in out.read_text()
