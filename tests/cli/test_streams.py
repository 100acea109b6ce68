# SPDX-License-Identifier: MIT
"""Output of commands to full disks, closed streams, other encodings, and terminals."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon.cli import info, main
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output
from pyhexagon.errors import HexagonError


@pytest.fixture
def model(gguf_file: Callable[..., Path]) -> Path:
    return gguf_file(**{"é": (Q.Q8_0, weights.random_bytes(Q.Q8_0, 4, 32, np.random.default_rng(0)))})


def run(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = f"{sys.executable} -m pyhexagon {command}"
    environment = os.environ | environment
    return subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("option", ["", "--json"])
def test_a_full_disk_is_told(model: Path, option: str) -> None:
    done = run(f"tensors {option} {model} > /dev/full")
    assert done.returncode == 1
    assert done.stderr == "pyhexagon: error: [Errno 28] No space left on device\n"


@pytest.mark.parametrize(("tensor", "code"), [("é", 0), ("è", 1)])
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_streams_may_be_closed(model: Path, tensor: str, code: int, closed: str) -> None:
    done = run(f"matmul {model} {tensor} --device loopback {closed}")
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_what_an_encoding_lacks_is_escaped(model: Path) -> None:
    done = run(f"tensors {model}", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xe9" in done.stdout


def test_an_error_after_the_answer_leaves_one_json_value(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: argparse.Namespace, output: Output) -> None:
        output.json(["an answer"])
        raise HexagonError("too late")

    monkeypatch.setattr(info, "run", run)
    assert main(["info", "--json"]) == 1
    out = capsys.readouterr()
    assert json.loads(out.out) == ["an answer"]
    assert out.err == "pyhexagon: error: too late\n"


def test_names_in_a_progress_bar_are_no_markup(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Output(as_json=False).progress("[/evil]\x1b[2J"):
        pass
    with progress(1) as (starting, _):
        starting("[/evil]")
    err = capsys.readouterr().err
    assert err.count("[/evil]") >= 2
    assert "\x1b[2J" not in err


def test_tables_have_no_trailing_blanks(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["tensors", str(model)], ["info", "--device", "cpu"]):
        assert main(command) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) > 1
        assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("width", [30, 50, 80, 200])
def test_numbers_are_not_cut_on_a_narrow_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    columns = [("type", False), ("M", True), *((f"number {at}", True) for at in range(9))]
    rows = [[name, "32", *(f"{at},{number}00,000" for at in range(9))] for number, name in enumerate(("Q4_0", "MXFP4"))]
    Output(as_json=False).table(columns, rows, n_keys=2)
    text = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
    tables = [table.splitlines() for table in text.split("\n\n")]
    assert all(len(line) <= width for table in tables for line in table)
    for number, row in enumerate(rows):
        assert [cell for table in tables for cell in table[1 + number].split()[2:]] == row[2:]
        assert all(table[1 + number].split()[:2] == row[:2] for table in tables)
    assert (len(tables) == 1) == (width == 200)
