# SPDX-License-Identifier: MIT
"""The resources that this process holds, to find leaks."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from waiting import LONG

from pyhexagon.process import domains

PATIENCE = LONG  # seconds for what ends by itself


def children() -> list[int]:
    """Return the process ids of this process's children. A thread that ends leaves its children to another one."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # leaves an ended one as it is
    except ChildProcessError:
        return []
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


_MALLINFO2 = (
    "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
)  # fmt: skip


class _Mallinfo2(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _MALLINFO2)


class Heap:
    """The allocated memory of this process at a time: bytes of malloc(), and blocks of Python's own allocator.

    Resident memory would say how the allocators reuse it.
    """

    def __init__(self) -> None:
        self.n_bytes, self.n_blocks = self._allocated()

    @staticmethod
    def _allocated() -> tuple[int, int]:
        gc.collect()
        mallinfo2 = ctypes.CDLL(None).mallinfo2
        mallinfo2.restype = _Mallinfo2
        info = mallinfo2()
        return info.uordblks + info.hblkhd, sys.getallocatedblocks()

    def growth(self) -> tuple[int, int]:
        """Return the bytes and blocks that were allocated since and are not free."""
        n_bytes, n_blocks = self._allocated()
        return n_bytes - self.n_bytes, n_blocks - self.n_blocks

    def check(self, n_rounds: int) -> None:
        """Assert that no round since left an object, or bytes; a cache that grows now and then may."""
        n_bytes, n_blocks = self.growth()
        assert n_blocks < n_rounds + 100, f"{n_blocks} blocks of Python's after {n_rounds} rounds"
        assert n_bytes < 1000 * n_rounds + 100_000, f"{n_bytes:,} bytes after {n_rounds} rounds"

    def __str__(self) -> str:
        n_bytes, n_blocks = self.growth()
        return f"since then {n_bytes} bytes and {n_blocks} blocks more are allocated"


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
