# SPDX-License-Identifier: MIT
"""The numbers that a session keeps program pieces under. They are few, so the least recently used piece is evicted.

The last number is reserved: a piece that finds all others busy is defined under it, run and dropped in one request.
"""

from __future__ import annotations

import itertools
import threading
from typing import Final, Protocol
from weakref import ref

from pyhexagon._ffi import contract

TRANSIENT_NUMBER: Final = contract.MAX_PROGRAMS - 1


class Numbered(Protocol):
    """An object with a number, -1 for none. ``used`` is the time of its last run; it keeps its number while busy."""

    number: int
    is_busy: bool
    used: int

    def forget(self) -> None:
        """Forget the number: another object has it now."""


class Numbers:
    """The numbers of one session.

    Attributes:
        lock: guards the owners.
        clock: counts runs.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.clock = itertools.count(1)
        self._owners: list[ref[Numbered] | None] = [None] * TRANSIENT_NUMBER

    def give(self, owner: Numbered) -> int:
        """Return the owner's number, or assign one; TRANSIENT_NUMBER if all are busy.

        The DSP may still keep another piece under an assigned number.
        """
        with self.lock:
            if owner.number < 0 and (number := self._free()) is not None:
                self._take_away(number)
                self._owners[number] = ref(owner)
                owner.number = number
            return owner.number if owner.number >= 0 else TRANSIENT_NUMBER

    def idle(self) -> list[int]:
        """Release and return the numbers of all idle or collected owners; the DSP may drop these programs."""
        with self.lock:
            numbers = [
                number
                for number, owner in enumerate(self._owners)
                if owner is not None and ((alive := owner()) is None or not alive.is_busy)
            ]
            for number in numbers:
                self._take_away(number)
            return numbers

    def _free(self) -> int | None:
        """Return the first unassigned number, else the least recently used number that is not busy."""
        best: tuple[int, int] | None = None
        for number, owner in enumerate(self._owners):
            alive = None if owner is None else owner()
            if alive is None:
                return number
            if not alive.is_busy and (best is None or alive.used < best[0]):
                best = alive.used, number
        return None if best is None else best[1]

    def _take_away(self, number: int) -> None:
        owner = self._owners[number]
        alive = None if owner is None else owner()
        if alive is not None:
            alive.forget()
        self._owners[number] = None
