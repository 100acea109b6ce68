# SPDX-License-Identifier: MIT
"""How much shared memory a DSP process can still take: measured by allocating and mapping, and giving it all back.

Nobody can be asked: the kernel, the IOMMU and the DSP each have a limit of their own, and others use the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from pyhexagon._ffi.rpcmem import PAGE

T = TypeVar("T")

ADDRESS_SPACE: Final = 4 << 30  # what the DSP's 32-bit addresses reach
_STEPS: Final = tuple(size for size in (256 << 20 >> shift for shift in range(0, 32, 2)) if size >= PAGE)


@dataclass(frozen=True)
class Room:
    """What a session has mapped, and what it can map beyond that.

    Attributes:
        session: its number in the device.
        mapped_bytes: weights, activations, messages, and the spare that keeps room for activations.
        free_bytes: what could be allocated and mapped besides, in pieces of at most 256 MiB.
        limited: false when there may be more: only half of the system's free memory is tried.
    """

    session: int
    mapped_bytes: int
    free_bytes: int
    limited: bool


def available() -> int:
    """Bytes of memory that the system can still give."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 1 << 30


def measure(take: Callable[[int], T | None], give_back: Callable[[T], None]) -> tuple[int, bool]:
    """Takes memory step by step until there is no more, and gives it all back.

    Args:
        take: a new buffer of that many bytes, mapped; or None.

    Returns:
        The bytes, and whether they are all: at most half of the system's free memory is taken.
    """
    bound = min(ADDRESS_SPACE, available() // 2)
    buffers: list[T] = []
    total = 0
    try:
        for size in _STEPS:
            while total + size <= bound and (buffer := take(size)) is not None:
                buffers.append(buffer)
                total += size
    finally:
        for buffer in buffers:
            give_back(buffer)
    return total, total + _STEPS[-1] <= bound
