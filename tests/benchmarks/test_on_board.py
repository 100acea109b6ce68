# SPDX-License-Identifier: MIT
"""benchmarks.on_board: measures on the board, saves and draws here."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from deploy import boards
from deploy.boards import FakeBoard

from benchmarks import on_board
from benchmarks.board import main


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FakeBoard]:
    with boards.running(tmp_path / "board", {}) as board:
        board.put_old_version()
        python = board.program.with_name("python")
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)
        yield board


def bench(board: FakeBoard, *arguments: object) -> int:
    usual = ("board", "-F", board.folder / "ssh_config", "--prefix", board.prefix_in_home, "--device", "loopback")
    return on_board.main([*map(str, (*usual, "--types", "Q4_0,Q6_K", "--shape", "64x256", *arguments))])


def test_the_result_comes_back(board: FakeBoard, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, picture = tmp_path / "q6a.json", tmp_path / "q6a.png"
    assert bench(board, "--json", "--out", saved, "--picture", picture) == 0
    result = json.loads(capsys.readouterr().out)
    assert json.loads(saved.read_text()) == result
    assert [(record["type"], record["n"], record["k"]) for record in result["records"]] == [
        ("Q4_0", 64, 256), ("Q6_K", 64, 256),
    ]  # fmt: skip
    assert result["environment"]["device"]["device"] == "loopback"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main([str(saved)]) == 0
    assert "Q6_K" in capsys.readouterr().out


def test_what_goes_wrong_there_is_told_here(
    board: FakeBoard, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "q6a.json"
    assert bench(board, "--device", "cdsp", "--out", saved) == 1
    assert "is an error" in capsys.readouterr().err
    board.program.with_name("python").write_text("#!/bin/sh\necho old\n")
    assert bench(board, "--out", saved) == 1
    assert "is not JSON" in capsys.readouterr().err
    (board.prefix / "current").unlink()
    assert bench(board, "--out", saved) == 1
    assert "nothing is deployed" in capsys.readouterr().err
    assert not saved.exists()
