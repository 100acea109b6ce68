# SPDX-License-Identifier: MIT
"""The documentation's site builds without a broken link, and its generated pages are complete."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import needs

import pyhexagon
from pyhexagon._ffi import _ops

MKDOCS = Path(sys.executable).parent / "mkdocs"


def _build(config: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [str(MKDOCS), "build", "--strict", "--config-file", str(config), "--site-dir", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_the_site_builds_and_its_generated_pages_are_complete(tmp_path: Path) -> None:
    done = _build(needs.ROOT / "mkdocs.yml", tmp_path)
    assert done.returncode == 0, done.stderr
    api = (tmp_path / "api/index.html").read_text()
    documented = set(re.findall(r'id="pyhexagon\.([\w.]+)"', api))
    for name in pyhexagon.__all__:
        target = getattr(pyhexagon, name)
        assert f"{target.__module__}.{target.__qualname__}".removeprefix("pyhexagon.") in documented
    assert {"device.Device.matmul", "program.program.Program.__call__", "ops.rms_norm.rms_norm"} <= documented
    assert "finite and not negative" in api  # a docstring of an op
    ops = (tmp_path / "ops/index.html").read_text()
    assert all(f"<td>{row[1].upper()}</td>" in ops for row in _ops.ROWS)
    commands = (tmp_path / "cli/index.html").read_text()
    assert "pyhexagon bench matmul" in commands
    assert "--allow-long" in commands


def test_everything_that_users_call_has_a_docstring() -> None:
    missing = []
    for name in pyhexagon.__all__:
        exported = getattr(pyhexagon, name)
        members = {
            member
            for base in exported.__mro__
            if base.__module__.startswith("pyhexagon")
            for member, value in vars(base).items()
            if (member == "__call__" or not member.startswith("_")) and isinstance(value, (FunctionType, property))
        }
        missing += [] if inspect.getdoc(exported) else [name]
        missing += [f"{name}.{member}" for member in members if not inspect.getdoc(getattr(exported, member))]
    assert missing == []


def test_a_broken_link_is_an_error(tmp_path: Path) -> None:
    for name in ("docs", "scripts"):
        shutil.copytree(needs.ROOT / name, tmp_path / name)
    for name in ("mkdocs.yml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(needs.ROOT / name, tmp_path)
    page = tmp_path / "docs/cpu.md"
    page.write_text(page.read_text() + "\n[nowhere](nowhere.md)\n")
    done = _build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode != 0
    assert "nowhere.md" in done.stdout + done.stderr
