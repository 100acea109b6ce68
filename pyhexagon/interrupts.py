# SPDX-License-Identifier: MIT
"""Ctrl-C where nobody acts on it: in a ``close`` that nobody calls again, and in ``__del__``."""

from __future__ import annotations

import _thread
import signal
from collections.abc import Callable
from contextlib import suppress

from pyhexagon.errors import HexagonError


def finish(close: Callable[[], None]) -> None:
    """Call ``close``; if Ctrl-C interrupts it, call it once more before raising.

    A ``with`` statement closes only once, so what a KeyboardInterrupt leaves open would stay open.

    Args:
        close: a second call resumes where an interrupted one ended.
    """
    try:
        close()
    except HexagonError:
        raise
    except BaseException:
        with suppress(HexagonError):
            close()
        raise


def raise_again() -> None:
    """Send SIGINT to the calling thread once more, after the present ``__del__``, which got a KeyboardInterrupt.

    Python reports an exception of ``__del__`` as unraisable and continues, so the program would not notice Ctrl-C.
    Another thread sends the signal: Python would handle one from this thread before ``__del__`` returns. ``_thread``'s
    function is C, whereas a second Ctrl-C could interrupt ``threading.Thread``.
    """
    _thread.start_new_thread(signal.pthread_kill, (_thread.get_ident(), signal.SIGINT))
