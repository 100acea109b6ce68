# SPDX-License-Identifier: MIT
"""The loopback's own controls (dsp/loopback/loopback.h): inject failures, kill the DSP process, list the calls.

A real libcdsprpc exports none of these names; there, each function raises UnsupportedError.
"""

from __future__ import annotations

from collections.abc import Callable

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, Library
from pyhexagon.errors import aee, check


def fail(library: Library, call: str, nth: int, code: int) -> None:
    """Make the ``nth`` next call of an exported function do nothing and return ``code``; nth 0 cancels the failure."""
    rc = library.loopback_fail(call.encode(), nth, aee.signed(code))
    check("loopback_fail", rc, f"{call!r} is not an exported function")


def kill(library: Library, domain: int) -> None:
    """Kill the DSP process of an effective domain."""
    check("loopback_kill", library.loopback_kill(domain), domain=domain)


def stall(library: Library, domain: int, on: bool) -> None:
    """Stop or resume the DSP process: while stopped, invokes and queue packets get no answer."""
    check("loopback_stall", library.loopback_stall(domain, int(on)), domain=domain)


def stall_at(library: Library, domain: int, nth: int) -> None:
    """Stop the DSP process at its ``nth`` moment from now on; loopback.h says what its moments are; nth 0 cancels."""
    check("loopback_stall_at", library.loopback_stall_at(domain, nth), domain=domain)


def is_stalled(library: Library, domain: int) -> bool:
    """Return whether the DSP process is stopped, by ``stall`` or at its moment."""
    return bool(library.loopback_is_stalled(domain))


def count(library: Library, call: str) -> int:
    """Return how often an exported function was called."""
    return library.loopback_count(call.encode())


def calls(library: Library) -> list[str]:
    """Return the most recent calls, oldest first."""
    return _text(library.loopback_calls).splitlines()


def log(library: Library) -> str:
    """Return the most recent log lines of the loopback, its loader and the DSP side, oldest first."""
    return _text(library.loopback_log)


def _text(function: Callable[[CData, int], int]) -> str:
    size = 4096
    while True:
        text = ffi.new("char[]", size)
        needed = function(text, size)
        if needed <= size:
            return bytes(ffi.buffer(text)).split(b"\0", 1)[0].decode(errors="replace")
        size = needed + 4096  # other threads may have written meanwhile


def set_option(library: Library, option: str, value: int) -> None:
    """Set an option; loopback.h lists them."""
    check("loopback_set", library.loopback_set(option.encode(), value), f"{option!r} is not an option")


def reset(library: Library) -> None:
    """Reset options, injected failures, records and stalls. Sessions, buffers and queues stay."""
    library.loopback_reset()
