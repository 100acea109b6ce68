# SPDX-License-Identifier: MIT
"""PYHEXAGON_DSP_TOOLCHAIN=hexagon-sdk against a made-up SDK: its tools are found, and called as they should be.

The SDK is behind an account, so this is what can be proved without it: stubs stand for hexagon-clang and qaic, write
down their command lines and make the files they were asked for.
"""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest
import toolchain
from toolchain import BuildError

STUB = """#!{python}
import json, sys
from pathlib import Path
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps([sys.argv[0], *arguments]) + "\\n")
for option, name in zip(arguments, arguments[1:]):
    if option == "-o" and Path(name).is_dir():
        (Path(name) / "pyhexagon.h").touch()
    elif option == "-o":
        Path(name).touch()
"""
TOOLS = ("8.4.07", "8.10.02", "8.7.06")
CLANG = "tools/HEXAGON_Tools/{}/Tools/bin/hexagon-clang"
QAIC = "ipc/fastrpc/qaic/Ubuntu/qaic"


class Sdk:
    """A made-up SDK."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._log = root / "log"
        for program in (*(CLANG.format(version) for version in TOOLS), QAIC):
            path = root / program
            path.parent.mkdir(parents=True)
            path.write_text(STUB.format(python=sys.executable, log=str(self._log)))
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def calls(self, program: str) -> list[list[str]]:
        """The arguments of each call of a program so far."""
        calls = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [arguments for path, *arguments in calls if path == str(self.root / program)]


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Sdk:
    return Sdk(tmp_path_factory.mktemp("sdk"))


@pytest.fixture(scope="module")
def tree(sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree in which the skel has been built, and the IDL compiled."""
    tree = tmp_path_factory.mktemp("tree")
    definitions = {"PYHEXAGON_DSP_TOOLCHAIN": "hexagon-sdk", "HEXAGON_SDK_ROOT": str(sdk.root)}
    toolchain.configure(toolchain.ROOT, tree, definitions)
    toolchain.build(tree, "pyhexagon_skel", "pyhexagon_idl")
    return tree


@pytest.mark.usefixtures("tree")
def test_newest_tools_are_used_and_no_others(sdk: Sdk) -> None:
    assert sdk.calls(CLANG.format("8.10.02"))
    assert not sdk.calls(CLANG.format("8.7.06"))
    assert not sdk.calls(CLANG.format("8.4.07"))


def test_every_source_is_compiled_for_v68_with_hvx(sdk: Sdk, tree: Path) -> None:
    compiled = [call for call in sdk.calls(CLANG.format("8.10.02")) if "-c" in call]
    sources = {(tree / call[call.index("-c") + 1]).resolve() for call in compiled}
    rooms = [toolchain.ROOT / "dsp" / room for room in ("formats", "runtime", "probes", "ops", "ref", "hvx")]
    ours = {path for room in rooms for path in room.rglob("*.[cS]")}
    assert ours <= sources
    assert sources - ours == {tree / "build_id.c"}
    for call in compiled:
        assert {"-mv68", "-mhvx", "-mhvx-length=128B", "-O2", "-fPIC", "-DPHX_HVX=1"} <= set(call)
        assert call[call.index("-o") + 1].startswith("hexagon/")
        assert not any("target" in argument or "mcpu" in argument for argument in call)


def test_objects_are_linked_into_the_skel(sdk: Sdk, tree: Path) -> None:
    calls = sdk.calls(CLANG.format("8.10.02"))
    (link,) = (call for call in calls if "-c" not in call)
    assert {"-mv68", "-G0", "-shared", "-s", "-nostartfiles", "-nostdlib", "-Wl,-Bsymbolic"} <= set(link)
    assert "-Wl,-soname,libpyhexagon_skel.so" in link
    assert link[link.index("-o") + 1] == str(tree / toolchain.SKEL)
    objects = {call[call.index("-o") + 1] for call in calls if "-c" in call}
    assert {argument for argument in link if argument.endswith(".o")} == objects


def test_neither_zig_nor_the_edit_after_lld_is_in_it(tree: Path) -> None:
    lines = toolchain.commands(tree, "pyhexagon_skel")
    assert "hexagon-clang" in lines
    assert "zig" not in lines.replace(str(tree), "")
    assert "postlink" not in lines


def test_qaic_takes_the_idl(sdk: Sdk, tree: Path) -> None:
    (call,) = sdk.calls(QAIC)
    assert call == [
        *("-mdll", "-o", str(tree / "idl")),
        *(f"-I{sdk.root}/incs", f"-I{sdk.root}/incs/stddef", str(toolchain.ROOT / "idl/pyhexagon.idl")),
    ]


def test_missing_sdk_is_said(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="HEXAGON_CLANG"):
        toolchain.configure(
            toolchain.ROOT,
            tmp_path,
            {"PYHEXAGON_DSP_TOOLCHAIN": "hexagon-sdk", "HEXAGON_SDK_ROOT": str(tmp_path / "none")},
            {"HEXAGON_TOOLS_ROOT": ""},
        )
