# SPDX-License-Identifier: MIT
"""What CONTRIBUTING.md says of a new op is true: put into a copy of the tree, it builds, and the op's tests pass."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import toolchain

from pyhexagon.process import locate

BLOCK = re.compile(r"^```\w+ (?P<path>\S+/\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TREE = ("dsp", "idl", "pyhexagon", "docs", "scripts", "tests", "CMakeLists.txt", "pyproject.toml")
FIRST = {"from ": "from pyhexagon.ops.", '    "': '    "neg": ', "    ": "    add = "}  # of each kind of line
NEW_FILES = ["dsp/ref/abs.c", "dsp/hvx/abs.c", "pyhexagon/ops/abs.py"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of this checkout, with the example in it."""
    copy = tmp_path / "tree"
    copy.mkdir()
    unwanted = shutil.ignore_patterns("__pycache__", "lib")
    for name in TREE:
        path = toolchain.ROOT / name
        if path.is_dir():
            shutil.copytree(path, copy / name, ignore=unwanted)
        else:
            shutil.copy(path, copy / name)
    new = []
    for found in BLOCK.finditer((toolchain.ROOT / "CONTRIBUTING.md").read_text()):
        name, text = found["path"], found["text"]
        path = copy / name
        if path.suffix == ".h":
            path.write_text(path.read_text() + text)
        elif path.exists():
            _insert(path, text)
        else:
            path.write_text(text)
            new.append(name)
    assert sorted(new) == sorted(NEW_FILES)
    return copy


def _insert(path: Path, lines: str) -> None:
    """Puts each line before the first of its kind: an import among imports, the rest into the class or the table."""
    text = path.read_text()
    for line in lines.splitlines():
        start = next(start for kind, start in FIRST.items() if line.startswith(kind))
        assert f"\n{start}" in text
        text = text.replace(f"\n{start}", f"\n{line}\n{start}", 1)
    path.write_text(text)


def test_the_example_of_a_new_op_works(tree: Path, tmp_path: Path, qemu: str) -> None:
    packages = [path for path in sys.path if path.endswith("-packages")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), *packages])}

    def python(*arguments: str) -> str:
        command = [sys.executable, "-S", *arguments]  # without the finder of an editable install
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    python("-m", "pyhexagon._ffi.build")
    table = python("-c", "from pyhexagon._ffi import build; print(build.generate_table())")
    assert "| 100 | ABS | UNARY |" in table
    build, lib = tmp_path / "build", tmp_path / "lib"
    toolchain.configure(tree, build, {"PYHEXAGON_PD": "OFF"})
    level = locate.cpu_level()
    toolchain.build(build, f"host_skel_{level}", "pyhexagon_skel")
    shutil.copytree(locate.installed("libcdsprpc.so.1").parent, lib)
    shutil.copy(build / "host" / level / locate.SKEL_FILE, lib / "host" / level)
    shutil.copy(build / toolchain.SKEL, lib / "v68")
    environment["PYHEXAGON_LIB"] = str(lib)
    assert "3 of them recorded now" in python("scripts/record_selftest.py")
    lists = "tests/unit/test_ops_list.py", "tests/unit/test_selftest_cases.py"
    own = "tests/ops/test_elementwise.py::Test_abs"
    for more in ((own, *lists), ("tests/cli/test_ops_report.py", "-k", "every_op")):
        said = python("-m", "pytest", "-q", "-p", "no:cacheprovider", *more)
        assert " skipped" not in said
        assert re.search(r"[1-9]\d* passed", said), said
    report = python("-m", "pyhexagon", "ops", "--test", "--device", "loopback", "--filter", r"^abs\(")
    assert "passed: 10 cases" in report
