# SPDX-License-Identifier: MIT
"""Ctrl-C leaves no lock held: threads wait on C locks only."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from pyhexagon.process.changes import Changes

INTERRUPTED = """
import itertools
import signal

from pyhexagon import Device
from pyhexagon.process import domains

nobody = domains.Domain("cdsp", 99, "")


def interrupt(*_):
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, interrupt)
n_interrupts = 0
for delay in itertools.islice(itertools.cycle(range(1, 60)), 2000):
    try:
        signal.setitimer(signal.ITIMER_REAL, delay * 1e-6)
        while True:
            domains.mark_stuck(nobody)
    except KeyboardInterrupt:
        n_interrupts += 1
devices = [Device("loopback", timeout=5) for _ in range(4)]
for device in devices:
    device.close()
print(n_interrupts)
"""


def test_devices_open_after_interrupts_wherever_they_came() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "2000\n"), done.stderr[-2000:]


def test_who_waits_is_told_of_changes() -> None:
    changes, values = Changes(), list[int]()
    found: list[int | None] = []
    threads = [
        threading.Thread(target=lambda: found.append(changes.wait_for(lambda: values.pop() if values else None, 60)))
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for value in range(5):
        with changes.lock:
            values.append(value)
            changes.notify()
    for thread in threads:
        thread.join(60)
    assert sorted(one for one in found if one is not None) == [0, 1, 2, 3, 4]


def test_waiting_ends() -> None:
    start = time.monotonic()
    assert Changes().wait_for(lambda: None, 0.05) is None
    assert Changes().wait_for(lambda: 0, 0) == 0
    assert time.monotonic() - start < 30


def test_who_waits_long_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyhexagon.process.changes._LOOK_AGAIN", 0.0)
    changes, n_looks = Changes(), 0

    def look() -> int | None:
        nonlocal n_looks
        n_looks += 1
        return n_looks if n_looks == 20 else None

    assert changes.wait_for(look) == 20
    assert changes._waiting == []
