# SPDX-License-Identifier: MIT
"""The lock between the models of a device: they use it together, and one of them reopens it alone.

Reopening closes a lost session. A thread that is still in a call to it would use freed memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyhexagon.process.changes import Changes


class DeviceGate:
    """A readers-writer lock that prefers the writer. It is not reentrant."""

    def __init__(self) -> None:
        self._changes = Changes()
        self._n_together = 0
        self._is_alone = False
        self._n_wanted = 0  # threads that have the device alone, or wait for that

    def enter(self) -> None:
        """Begin to use the device beside other threads; ``leave`` ends it."""
        with self._changes.lock:
            is_free = not self._n_wanted
            self._n_together += is_free
        if not is_free:
            self._changes.wait_for(self._enter)

    def leave(self) -> None:
        """End what ``enter`` began."""
        with self._changes.lock:
            self._n_together -= 1
            if self._n_wanted:
                self._changes.notify()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Use the device beside other threads."""
        self.enter()
        try:
            yield
        finally:
            self.leave()

    def _enter(self) -> bool | None:
        if self._n_wanted:
            return None
        self._n_together += 1
        return True

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Use the device while no other thread does."""

        def enter() -> bool | None:
            if self._n_together or self._is_alone:
                return None
            self._is_alone = True
            return True

        with self._changes.lock:
            self._n_wanted += 1
        self._changes.wait_for(enter)
        try:
            yield
        finally:
            with self._changes.lock:
                self._is_alone = False
                self._n_wanted -= 1
                self._changes.notify()
