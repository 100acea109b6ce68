# SPDX-License-Identifier: MIT
"""Fixtures of the tests that need a build of their own: skels for several versions of the DSP, or one from nothing.

A plugin that the test modules name, for mypy allows a tree only one conftest.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import toolchain
from conftest import made_once


@pytest.fixture(scope="session")
def every_arch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build tree with the skels for v68 and toolchain.LATER."""

    def build(tree: Path) -> None:
        toolchain.configure(toolchain.ROOT, tree, {"PYHEXAGON_ARCHS": ";".join(("v68", *toolchain.LATER))})
        toolchain.build(tree, "pyhexagon_skel")

    return made_once(tmp_path_factory, "archs", build)


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build tree of a copy of the sources in a longer directory, with caches of its own."""
    directory = tmp_path_factory.mktemp("elsewhere")
    source = directory / "a longer path, with spaces"
    source.mkdir()
    shutil.copy(toolchain.ROOT / "CMakeLists.txt", source)
    for part in ("dsp", "idl", "pyhexagon/_ffi/cdef", "pyhexagon/_ffi/native", "pyhexagon/kernels"):
        shutil.copytree(toolchain.ROOT / part, source / part)
    caches = toolchain.own_caches(directory)
    tree = directory / "build"
    # Configuring only tries the host's compiler, for which an empty cache would first get a C library.
    toolchain.configure(source, tree)
    toolchain.build(tree, "pyhexagon_skel", environment=caches)
    return tree
