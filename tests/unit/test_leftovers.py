# SPDX-License-Identifier: MIT
"""tests/leftovers.py: a device left open fails only its own test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
EXAMPLE = """
import pytest
from pyhexagon import Device

@pytest.fixture(scope="module")
def kept():
    with Device("loopback") as device:
        yield device

def test_fails_and_leaves_every_session(kept):
    devices = [Device("loopback") for _ in range(3)]
    assert not devices

def test_has_its_sessions(kept):
    for device in [Device("loopback") for _ in range(3)]:
        device.close()
    kept.info()

def test_leaves_one():
    global device
    device = Device("loopback")
"""


def test_a_failed_test_leaves_its_sessions_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "test_example.py"
    path.write_text(EXAMPLE)
    command = [sys.executable, "-m", "pytest", "-p", "leftovers", "-p", "no:cacheprovider", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "1 failed, 2 passed, 2 errors" in done.stdout.splitlines()[-1], done.stdout
    assert done.stdout.count("\nleft open, and closed now: <") == 2
