# SPDX-License-Identifier: MIT
"""Fixtures of these tests: an arm64 Debian userland that runs in qemu-aarch64.

A plugin that the test modules name, for mypy allows a tree only one conftest.
"""

from __future__ import annotations

from pathlib import Path

import needs
import pytest
from conftest import made_once
from userland import Userland, unpack, unpacked


@pytest.fixture(scope="session")
def arm64(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Userland:
    """The userland with the aarch64 wheel and its dependencies from PyPI installed."""
    needs.require("arm64")

    def install(directory: Path) -> None:
        unpack(directory).install(wheels["aarch64"], "pytest", "hypothesis")

    return unpacked(made_once(tmp_path_factory, "arm64", install))


@pytest.fixture(scope="session")
def real_library() -> Path:
    """Directory of Debian's arm64 libcdsprpc.so.1."""
    needs.require("no DSP")
    needs.require("real library")
    return needs.REAL_LIBRARY.path / "usr/lib/aarch64-linux-gnu"
