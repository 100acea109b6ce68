# SPDX-License-Identifier: MIT
"""The error for a missing optional package: one line, with a command for the running interpreter."""

from __future__ import annotations

import importlib
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pyhexagon import extras
from pyhexagon.errors import UnsupportedError

ROOT = Path(__file__).parents[2]
WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
from pyhexagon.cli import main
sys.exit(main(sys.argv[2:]))
"""


def test_an_installed_wheel_names_the_running_interpreters_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "_CHECKOUT", tmp_path)
    command = extras.install_command("llm,serve")
    assert shlex.split(command) == [sys.executable, "-m", "pip", "install", "pyhexagon[llm,serve]"]


def test_a_checkout_names_its_own_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "a checkout"
    (root / "scripts").mkdir(parents=True)
    (root / "scripts/venv").touch()
    monkeypatch.setattr(extras, "_CHECKOUT", root)
    monkeypatch.setattr(sys, "prefix", str(root / ".venv"))
    assert shlex.split(extras.install_command("llm")) == [str(root / "scripts/venv"), "llm"]
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "another"))
    command = shlex.split(extras.install_command("llm"))
    assert command == [sys.executable, "-m", "pip", "install", "--editable", f"{root}[llm]"]


def test_the_hint_is_a_command_that_exists() -> None:
    command = shlex.split(extras.install_command("llm"))[0]
    assert Path(command).is_file()


def test_an_own_module_that_is_missing_is_no_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"pyhexagon\.nothing"), extras.needed("tests", "test"):
        importlib.import_module("pyhexagon.nothing")
    with pytest.raises(UnsupportedError, match="tests need the package no_such"), extras.needed("tests", "test"):
        importlib.import_module("no_such")


@pytest.mark.parametrize(
    ("without", "arguments", "what"),
    [
        ("prometheus_client", ["cluster", "status"], "several boards need the package prometheus_client"),
        ("ray", ["cluster", "status"], "several boards need the package ray"),
        ("ray", ["cluster", "start"], "several boards need the package ray"),
        ("starlette", ["serve", "model.gguf"], "servers need the package starlette"),
    ],
)
def test_a_command_without_its_packages_is_one_line(
    tmp_path: Path, without: str, arguments: list[str], what: str
) -> None:
    command = [sys.executable, "-c", WITHOUT, without, *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"pyhexagon: error: {what}")
    assert "Hint: " in line


def test_every_hint_is_made_in_one_place() -> None:
    found = [path for path in (ROOT / "pyhexagon").rglob("*.py") if "pip install 'pyhexagon" in path.read_text()]
    assert found == []  # extras.py has it in two pieces
