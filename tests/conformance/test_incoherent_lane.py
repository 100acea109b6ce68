# SPDX-License-Identifier: MIT
"""Existing tests with separate memory for CPU and DSP: each part of the lane is a pytest of its own in that mode.

The variable PYHEXAGON_LOOPBACK must be set before the loopback is loaded, hence the processes. Any other test runs in
this mode like this:

    PYHEXAGON_LOOPBACK=incoherent python -m pytest tests/ops/test_matmul.py

Not in the lane: tests that count or measure the package's calls, and tests that map gigabytes, because every
mapping copies its buffer in this mode.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import ROOT
from waiting import LONG

CACHES = ("tests/ops/test_cache_copy.py", "tests/ops/test_flash_attn_ext.py")
SESSIONS = ("tests/memory/test_sessions.py", "tests/llm/test_sessions.py")
PROGRAMS = "tests/conformance/test_programs.py"
LANE = {  # name of a part: files, and what pytest's -k selects from them
    "matmuls": ("tests/ops/test_leading.py", "tests/ops/test_mul_mat_id.py", "invoke and (Q4_0 or Q6_K or keep)"),
    "ops": ("tests/ops/test_elementwise.py::Test_add", "tests/ops/test_set_rows.py", "not threads"),
    "caches": (*CACHES, "order or sequences or (q8_0 and (forks or saved))"),
    "programs": ("tests/program/test_fusions.py", PROGRAMS, "constant or earlier or views or (block0 and llama)"),
    "sessions": (*SESSIONS, "(fro and not qemu) or results or pages"),
    "recovery": ("tests/memory/test_lost.py", PROGRAMS, "invoke and (hangs or stalled or reopening)"),
    "model": ("tests/llm/test_llm.py", "every_cut or lost_dsp"),
}


def run(mode: str, *part: str) -> subprocess.CompletedProcess[str]:
    """Run a part of the lane with these settings of the loopback."""
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", part[-1]]
    command = [sys.executable, "-m", "pytest", *options, *part[:-1]]
    environment = {**os.environ, "PYHEXAGON_LOOPBACK": mode}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=5 * LONG
    )


@pytest.mark.usefixtures("qemu")
@pytest.mark.parametrize("part", LANE)
def test_tests_pass_where_only_cache_maintenance_moves_data(part: str) -> None:
    done = run("incoherent", *LANE[part])
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
    assert " passed" in done.stdout.splitlines()[-1]


def test_the_lane_fails_without_one_call_of_cache_maintenance() -> None:
    done = run("incoherent;skip_maintenance=1", *LANE["ops"])
    assert done.returncode == 1, done.stdout[-20000:] + done.stderr[-5000:]
