# SPDX-License-Identifier: MIT
"""The whole chain: the aarch64 wheel, Debian's real arm64 libcdsprpc, a stand-in for the kernel's devices and the v68
skel in QEMU. tests/bridge has the stand-in, and scenarios.py what is tried: in one arm64 Python, for it starts slowly.

Not covered, for no firmware of a DSP runs here: its calls to the CPU (it finds and reads the skel's file by them), and
the cache work and address translation of the kernel's driver."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from bridge.scenarios import SCENARIOS
from userland import ROOT, Userland

pytest_plugins = ("wheels_plugin",)

TESTS = ROOT / "tests"
TARGET = "aarch64-linux-gnu.2.36"
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Werror")
FLAGS = ("-std=gnu11", "-O1", "-g0", "-fPIC", "-shared", "-fvisibility=hidden", *WARNINGS)
KERNEL = {
    "dev/fastrpc-cdsp": "",
    "dev/dma_heap/system": "",
    "sys/class/remoteproc/remoteproc0/name": "cdsp\n",
}
TIMEOUT = 900  # of all; under a minute on an idle machine


class Outcome(NamedTuple):
    """The end of a scenario's process: its exit code, -n for a signal, None when it hung; and its output."""

    status: int | None
    output: str


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stand-in, for arm64."""
    path = tmp_path_factory.mktemp("bridge") / "bridge.so"
    sources = [*sorted((TESTS / "bridge").glob("*.c")), ROOT / "dsp/loopback/shell/ring.c"]
    command = [sys.executable, "-m", "ziglang", "cc", "-target", TARGET, *FLAGS, "-o", str(path), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def outcomes(
    arm64: Userland, real_library: Path, qemu: str, library: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Outcome]:
    guest = arm64.with_devices(tmp_path_factory.mktemp("guest"), KERNEL, library)
    environment = {
        "PYTHONPATH": f"{guest.site}:{TESTS}",
        "LD_LIBRARY_PATH": str(real_library),
        "BRIDGE_LOOPBACK": str(guest.site / "pyhexagon/lib/libcdsprpc.so.1"),
        "PYHEXAGON_QEMU": qemu,
    }
    done = guest.run(TESTS / "bridge/scenarios.py", *SCENARIOS, environment=environment, timeout=TIMEOUT)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-5000:]
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return {result["name"]: Outcome(result["status"], result["output"]) for result in results}


@pytest.mark.parametrize("name", SCENARIOS)
def test_through_the_real_library(outcomes: dict[str, Outcome], name: str) -> None:
    """A scenario's process raises nothing, writes nothing, and ends well: the library's destructors run at its exit."""
    assert outcomes[name] == (0, ""), outcomes[name].output[-5000:]
