# SPDX-License-Identifier: MIT
"""``touched.py`` names tests for every file of the tree, and each fault of tests/mutants can be planted."""

from __future__ import annotations

import subprocess
from fnmatch import fnmatchcase

import pytest
import touched
from mutants.table import Mutant, mutants

ROOMS = (
    *("benchmarks/", "docs/", "dsp/", "idl/", "pyhexagon/", "pyhexagon_command/", "scripts/", "tests/"),
    *("CMakeLists.txt", "CONTRIBUTING.md", "README.md", "pyproject.toml"),
)
C_ROOMS = (
    *("dsp/runtime", "dsp/ops", "dsp/ops/matmul", "dsp/ops/attention", "dsp/math/ref", "dsp/math/hvx", "dsp/ref"),
    *("dsp/ref/matmul", "dsp/ref/attention", "dsp/hvx", "dsp/hvx/matmul", "dsp/hvx/attention", "dsp/cpu/matmul"),
    *("dsp/cpu/hvx", "dsp/formats", "dsp/loopback", "dsp/loopback/pd", "dsp/loopback/shell", "dsp/sharing"),
    *("dsp/probes", "pyhexagon/_ffi/native"),
)


def _files() -> list[str]:
    """Return the files of the tree, as git knows them; without git all that are there."""
    done = subprocess.run(["git", "ls-files"], cwd=touched.ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return [name for name in done.stdout.splitlines() if name.startswith(ROOMS)]
    rooms = [touched.ROOT / room for room in ROOMS]
    paths = (path for room in rooms for path in (room, *room.rglob("*")) if path.is_file())
    return [str(path.relative_to(touched.ROOT)) for path in paths if not {"__pycache__", "lib"} & {*path.parts}]


def test_every_file_has_tests() -> None:
    assert [name for name in _files() if not touched.tests_of(name)] == []


def test_every_test_exists_and_every_row_is_used() -> None:
    files = _files()
    for pattern, names in touched.ROWS:
        assert any(fnmatchcase(name, pattern) for name in files), pattern
        for name in names.split():
            assert (touched.ROOT / "tests" / touched.file_of(name)).exists(), name
    for test in {test for name in files for test in touched.tests_of(name)}:
        path, _, node = test.partition("::")
        text = (touched.ROOT / path).read_text(encoding="utf-8") if node else ""
        name = node.partition("[")[0]
        assert (touched.ROOT / path).exists(), test
        assert not node or f"def {name}(" in text or name.startswith("Test_"), test


def test_the_tests_of_a_file_come_before_those_of_its_room() -> None:
    tests = touched.tests_of("dsp/hvx/rms_norm.c")
    assert tests[0] == "tests/ops/test_rms_norm.py"
    assert "tests/cli/test_selftest.py" in tests[1:]
    assert touched.tests_of("dsp/hvx/add.c")[0] == "tests/ops/test_elementwise.py::Test_add"
    assert "tests/llm/test_llm.py" in touched.tests_of("tests/llm/tiny.py")
    assert touched.tests_of("LICENSE") == []


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_planted(mutant: Mutant) -> None:
    text = (touched.ROOT / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    assert mutant.old != mutant.new
    assert touched.tests_of(mutant.file)


def test_there_are_enough_mutants_in_every_room() -> None:
    files = [mutant.file for mutant in mutants()]
    assert len({mutant.name for mutant in mutants()}) == len(files)
    assert sum(not name.endswith(".py") for name in files) >= 80
    assert sum(name.endswith(".py") for name in files) >= 40
    assert [room for room in C_ROOMS if not any(name.rpartition("/")[0] == room for name in files)] == []
