# SPDX-License-Identifier: MIT
"""The CPU cores that this process may compute on."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

CPUS: Final = Path("/sys/devices/system/cpu")


def n_fast_cores() -> int:
    """Return how many physical cores of this process have at least half the capacity of its fastest one.

    Threads divide the work equally, so a second one on a core gains nothing, and the small cores of a big.LITTLE CPU
    would delay the others. A CPU that the kernel does not describe counts as a core of full capacity.
    """
    cores: dict[str, int] = {}
    for cpu in os.sched_getaffinity(0):
        siblings, capacity = str(cpu), 1024
        with suppress(OSError):
            siblings = (CPUS / f"cpu{cpu}/topology/thread_siblings_list").read_text()
        with suppress(OSError, ValueError):
            capacity = int((CPUS / f"cpu{cpu}/cpu_capacity").read_text())
        cores[siblings] = capacity
    return sum(2 * capacity >= max(cores.values()) for capacity in cores.values())
