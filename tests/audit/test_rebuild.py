# SPDX-License-Identifier: MIT
"""The skel's bytes follow from its sources and the compiler: not from directories, caches or the time."""

from __future__ import annotations

from pathlib import Path

import pytest
import toolchain
from conftest import built as built_here
from elf32 import Elf32

pytest_plugins = ("builds_plugin",)


@pytest.fixture(scope="module")
def built(elsewhere: Path) -> bytes:
    return (elsewhere / toolchain.SKEL).read_bytes()


def test_no_path_of_the_build_machine_is_in_it(built: bytes, elsewhere: Path) -> None:
    for path in (toolchain.ROOT, elsewhere.parent, Path.home(), Path("/tmp")):
        assert str(path).encode() + b"/" not in built


def test_copy_elsewhere_gives_the_bytes_of_the_installed_one(built: bytes, skel_v68_path: Path) -> None:
    installed = Path(skel_v68_path).read_bytes()

    def compiler(image: bytes) -> list[bytes]:
        return [section.data for section in Elf32(image).sections if section.name == ".comment"]

    assert compiler(installed) == compiler(built), "installed by another compiler: run scripts/venv test"
    assert installed == built, "the installed skel is older than its sources: run scripts/venv test"


@pytest.mark.parametrize(
    ("target", "objects"),
    [("host_skel_ref", "CMakeFiles/host_skel_ref.dir/source"), ("pyhexagon_skel", "hexagon/pyhexagon_skel/v68")],
)
def test_an_object_is_compiled_again_when_a_header_changes(target: str, objects: str) -> None:
    tree = built_here(target)
    inputs = toolchain.dependencies(tree)
    for path in (tree / objects).glob("*/**/*.o"):
        assert toolchain.ROOT / path.relative_to(tree / objects).with_suffix("") in inputs[str(path.relative_to(tree))]
    of_a_kernel = inputs[f"{objects}/dsp/ref/add.c.o"]
    headers = {"dsp/ref/elementwise.h", "dsp/runtime/contract.h", "idl/contract.h"}
    assert {toolchain.ROOT / header for header in headers} <= of_a_kernel
