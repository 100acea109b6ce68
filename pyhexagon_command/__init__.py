# SPDX-License-Identifier: MIT
"""The ``pyhexagon`` command, from its first line: Ctrl-C ends it with 130 and no traceback, also while it is loading.

A package of its own, because importing anything of pyhexagon imports NumPy first, which takes half a second.
"""

import os
import signal

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def run() -> int:
    """Runs the command and returns its exit code."""
    try:
        before = signal.getsignal(signal.SIGINT)
        if before is signal.default_int_handler:  # else it is ignored: a shell started this in the background
            signal.signal(signal.SIGINT, _leave)  # nothing is open yet
        from pyhexagon.cli import main

        signal.signal(signal.SIGINT, before)
        code = main()
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave)  # nothing is open any more
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _leave(*_: object) -> None:
    os._exit(_INTERRUPTED)
