# SPDX-License-Identifier: MIT
"""Measure how much more shared memory a DSP process can map, by allocating, mapping and freeing.

No interface reports it: the kernel, the IOMMU and the DSP each have a limit, and other processes use the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from pyhexagon._ffi.rpcmem import PAGE

T = TypeVar("T")

ADDRESS_SPACE: Final = 4 << 30  # the range of the DSP's 32-bit addresses
_STEPS: Final = tuple(size for size in (256 << 20 >> shift for shift in range(0, 32, 2)) if size >= PAGE)


@dataclass(frozen=True)
class Room:
    """The mapped memory of a session, and how much more it can map.

    Attributes:
        session: the session's index in the device.
        mapped_bytes: weights, activations, messages, and the spare buffer that reserves room for activations.
        free_bytes: how much more could be allocated and mapped, in buffers of at most 256 MiB.
        limited: False if there may be more: the measurement uses at most half of the system's free memory.
    """

    session: int
    mapped_bytes: int
    free_bytes: int
    limited: bool


class HostMemory(NamedTuple):
    """The system's memory in bytes, which the DSP's buffers are part of.

    Attributes:
        process: of this process alone: heap and stacks, without what it shares with a DSP, and without files.
        total: of the system.
        free: what the system can still allocate.
    """

    process: int
    total: int
    free: int


def host() -> HostMemory:
    """Return the memory of this process and of the system."""
    system = _fields("/proc/meminfo")
    process = _fields("/proc/self/status").get("RssAnon", 0)
    return HostMemory(process, system.get("MemTotal", 0), system.get("MemAvailable", 1 << 30))


def available() -> int:
    """Return the bytes of memory that the system can still allocate."""
    return _fields("/proc/meminfo").get("MemAvailable", 1 << 30)


def _fields(path: str) -> dict[str, int]:
    """Return the lines "NAME: N kB" of a file of the kernel, in bytes."""
    lines = (line.split() for line in Path(path).read_text().splitlines() if line.endswith(" kB"))
    return {name.rstrip(":"): int(number) << 10 for name, number, _ in lines}


def measure(take: Callable[[int], T | None], give_back: Callable[[T], None]) -> tuple[int, bool]:
    """Allocate memory step by step until an allocation fails, and free all of it.

    Args:
        take: returns a new mapped buffer of a size in bytes, or None.

    Returns:
        The bytes, and whether that is all: at most half of the system's free memory is allocated.
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
