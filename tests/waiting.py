# SPDX-License-Identifier: MIT
"""Something that happens once a thread waits, however long it takes to come there; and what does not wait."""

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
SAMPLES, APART = 5, 0.01  # so often in a row it sleeps, at the same instruction
LONG = 60.0  # seconds; what is asserted to take less is what would otherwise take longer, or not end


def _asleep_at(thread: threading.Thread) -> tuple[int, int] | None:
    """The instruction of the package at which the thread sleeps; None while it computes, or is elsewhere."""
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
    """Calls the function, on a thread of its own, once another one (the calling one) waits for the DSP."""
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
    """Ctrl-C for the main thread, once it waits for the DSP; and what is to happen after it."""

    def interrupt() -> None:
        os.kill(os.getpid(), SIGINT)
        then()

    return once_waiting(interrupt, thread=threading.main_thread())


@contextmanager
def at_once() -> Iterator[None]:
    """Not only when the device's own limit of LONG seconds has passed: this is no test of the machine's speed."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < LONG / 2
