# SPDX-License-Identifier: MIT
"""The ``pyhexagon`` command: Ctrl-C ends it with exit code 130 and no traceback, also while it imports its modules.

NumPy and the other modules of a command take up to half a second to import, and a KeyboardInterrupt within an import
can turn into another error. So the command exits at once on Ctrl-C until its modules are imported.
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

        code = main(ready=lambda: signal.signal(signal.SIGINT, before))
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave)  # nothing is open any more
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _leave(*_: object) -> None:
    os._exit(_INTERRUPTED)
