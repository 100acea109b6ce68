# SPDX-License-Identifier: MIT
"""The skel's bytes follow from its sources and the compiler: not from directories, caches or the time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import toolchain
from elf32 import Elf32

pytest_plugins = ("builds_plugin",)


def _skel(source: Path, directory: Path) -> bytes:
    """Builds the skel of a checkout with caches of its own."""
    caches = toolchain.own_caches(directory)
    tree = directory / "build"
    toolchain.configure(source, tree, environment=caches)
    toolchain.build(tree, "pyhexagon_skel", environment=caches)
    return (tree / toolchain.SKEL).read_bytes()


@pytest.fixture(scope="module")
def built(every_arch: Path) -> bytes:
    return (every_arch / toolchain.SKEL).read_bytes()


def test_copy_elsewhere_gives_the_same_bytes(built: bytes, tmp_path: Path) -> None:
    source = tmp_path / "a longer path, with spaces"
    source.mkdir()
    shutil.copy(toolchain.ROOT / "CMakeLists.txt", source)
    for directory in ("dsp", "idl", "pyhexagon/_ffi/cdef"):
        shutil.copytree(toolchain.ROOT / directory, source / directory)
    assert _skel(source, tmp_path) == built


def test_no_path_of_the_build_machine_is_in_it(built: bytes) -> None:
    for path in (toolchain.ROOT, Path.home(), Path("/tmp")):
        assert str(path).encode() + b"/" not in built


def test_installed_skel_is_what_the_sources_give(built: bytes, skel_v68_path: Path) -> None:
    installed = Path(skel_v68_path).read_bytes()

    def compiler(image: bytes) -> list[bytes]:
        return [section.data for section in Elf32(image).sections if section.name == ".comment"]

    assert compiler(installed) == compiler(built), "installed by another compiler: run scripts/venv test"
    assert installed == built, "the installed skel is older than its sources: run scripts/venv test"
