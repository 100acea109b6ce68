# SPDX-License-Identifier: MIT
"""Ctrl-C ends the command with 130 and without a word, whatever it is doing."""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMMAND = Path(sys.executable).with_name("pyhexagon")
N = 12
PROGRAM = """
import os, signal, sys
count, victim = 0, int(sys.argv.pop(1))
def trace(frame, event, argument):
    global count
    count += event == "line"
    if event == "line" and count == victim:
        signal.raise_signal(signal.SIGINT)
    return trace
import pyhexagon_command
sys.settrace(trace)
code = pyhexagon_command.run()
sys.settrace(None)
if not victim:
    print(count, file=sys.stderr)
sys.exit(code)
"""


def run(victim: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, str(victim), "info", "--device", "loopback", "--transport", "invoke"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def test_ctrl_c_at_any_line_of_the_command_ends_it_with_130(seed: int) -> None:
    whole = run(0)
    assert whole.returncode == 0
    n_lines = int(whole.stderr)
    victims = [*range(2, 10), *random.Random(seed).sample(range(10, n_lines), N)]
    with ThreadPoolExecutor(2) as pool:
        for victim, done in zip(victims, pool.map(run, victims), strict=True):
            assert (done.returncode, done.stderr) == (130, ""), f"line {victim} of {n_lines}"


def test_the_command_is_what_is_installed() -> None:
    done = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stdout.split()[0]) == (0, "pyhexagon")
