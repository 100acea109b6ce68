# SPDX-License-Identifier: MIT
"""CPU kernels: each level that this machine has gives the reference's bits, for every op and every weight type.

All other tests use the best level. These tests cover the others with the self test and the tests of the ops.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import toolchain

from pyhexagon import ArgumentError, Device
from pyhexagon.process import locate

TESTS = Path(__file__).resolve().parents[1]

def is_here(level: str) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYHEXAGON_CPU", level)
        try:
            return locate.cpu_level() == level
        except ArgumentError:
            return False


LEVELS = [level for level in locate.CPU_LEVELS.get(platform.machine(), {}) if is_here(level)]


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pyhexagon/lib with all levels that this machine has: scripts/venv test installs the best one only."""
    folder = tmp_path_factory.mktemp("levels")
    shutil.copytree(locate.installed("libcdsprpc.so.1").parent, folder / "lib")
    missing = [level for level in LEVELS if not (folder / "lib/host" / level).exists()]
    if missing:
        tree = folder / "build"
        toolchain.configure(toolchain.ROOT, tree, {"PYHEXAGON_PD": "OFF", "PYHEXAGON_LEVELS": ";".join(missing)})
        toolchain.build(tree, *(f"{target}_{level}" for level in missing for target in ("host_skel", "sharing")))
        for level in missing:
            shutil.copytree(tree / "host" / level, folder / "lib/host" / level)
    return folder / "lib"


def on_level(lib: Path, level: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False, cwd=TESTS.parent,
        env={**os.environ, "PYHEXAGON_CPU": level, "PYHEXAGON_LIB": str(lib)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("level", LEVELS)
def test_every_op_has_the_recorded_bits(lib: Path, level: str) -> None:
    report = json.loads(on_level(lib, level, "pyhexagon", "selftest", "--device", "loopback", "--json"))
    assert {row["kernels"] for row in report["results"]} == {"ref", "cpu"}
    assert all(row["cases"] == row["equal"] > 0 for row in report["results"])


def test_the_tests_of_ops_pass_on_levels_that_are_not_the_best(lib: Path) -> None:
    """Run the tests of matmuls; the self test covers all ops."""
    for level in LEVELS:
        if level != locate.cpu_level():
            tests = "tests/ops/test_matmul.py", "tests/ops/test_mul_mat_id.py", "tests/ops/test_shared_tiles.py"
            options = "-q", "-p", "no:cacheprovider", "--host", "-k", "not qemu and not dspqueue"
            assert " passed" in on_level(lib, level, "pytest", *options, *tests)


def test_this_machine_has_more_than_the_reference() -> None:
    """The machines of CI have AVX2, so this file tests something there."""
    assert locate.cpu_level() != "ref"


@pytest.mark.parametrize("wanted", ["ref", None])
def test_reports_say_which_kernels_are_used(wanted: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if wanted is not None:
        monkeypatch.setenv("PYHEXAGON_CPU", wanted)
    used = locate.cpu_level()
    with Device("loopback") as device, device.program() as p:
        assert device.info().skel_reason == f"CPU kernels: {used}"
        p.output(p.neg(p.input((4, 4))))
        report = p.compile().run_with_report(np.ones((4, 4), np.float32))[1]
    assert [op.kernels for op in report.ops] == ["ref" if used == "ref" else "cpu"]


def test_a_level_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYHEXAGON_CPU", "avx1024")
    with pytest.raises(ArgumentError, match="PYHEXAGON_CPU of the environment is 'avx1024': this CPU has ref"):
        Device("loopback")
