# SPDX-License-Identifier: MIT
"""A wheel's bytes follow from the sources and the tools: two folders, times, umasks and orders of files give one."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from userland import ROOT

_PARTS = ("CMakeLists.txt", "LICENSE", "README.md", "dsp", "idl", "pyhexagon", "pyhexagon_command", "pyproject.toml")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "lib")


def copied(folder: Path, *, is_reversed: bool, mode: int, time: int) -> Path:
    """Copy the sources, with other names, permissions, times and order of the folders' entries."""
    folder.mkdir()
    (folder / "scripts").mkdir()
    for name in ("build-wheels", "sbom.py"):
        shutil.copy(ROOT / "scripts" / name, folder / "scripts")
    for part in sorted(_PARTS, reverse=is_reversed):
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=_LEFT_OUT)
        else:
            shutil.copy(ROOT / part, folder / part)
    for path in sorted(folder.rglob("*"), reverse=is_reversed):
        if path.is_file():
            path.chmod(path.stat().st_mode & 0o111 | mode)
            os.utime(path, (time, time))
            if is_reversed:  # another place in its folder
                path.rename(path.with_name(f"{path.name}.moved"))
                path.with_name(f"{path.name}.moved").rename(path)
    return folder


def test_two_builds_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    one = copied(tmp_path / "one", is_reversed=False, mode=0o644, time=1_700_000_000)
    two = copied(tmp_path / "another, longer folder", is_reversed=True, mode=0o664, time=1_750_000_001)
    wheels = []
    for source, umask in ((one, 0o022), (two, 0o002)):
        command = [sys.executable, str(source / "scripts/build-wheels"), "--archs", "v68"]
        command += ["--machine", os.uname().machine, "--out", str(source / "dist")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, umask=umask)
        assert done.returncode == 0, done.stderr
        wheels.append(Path(done.stdout.strip()))
    with zipfile.ZipFile(wheels[0]) as first, zipfile.ZipFile(wheels[1]) as second:
        assert first.namelist() == second.namelist()
        for name in first.namelist():
            assert first.read(name) == second.read(name), name
            assert first.getinfo(name).date_time == second.getinfo(name).date_time, name
            assert first.getinfo(name).external_attr == second.getinfo(name).external_attr, name
    assert len({hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels}) == 1
    assert len({wheel.name for wheel in wheels}) == 1
