# SPDX-License-Identifier: MIT
"""Waiting until something has changed, on threads that Ctrl-C reaches.

``threading.Condition`` is Python code: a KeyboardInterrupt in its ``__enter__`` or ``__exit__`` leaves its lock held,
and nobody gets it any more. A ``threading.Lock`` is C, which a signal does not cut in two.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

_LOOK_AGAIN: Final = 0.5  # seconds: Ctrl-C may have cut a ``notify`` short, or kept anybody from calling it


class Changes:
    """Attributes:
    lock: guards what is looked at.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._waiting: list[threading.Lock] = []

    def notify(self) -> None:
        """Has those who wait look again. Call it with the lock."""
        while self._waiting:
            self._waiting.pop().release()

    def wait_for(self, look: Callable[[], T | None], timeout: float = float("inf")) -> T | None:
        """What ``look``, called with the lock, gives as soon as that is not None.

        Args:
            timeout: in seconds; then it is None.
        """
        until = time.monotonic() + timeout
        while True:
            with self.lock:
                found = look()
                left = until - time.monotonic()
                if found is not None or left <= 0:
                    return found
                changed = threading.Lock()
                changed.acquire()
                self._waiting.append(changed)
            changed.acquire(timeout=min(left, _LOOK_AGAIN))
