# SPDX-License-Identifier: MIT
"""A condition variable whose waits are safe to interrupt with Ctrl-C.

``threading.Condition`` is Python code: a KeyboardInterrupt in its ``__enter__`` or ``__exit__`` leaves its lock held,
and then no thread can take it again. A ``threading.Lock`` is C, which a signal does not interrupt halfway.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

_LOOK_AGAIN: Final = 0.5  # seconds: Ctrl-C may have interrupted a ``notify``, or prevented it


class Changes:
    """Attributes:
    lock: guards the state that ``wait_for`` checks.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._waiting: list[threading.Lock] = []

    def notify(self) -> None:
        """Make the waiting threads check again. The caller holds the lock."""
        while self._waiting:
            self._waiting.pop().release()

    def wait_for(self, look: Callable[[], T | None], timeout: float = float("inf")) -> T | None:
        """Return the first result of ``look`` that is not None; ``look`` runs under the lock.

        Args:
            timeout: in seconds; after that, the result is None.
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
            if not changed.acquire(timeout=min(left, _LOOK_AGAIN)):
                with self.lock:
                    if changed in self._waiting:
                        self._waiting.remove(changed)
