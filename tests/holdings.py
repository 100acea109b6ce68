# SPDX-License-Identifier: MIT
"""The resources that this process holds, to find leaks."""

from __future__ import annotations

import gc
import os
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from waiting import LONG

from pyhexagon.process import domains

PATIENCE = LONG  # seconds for what ends by itself


def children() -> list[int]:
    """Return the process ids of this process's children. A thread that ends leaves its children to another one."""
    while True:
        with suppress(OSError):  # a thread has just ended
            tasks = [Path(task, "children") for task in Path("/proc/self/task").iterdir()]
            return sorted(int(pid) for task in tasks for pid in task.read_text().split())


def held() -> dict[str, object]:
    """Return the resources of this process: descriptors, threads, shared memory, child processes, session numbers."""
    while True:
        with suppress(OSError):  # a descriptor has just gone
            return _held_now()


def _held_now() -> dict[str, object]:
    maps = Path("/proc/self/maps").read_text().splitlines()
    return {
        "fds": sorted(os.readlink(fd) for fd in map(str, Path("/proc/self/fd").iterdir()) if os.path.lexists(fd)),
        "threads": len(os.listdir("/proc/self/task")),
        "maps": sum("memfd" in line or "dmabuf" in line for line in maps),
        "children": children(),
        "sessions": sum(map(len, domains._free.values())),
    }


def begins_del(frame: FrameType) -> bool:
    """Whether a ``__del__`` has not come to its first statement: nothing can catch what is raised there."""
    return frame.f_code.co_name == "__del__" and frame.f_lineno <= frame.f_code.co_firstlineno + 1


def back_to(before: dict[str, object]) -> dict[str, object]:
    """Wait until this process holds the resources of ``before``, or for ``PATIENCE`` seconds; return the last ones.

    Threads of earlier tests may end meanwhile, so a lower number of threads counts as the number before.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        gc.collect()
        now = {what: is_held for what, is_held in held().items() if what in before}
        if "threads" in now:
            now["threads"] = max(int(str(now["threads"])), int(str(before["threads"])))
        if now == before or time.monotonic() > deadline:
            return now
        time.sleep(0.005)
