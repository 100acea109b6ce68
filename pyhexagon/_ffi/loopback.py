# SPDX-License-Identifier: MIT
"""The loopback's own controls (dsp/loopback/loopback.h): make calls fail, kill the DSP process, see what was called.

A real libcdsprpc has none of these names; on one, each function raises UnsupportedError.
"""

from __future__ import annotations

from collections.abc import Callable

from pyhexagon import aee
from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, Library
from pyhexagon.errors import check


def fail(library: Library, call: str, nth: int, code: int) -> None:
    """The ``nth`` next call of an exported function does nothing and returns ``code``; nth 0 takes that back."""
    rc = library.loopback_fail(call.encode(), nth, aee.signed(code))
    check("loopback_fail", rc, f"{call!r} is not an exported function")


def kill(library: Library, domain: int) -> None:
    """The DSP process of that effective domain dies now."""
    check("loopback_kill", library.loopback_kill(domain), domain=domain)


def stall(library: Library, domain: int, on: bool) -> None:
    """It stops answering: invokes and queue packets wait; or it goes on."""
    check("loopback_stall", library.loopback_stall(domain, int(on)), domain=domain)


def count(library: Library, call: str) -> int:
    """How often that exported function was called."""
    return library.loopback_count(call.encode())


def calls(library: Library) -> list[str]:
    """The last calls, oldest first."""
    return _text(library.loopback_calls).splitlines()


def log(library: Library) -> str:
    """The last lines that the loopback, its loader and the DSP side wrote, oldest first."""
    return _text(library.loopback_log)


def _text(function: Callable[[CData, int], int]) -> str:
    size = 4096
    while True:
        text = ffi.new("char[]", size)
        needed = function(text, size)
        if needed <= size:
            return bytes(ffi.buffer(text)).split(b"\0", 1)[0].decode(errors="replace")
        size = needed + 4096  # other threads go on writing


def set_option(library: Library, option: str, value: int) -> None:
    """Sets an option; loopback.h lists them."""
    check("loopback_set", library.loopback_set(option.encode(), value), f"{option!r} is not an option")


def reset(library: Library) -> None:
    """Options, failures and records as after loading; no DSP process stalled. Sessions, buffers and queues stay."""
    library.loopback_reset()
