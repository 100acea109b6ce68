# SPDX-License-Identifier: MIT
"""Names of files and paths of requests reach neither the terminal nor the log with their control characters."""

from __future__ import annotations

import io
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from serve.serving import model

from pyhexagon import cli
from pyhexagon.cli import serve as serve_command
from pyhexagon.cli.serve_models import ModelsFolder

CONTROLS = "\x1b[2J", "\n", "\r", "\x07", "\x9b2J", "\u202e", "\x00", "\u2028"
NAMES = [f"a{one}pyhexagon: error b" for one in CONTROLS if one != "\x00"]


def check(text: str, n_lines: int) -> None:
    assert text.count("\n") == n_lines
    assert all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize("name", NAMES)
def test_files_that_are_not_served(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    made = model(tmp_path)
    (tmp_path / f"{name}.gguf").write_bytes(b"GGUF")
    (tmp_path / name).mkdir()
    made.rename(tmp_path / "good.gguf")
    (tmp_path / name / "broken.gguf").write_bytes(b"")
    assert ModelsFolder(tmp_path).models == [str(tmp_path / "good.gguf")]
    check(capsys.readouterr().err, 2)


def test_a_name_that_is_not_utf8_is_not_served(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = model(tmp_path)
    for name in (b"bad\xff\xfe.gguf", b"\xed\xa0\x80.gguf"):
        os.link(made, os.path.join(os.fsencode(tmp_path), name))
    folder = ModelsFolder(tmp_path)
    assert folder.models == [str(made)]
    assert folder.new() == []
    told = capsys.readouterr().err
    check(told, 2)
    assert told.count("its name is not UTF-8") == 2


@pytest.mark.parametrize("name", NAMES)
def test_errors_about_a_file(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command, *more in (["show"], ["run", "x", "--device", "loopback"], ["tensors"], ["serve", "--port", "0"]):
        assert cli.main([command, str(tmp_path / "plain.gguf"), *more])
        n_lines = capsys.readouterr().err.count("\n")
        assert cli.main([command, str(tmp_path / f"{name}.gguf"), *more])
        check(capsys.readouterr().err, n_lines)


def test_the_log_of_the_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    handlers: list[Any] = []
    monkeypatch.setattr(logging, "basicConfig", lambda **given: handlers.extend(given["handlers"]))
    monkeypatch.setattr("pyhexagon.serve.serving.serve", lambda *_, **__: None)
    assert cli.main(["serve", str(model(tmp_path)), "--device", "loopback", "--port", "0"]) == 0
    (handler,) = handlers
    handler.setStream(log := io.StringIO())
    for one in CONTROLS:
        handler.emit(logging.LogRecord("a", logging.ERROR, "", 0, "%s failed", (f"GET /x{one}y",), None))
    check(log.getvalue(), len(CONTROLS))
    assert serve_command._Printable("%(message)s").format(logging.makeLogRecord({"msg": "é ✓"})) == "é ✓"
