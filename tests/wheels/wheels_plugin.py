# SPDX-License-Identifier: MIT
"""Fixtures of these tests: the wheels, built once, and an arm64 Debian userland that runs in qemu-aarch64.

A plugin that the test modules name, for mypy allows a tree only one conftest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from userland import ROOT, Unavailable, Userland, unpack, unpack_real_library


def unavailable(reason: str) -> NoReturn:
    """Skips the test; in CI, where nothing may be missing, fails it."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What scripts/build-wheels makes, by machine."""
    out = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, str(ROOT / "scripts/build-wheels"), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    paths = [Path(line) for line in done.stdout.split()]
    assert sorted(out.iterdir()) == sorted(paths)
    return {path.stem.partition("manylinux_2_17_")[2]: path for path in paths}


@pytest.fixture(scope="session")
def arm64(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Userland:
    """The userland with the aarch64 wheel and its dependencies from PyPI installed."""
    try:
        userland = unpack(tmp_path_factory.mktemp("arm64"))
        userland.install(wheels["aarch64"], "pytest")
    except Unavailable as problem:
        unavailable(str(problem))
    return userland


@pytest.fixture(scope="session")
def real_library() -> Path:
    """Directory of Debian's arm64 libcdsprpc.so.1."""
    if list(Path("/dev").glob("fastrpc*")):
        unavailable("this machine has FastRPC device nodes; these tests are about their absence")
    try:
        return unpack_real_library()
    except Unavailable as problem:
        unavailable(str(problem))
