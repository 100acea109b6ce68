# SPDX-License-Identifier: MIT
"""What the faults of kernels mean: signals that end a child process, and addresses that were used."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Final

MEMORY: Final = frozenset({signal.SIGSEGV, signal.SIGBUS})  # of an access to memory, whose address says more
_TRAP: Final = "a trap, as of PHX_PARAM beyond n_params"
_REASONS: Final[Mapping[int, str]] = {
    signal.SIGFPE: "integer division by zero",
    signal.SIGILL: _TRAP,
    signal.SIGTRAP: _TRAP,
}
_NULL_PAGE: Final = 4096
_OF_TRAPS: Final = 0xBADC0FEE  # the address that __builtin_trap() of clang reads on Hexagon


def reason(number: int) -> str:
    """Return why a signal ended a process."""
    return _REASONS.get(number) or signal.strsignal(number) or f"signal {number}"


def used(address: int) -> str:
    """Return what the address of a fault means, to be appended to the fault's place."""
    if address == _OF_TRAPS:
        return f": {_TRAP}"
    null = " (NULL: data of sources and results beyond n_src and n_dst, and vtcm on CPUs)"
    return f", which used the address {address:#x}{null if address < _NULL_PAGE else ''}"
