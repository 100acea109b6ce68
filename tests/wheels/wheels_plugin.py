# SPDX-License-Identifier: MIT
"""Fixtures of these tests: an arm64 Debian userland that runs in qemu-aarch64.

A plugin that the test modules name, for mypy allows a tree only one conftest.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest
from userland import Unavailable, Userland, unpack, unpack_real_library


def unavailable(reason: str) -> NoReturn:
    """Skips the test; in CI, where nothing may be missing, fails it."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


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
