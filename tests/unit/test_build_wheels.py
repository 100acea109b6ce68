# SPDX-License-Identifier: MIT
"""scripts/build-wheels: its progress lines and the order of its steps. Building itself is tested in tests/wheels."""

from __future__ import annotations

import importlib.util
import platform
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import needs
import pytest


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the script as a module."""
    loader = SourceFileLoader("build_wheels_script", str(needs.ROOT / "scripts/build-wheels"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_step_of_a_build_is_shown_while_it_goes_on(
    script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"

    class Screen:
        """Lets the build end once its step has been printed."""

        def write(self, text: str) -> None:
            if "s: [7/9] a file" in text:
                seen.touch()

        def flush(self) -> None:
            pass

    monkeypatch.setattr(script, "PROGRESS_SECONDS", 0.01)
    monkeypatch.setattr(sys, "stderr", Screen())
    build = f"echo Collecting x; echo '  [7/9] a file'; until [ -e {seen} ]; do sleep 0.01; done; echo end >&2; exit 5"
    with (tmp_path / "lock").open("w") as lock:
        code, said = script.run_with_progress(["sh", "-c", build], {"PATH": "/usr/bin:/bin"}, lock.fileno())
    assert (code, said) == (5, "Collecting x\n  [7/9] a file\nend\n")


@pytest.mark.parametrize("own", ["aarch64", "x86_64"])
def test_the_machine_s_own_wheel_is_there_before_the_other_is_built(
    script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], own: str
) -> None:
    built: list[tuple[str, str]] = []

    def build(machine: str, archs: list[str], directory: Path, hexagon: Path | None) -> Path:
        built.append((machine, capsys.readouterr().out))
        path = directory / f"one_{machine}.whl"
        path.touch()
        return path

    monkeypatch.setattr(platform, "machine", lambda: own)
    monkeypatch.setattr(script, "build", build)
    monkeypatch.setattr(script, "check", lambda *_: {})
    monkeypatch.setattr(sys, "argv", ["build-wheels", "--out", str(tmp_path)])
    assert script.main() == 0
    (other,) = {"aarch64", "x86_64"} - {own}
    assert built == [(own, ""), (other, f"{tmp_path}/one_{own}.whl\n")]
    assert capsys.readouterr().out == f"{tmp_path}/one_{other}.whl\n"
