# SPDX-License-Identifier: MIT
"""tests/leaks.py: what a test leaves is found and named; what wider fixtures hold is not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
EXAMPLES = """
import ctypes
import os
import subprocess
import threading

import leaks
import pytest

leaks.LONG = 0.1
never = threading.Event()

def start():
    threading.Thread(target=never.wait, daemon=True, name="left").start()

@pytest.fixture
def closed():
    with open("/dev/zero") as file:
        yield file

def test_nothing(closed):
    threading.Thread(target=lambda: None).start()

def test_file():
    os.open("/dev/zero", os.O_RDONLY)

def test_thread():
    start()

def test_process():
    subprocess.Popen(["sleep", "2"])

def test_map():
    fd = os.memfd_create("left")
    os.ftruncate(fd, 4096)
    assert ctypes.CDLL(None).mmap(None, 4096, 1, 1, fd, 0) != -1
    os.close(fd)
"""
SERVERS = """
import os
import threading

import pytest
from test_one import start

@pytest.fixture(scope="module")
def server():
    ends, threads = threading.Event(), []
    yield ends, threads
    ends.set()

def test_grows(server):
    threading.Thread(target=server[0].wait).start()

def test_other(server):
    threading.Thread(target=server[0].wait).start()
    if os.environ["LEAVES"] == "1":
        start()
"""


def run(folder: Path, leaves: str) -> str:
    (folder / "test_one.py").write_text(EXAMPLES)
    (folder / "test_two.py").write_text(SERVERS)
    command = [sys.executable, "-m", "pytest", "-p", "leaks", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{folder}", "LEAVES": leaves}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_what_a_test_leaves_is_named(tmp_path: Path) -> None:
    output = run(tmp_path, "0")
    found = re.findall(r"^left behind: 1 (\w+), of \d+ \((.*)\)$", output, re.M)
    assert found == [
        ("files", "/dev/zero"), ("threads", "left"), ("processes", "sleep"), ("maps", "/memfd:left (deleted)"),
    ]  # fmt: skip
    blamed = re.findall(r"^ERROR test_\w+.py::(\w+)", output, re.M)
    assert blamed == ["test_file", "test_thread", "test_process", "test_map"]


def test_what_remains_of_wider_fixtures_is_named_after_their_end(tmp_path: Path) -> None:
    output = run(tmp_path, "1")
    assert len(re.findall(r"^left behind by the tests of test_two.py: 1 threads, of \d+ \(left\)$", output, re.M)) == 1
    assert "ERROR test_two.py::test_other" in output
