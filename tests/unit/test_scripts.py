# SPDX-License-Identifier: MIT
"""scripts/test: the commands it runs, their order, and its exit. All commands are substitutes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import needs
import pytest

CHECKS = ("bin/ruff", "bin/clang-format", "bin/lint-imports", "bin/mypy")
BESIDE = "bin/mypy"  # runs in parallel with the tests
CALLED = ("tests/needs.py", "scripts/venv", "scripts/get-qemu", *CHECKS, "bin/python")
BUILDERS = ("bin/cmake", "bin/pytest")  # required for testing one op


def run(folder: Path, failing: str, *arguments: str) -> tuple[int, list[str], str]:
    """Return the exit code, the commands called, and the last line on stderr."""
    for name in ("scripts", "tests/ops", "bin", ".venv", "build/some", "benchmarks", "dsp", "idl", "pyhexagon"):
        (folder / name).mkdir(parents=True)
    shutil.copy(needs.ROOT / "scripts/test", folder / "scripts")
    (folder / ".venv/bin").symlink_to("../bin")
    (folder / "build/some/CMakeCache.txt").touch()
    (folder / "dsp/some.c").touch()
    (folder / "tests/ops/test_rope.py").touch()
    (folder / "tests/ops/test_parameter_edges.py").write_text("def test_rope(engines: Devices) -> None:\n")
    (folder / ".venv/bin/activate").write_text(f'PATH="{folder}/bin:$PATH"\n')
    for name in (*CALLED, *BUILDERS):
        path = folder / name
        if path.suffix == ".py":
            path.write_text("import sys\nif '--packages' not in sys.argv: print('tests/needs.py', *sys.argv[1:])\n")
        else:
            code = int(name == failing)
            path.write_text(f'#!/bin/sh\necho "{name} $*" >> "{folder}/log"\nexit {code}\n')
            path.chmod(0o755)
    command = [str(folder / "scripts/test"), *arguments]
    with (folder / "log").open("w") as log:
        done = subprocess.run(command, stdout=log, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, (folder / "log").read_text().splitlines(), done.stderr


ENDINGS = [
    ("bin/ruff", "lint"),
    ("bin/clang-format", "format"),
    ("bin/lint-imports", "layers"),
    ("bin/python", "tests"),
    ("bin/mypy", "types"),
    ("", ""),
]


@pytest.mark.parametrize(("failing", "name"), ENDINGS)
def test_all_is_run_and_the_end_tells_what_failed(tmp_path: Path, failing: str, name: str) -> None:
    code, log, said = run(tmp_path, failing, "tests/some")
    assert code == bool(failing)
    assert log[0] == "tests/needs.py push"
    calls = [line.split()[0] for line in log]
    assert [name for name in calls if name != BESIDE] == [name for name in CALLED if name != BESIDE]
    assert calls.count(BESIDE) == 1
    workers = len(os.sched_getaffinity(0)) + 1
    assert f"bin/python -m pytest -n {workers} --dist loadfile --no-loadscope-reorder --lane push tests/some" in log
    assert said == (f"scripts/test: failed: {name}\n" if failing else "")


NEAR = "tests/ops/test_cases.py::test_results_are_near_float64[abs]"


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ("abs", f"elementwise.py::Test_abs {NEAR}"),
        ("abs -x", f"elementwise.py::Test_abs {NEAR} -x"),
        ("abs -x -k F16", f"elementwise.py::Test_abs {NEAR} -x -k F16"),
        ("abs F16", "elementwise.py::Test_abs -k F16"),
        ("rope F16 -x", "rope.py -k F16 tests/ops/test_parameter_edges.py::test_rope -x"),
    ],
)
def test_options_of_one_op_need_no_type(tmp_path: Path, arguments: str, passed: str) -> None:
    code, log, said = run(tmp_path, "", "op", *arguments.split())
    assert (code, said) == (0, "")
    assert log[-1] == f"bin/python -m pytest -q tests/ops/test_{passed}"
    made = [line for line in log[:-1] if not line.startswith("bin/python -c")]
    assert made[:2] == ["bin/python pyhexagon/_ffi/build.py", "bin/cmake --build build/some"]
    assert made[2].startswith("bin/cmake --install build/some")


def test_a_skip_that_is_not_announced_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "test_example.py"
    path.write_text('import needs, pytest\ndef test_1(): pytest.skip("why")\ndef test_2(): needs.require("example")\n')
    example = 'import needs\nneeds.NEEDS["example"] = needs.Need(lambda: "none here", "", "nobody", in_ci=False)\n'
    (tmp_path / "example.py").write_text(example)
    command = [sys.executable, "-m", "pytest", "-p", "announced", "-p", "example", "-p", "no:cacheprovider", str(path)]
    environment = {**os.environ, "PYTHONPATH": f"{needs.ROOT / 'tests'}:{tmp_path}"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "1 failed, 1 skipped" in done.stdout.splitlines()[-1], done.stdout
    assert "not in tests/needs.py" in done.stdout


def test_an_unknown_extra_is_refused_before_anything_is_installed(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copy(needs.ROOT / "scripts/venv", tmp_path / "scripts")
    shutil.copy(needs.ROOT / "pyproject.toml", tmp_path)
    environment = {**os.environ, "PYTHON": sys.executable}
    done = subprocess.run(
        ["sh", tmp_path / "scripts/venv", "llm,lmm"], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 1
    assert "there is no extra lmm: expected some of llm, serve, speech, cluster, " in done.stderr
    assert not (tmp_path / ".venv").exists()
