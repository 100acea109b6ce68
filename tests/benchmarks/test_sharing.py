# SPDX-License-Identifier: MIT
"""benchmarks.sharing counts the rows that CPU and DSP share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from llm import tiny

from benchmarks.sharing import main


def test_the_benchmark_counts_meetings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "llama", **tiny.TINY["llama"])
    command = [str(path), "--device", "loopback", "--cpu-share", "0,0.5", "-n", "3"]
    assert main([*command, "--json"]) == 0
    alone, shared = json.loads(capsys.readouterr().out)
    assert alone["meetings_per_token"] == 0
    assert shared["meetings_per_token"] == 2 * 5 + 1  # keys and values have one tile each, which the DSP keeps
    assert shared["cpu_rows_per_token"] + shared["taken_rows_per_token"] > 0
    assert main(command) == 0
    assert "meetings/token" in capsys.readouterr().out
