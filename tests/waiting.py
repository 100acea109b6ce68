# SPDX-License-Identifier: MIT
"""Run a function as soon as a thread waits, without a time limit; and assert that code does not wait."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT

import pyhexagon

PACKAGE = str(Path(pyhexagon.__file__).parent)
SAMPLES, APART = 5, 0.01  # samples in a row in which it sleeps at the same instruction
LONG = 60.0  # seconds; the code under test would otherwise take longer, or never end


def _asleep_at(thread: threading.Thread) -> tuple[int, int] | None:
    """Return the package's instruction at which the thread sleeps; None while it computes, or is elsewhere."""
    frame = sys._current_frames().get(thread.ident or 0)
    if frame is None or thread.native_id is None:
        return None
    at, inside = (id(frame), frame.f_lasti), frame
    while not inside.f_code.co_filename.startswith(PACKAGE):
        if inside.f_back is None:
            return None
        inside = inside.f_back
    state = Path(f"/proc/self/task/{thread.native_id}/stat").read_text().rpartition(")")[2].split()[0]
    return at if state == "S" else None


def once_waiting(
    function: Callable[..., object], *arguments: object, thread: threading.Thread | None = None
) -> threading.Thread:
    """Call the function on a separate thread once another thread (the calling one) waits for the DSP."""
    waiter = thread or threading.current_thread()

    def watch() -> None:
        n_same, last, end = 0, None, time.monotonic() + 2 * LONG
        while n_same < SAMPLES and time.monotonic() < end:
            time.sleep(APART)
            at = _asleep_at(waiter)
            n_same = n_same + 1 if at is not None and at == last else 0
            last = at
        function(*arguments)

    watcher = threading.Thread(target=watch)
    watcher.start()
    return watcher


def interrupt_once_waiting(then: Callable[[], object] = lambda: None) -> threading.Thread:
    """Send Ctrl-C to the main thread once it waits for the DSP, and then call ``then``."""

    def interrupt() -> None:
        os.kill(os.getpid(), SIGINT)
        then()

    return once_waiting(interrupt, thread=threading.main_thread())


def until(holds: Callable[[], object], what: str) -> None:
    """Wait until the function returns something true; what takes more than LONG seconds fails the test."""
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, f"not within {LONG:g} s: {what}"
        time.sleep(APART / 10)


@contextmanager
def at_once() -> Iterator[None]:
    """Assert that the block ends before the device's limit of LONG seconds; it does not test the machine's speed."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < LONG / 2
