# SPDX-License-Identifier: MIT
"""The audits over the finished skels: the v68 one, installed and by the llvm toolchain file, and those for later DSPs.

Imports are checked against the names that the board's shell exports: those recorded in dsp/cmake/q6a-shell-exports.txt
this file, and those of the firmware file itself, fastrpc_shell_unsigned_3, which is unpacked into the user's cache from
Debian's package of the board's DSP files.
"""

from __future__ import annotations

import re
import stat
import struct
from pathlib import Path

import audits
import hvx_float
import needs
import pytest
import toolchain
from elf32 import Elf32
from toolchain import LATER

pytest_plugins = ("builds_plugin",)

SHELL = "fastrpc_shell_unsigned_3"
RECORDED_BUILD = "CDSP.HT.2.5.c4-00004-KODIAK-1"


@pytest.fixture(scope="session")
def llvm_skel_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The skel built with PYHEXAGON_DSP_TOOLCHAIN=llvm.

    Whatever clang the system has, or none: clang and ld.lld 22 out of the ziglang wheel stand on the search path under
    the distribution's names, where llvm.cmake looks first, and get the command lines that the distribution's would get.
    """
    directory = tmp_path_factory.mktemp("llvm")
    programs = directory / "bin"
    programs.mkdir()
    zig = hvx_float.ZIG_DIRECTORY / "zig"
    for name, command in {
        "clang-22": f"'{zig}' clang -resource-dir='{zig.parent}/lib'",
        "ld.lld-22": f"'{zig}' ld.lld",
    }.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    tree = directory / "build"
    toolchain.configure(toolchain.ROOT, tree, {"PYHEXAGON_DSP_TOOLCHAIN": "llvm", "CMAKE_PROGRAM_PATH": str(programs)})
    toolchain.build(tree, "pyhexagon_skel")
    return tree / toolchain.SKEL


@pytest.fixture(
    scope="session", params=["installed", *(pytest.param(name, marks=pytest.mark.long) for name in ("llvm", *LATER))]
)
def built_as(request: pytest.FixtureRequest) -> str:
    """The build of a skel: "installed" and "llvm" are for v68."""
    return str(request.param)


@pytest.fixture(scope="session")
def skel(request: pytest.FixtureRequest, built_as: str) -> Elf32:
    """Each finished skel."""
    if built_as in LATER:
        return Elf32.read(request.getfixturevalue("every_arch") / built_as / Path(toolchain.SKEL).name)
    path = request.getfixturevalue("skel_v68_path" if built_as == "installed" else "llvm_skel_path")
    return Elf32.read(Path(path))


@pytest.fixture(scope="session")
def version(built_as: str) -> str:
    """Of the DSP that a skel is for: "68", "73", ..."""
    return built_as[1:] if built_as in LATER else "68"


@pytest.fixture(scope="session")
def recorded() -> frozenset[str]:
    """The names on the recorded list."""
    path = Path(__file__).resolve().parents[2] / "dsp/cmake/q6a-shell-exports.txt"
    return frozenset(path.read_text(encoding="ascii").split())


@pytest.fixture(scope="session")
def shell() -> Elf32:
    """The board's shell, as Debian packages it."""
    needs.require("board files")
    return Elf32.read(needs.BOARD_FILES / SHELL)


def test_imports_are_on_the_recorded_list(skel: Elf32, recorded: frozenset[str]) -> None:
    assert skel.imports
    assert audits.import_problems(skel, recorded) == []


@pytest.mark.long
def test_imports_are_exported_by_the_board_s_shell(skel: Elf32, shell: Elf32) -> None:
    assert audits.import_problems(skel, shell.exports) == []


@pytest.mark.long
def test_recorded_list_is_the_shell_s_of_that_build(recorded: frozenset[str], shell: Elf32) -> None:
    builds = {build.decode() for build in re.findall(rb"CDSP\.HT\.[\w.]+-\d+-[A-Z]+-\d+", shell.data)}
    assert builds != {RECORDED_BUILD} or recorded == shell.exports


def test_shape_is_what_the_loader_takes(skel: Elf32, version: str) -> None:
    assert audits.shape_problems(skel, int(version, 16)) == []


def test_size_is_within_budget(skel: Elf32) -> None:
    assert len(skel.data) <= audits.SIZE_BUDGET


def test_no_hvx_floating_point(skel: Elf32, version: str, tmp_path: Path) -> None:
    floats = hvx_float.derive_floats(tmp_path, int(version))
    assert len(floats) >= 67
    assert hvx_float.float_instructions(skel, floats) == []


def test_all_that_could_run_was_looked_at(skel: Elf32) -> None:
    assert {".text", ".plt"} <= {section.name for section in skel.code}
    assert audits.executable_but_not_code(skel) == []


def test_hvx_is_in_it(skel: Elf32) -> None:
    """Else the absence of floating point would prove nothing."""
    words = [word for section in skel.code for (word,) in struct.iter_unpack("<I", section.data)]
    assert sum(word >> 27 == hvx_float.HVX_ARITHMETIC for word in words) > 100
