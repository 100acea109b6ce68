# SPDX-License-Identifier: MIT
"""The numbers under which a session keeps pieces of programs: few, so the one that ran longest ago gives way.

The last number is nobody's: a piece that finds all others busy is defined under it, run and dropped in one request.
"""

from __future__ import annotations

import itertools
import threading
from typing import Final, Protocol
from weakref import ref

from pyhexagon._ffi import contract

NOBODYS: Final = contract.MAX_PROGRAMS - 1


class Numbered(Protocol):
    """Whatever has a number: -1 when it has none. ``used`` is when it ran last; it keeps its number while busy."""

    number: int
    is_busy: bool
    used: int

    def forget(self) -> None:
        """Its number is somebody else's."""


class Numbers:
    """The numbers of one session.

    Attributes:
        lock: guards who has which.
        clock: counts runs.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.clock = itertools.count(1)
        self._owners: list[ref[Numbered] | None] = [None] * NOBODYS

    def give(self, owner: Numbered) -> int:
        """The owner's number, or a new one, which need not be free on the DSP; NOBODYS if all others are busy."""
        with self.lock:
            if owner.number < 0 and (number := self._free()) is not None:
                self._take_away(number)
                self._owners[number] = ref(owner)
                owner.number = number
            return owner.number if owner.number >= 0 else NOBODYS

    def idle(self) -> list[int]:
        """Takes the numbers of all that are not busy, and of those that are no more; the DSP may drop them."""
        with self.lock:
            numbers = [
                number
                for number, owner in enumerate(self._owners)
                if owner is not None and ((one := owner()) is None or not one.is_busy)
            ]
            for number in numbers:
                self._take_away(number)
            return numbers

    def _free(self) -> int | None:
        """The first number that nobody has, or of those that are not busy the one that ran longest ago."""
        best: tuple[int, int] | None = None
        for number, owner in enumerate(self._owners):
            one = None if owner is None else owner()
            if one is None:
                return number
            if not one.is_busy and (best is None or one.used < best[0]):
                best = one.used, number
        return None if best is None else best[1]

    def _take_away(self, number: int) -> None:
        owner = self._owners[number]
        one = None if owner is None else owner()
        if one is not None:
            one.forget()
        self._owners[number] = None
