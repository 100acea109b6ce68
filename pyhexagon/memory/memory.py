# SPDX-License-Identifier: MIT
"""The shared memory of a device: what is allocated, what is free for the next result, and what must wait.

Activations and results come from a pool. It keeps at most ``POOL_LIMIT`` bytes of free buffers, gives them up when
memory or address space runs out, and is empty when the device is closed.

Three things keep a buffer from being freed or used again: an open Tensor, NumPy arrays that look into it ("views"), and
a request that the DSP has not answered yet ("pins"). Asking for it nevertheless raises BusyError. A Tensor that is
merely dropped leaves its buffer in ``Memory.dropped``; it is collected at the next call, never inside the garbage
collector, because freeing talks to the DSP.

A lost session cannot unmap. Buffers freed then are kept aside until the session is closed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from pyhexagon._ffi import rpcmem
from pyhexagon._ffi.library import Library
from pyhexagon._ffi.rpcmem import PAGE
from pyhexagon.errors import ArgumentError, DspMemoryError
from pyhexagon.memory.buffer import Buffer, LettingGo
from pyhexagon.memory.capacity import Room, available
from pyhexagon.memory.placement import OpenSession, Placement
from pyhexagon.process.session import Session

POOL_LIMIT: Final = 64 << 20  # bytes of free buffers that are kept for the next result
_MAX_CUTS: Final = 4  # a weight that no session takes as a whole is halved at most that often


class Extent(NamedTuple):
    """A part of a weight that lies in a buffer of its own: its first unit and how many there are."""

    buffer: Buffer
    first: int
    n_units: int


class Memory:
    """All the shared memory of one device.

    Attributes:
        lock: guards who owns which buffer: a Tensor gives its buffer up, makes a view of it or has it pinned under
            this lock. Held for bookkeeping only, never while C is called.
        dropped: buffers of Tensors that were collected without ``close``, and what runs of programs are done with.
        placement: the sessions, and what is mapped in which.
        letting_go: for the pins of buffers.
    """

    def __init__(self, library: Library, open_session: OpenSession, max_sessions: int) -> None:
        self._library = library
        self.lock = threading.Lock()
        self.letting_go = LettingGo()
        self.dropped: deque[Buffer] = deque()
        allocate = partial(Buffer, library, pooled=False)
        self.placement = Placement(allocate, open_session, max_sessions, self.lock, self.dropped)
        self._live: set[Buffer] = set()
        self._free: dict[int, list[Buffer]] = {}  # the pool, by size
        self._pooled = 0  # bytes there
        self._unmappable: list[Buffer] = []

    @property
    def allocated(self) -> int:
        """Bytes of shared memory, those free in the pool included."""
        with self.lock:
            return sum(buffer.size for buffer in self._live)

    @property
    def pooled(self) -> int:
        """Bytes of it that are free in the pool."""
        return self._pooled

    # --- Sessions ---

    def reopen(self) -> bool:
        """Replaces the sessions that do not answer; returns whether there were any."""
        lost = self.placement.find_lost()
        if lost:
            self.placement.close_lost(lost, self.buffers())
            self._ended()
            for session in lost:
                self.placement.replace(session, self.buffers())
        return bool(lost)

    def close(self) -> None:
        """Ends every session, and frees what waited for that."""
        try:
            self.placement.close(self.buffers())
        finally:
            if self._library.usable:
                self._ended()

    def buffers(self) -> list[Buffer]:
        """All that are allocated, those free in the pool too."""
        with self.lock:
            return list(self._live)

    def _ended(self) -> None:
        with self.lock:
            waiting, self._unmappable = self._unmappable, []
        for buffer in waiting:
            self._discard(buffer)
        self.trim()

    # --- Buffers ---

    def allocate(self, n_bytes: int, *, is_lasting: bool = False) -> Buffer:
        """A buffer of at least ``n_bytes`` for activations or a result, its content undefined and mapped nowhere yet.

        The size is rounded up to a size class, so that the pool can use the buffer again; that of a lasting one is not.
        """
        self._begin()
        size = min(rounded(n_bytes), _pages(n_bytes)) if is_lasting else rounded(n_bytes)
        with self.lock:
            if buffers := self._free.get(size):
                self._pooled -= size
                return buffers.pop()
        try:
            return self._new(size, pooled=True)
        except DspMemoryError as error:
            raise self.refused("a tensor", size, error) from None

    def take(self, sizes: Sequence[int]) -> list[Buffer]:
        """Buffers for the inputs and results of a run, of sizes that ``rounded`` gave."""
        for session in self.placement.sessions:
            if session.lost:
                self.placement.check()
        self._collect()
        buffers = []
        with self.lock:
            for size in sizes:
                free = self._free.get(size)
                if not free:
                    break
                buffers.append(free.pop())
                self._pooled -= size
        if len(buffers) < len(sizes):
            try:
                buffers += [self.allocate(size) for size in sizes[len(buffers) :]]
            except BaseException:
                self.dropped.extend(buffers)
                raise
        return buffers

    def allocate_weight(self, n_units: int, unit_bytes: int, *, in_order: bool = False) -> list[Extent]:
        """Memory for a weight of so many units, mapped where products with it will run.

        It is one extent if any session takes it. Else it is halved, and the halves, until they fit.

        Args:
            in_order: it shall lie in no session before that of the weight placed last, as long as there are others.

        Raises:
            DspMemoryError: it does not fit; nothing of it stays allocated.
        """
        self._begin()
        extents: list[Extent] = []
        try:
            if in_order and (buffer := self._placed_next(_pages(n_units * unit_bytes))):
                return [Extent(buffer, 0, n_units)]
            self._place(0, n_units, unit_bytes, _MAX_CUTS, extents)
        except BaseException:
            self.dropped.extend(extent.buffer for extent in extents)
            raise
        return sorted(extents, key=lambda extent: extent.buffer.home.index if extent.buffer.home else 0)

    def _placed_next(self, size: int) -> Buffer | None:
        if size > rpcmem.MAX_SIZE or self.placement.hopeless(size):
            return None
        buffer = self._new(size, pooled=False)
        try:
            if self.placement.place_next(buffer):
                return buffer
        except BaseException:
            self.dropped.append(buffer)
            raise
        self._discard(buffer)
        return None

    def _place(self, first: int, count: int, unit_bytes: int, cuts: int, extents: list[Extent]) -> None:
        size = _pages(count * unit_bytes)
        if size <= rpcmem.MAX_SIZE and not self.placement.hopeless(size):
            buffer = self._new(size, pooled=False)
            try:
                place = self.placement.place
                placed = place(buffer) or (self.trim() and place(buffer)) or self.placement.place_anew(buffer)
            except BaseException:
                self.dropped.append(buffer)  # freed in its turn: after Ctrl-C the call that maps it may still run
                raise
            if placed:
                extents.append(Extent(buffer, first, count))
                return
            self._discard(buffer)
        if cuts == 0 or count == 1:
            raise DspMemoryError(f"no session takes {size:,} bytes")
        half = -(-count // 2)
        self._place(first, half, unit_bytes, cuts - 1, extents)
        self._place(first + half, count - half, unit_bytes, cuts - 1, extents)

    def _begin(self) -> None:
        self.placement.check()
        self._collect()

    def _new(self, size: int, *, pooled: bool) -> Buffer:
        try:
            buffer = Buffer(self._library, size, pooled=pooled)
        except DspMemoryError:
            if not self.trim():
                raise
            buffer = Buffer(self._library, size, pooled=pooled)
        with self.lock:
            self._live.add(buffer)
        return buffer

    def reach(self, session: Session, buffers: Sequence[Buffer], deadline: float) -> bool:
        """Maps pinned buffers into a session that is to use them; false when they do not fit, whatever gives way."""
        reach = self.placement.reach
        if reach(session, buffers, deadline, give_up=False):
            return True
        self.trim()
        return reach(session, buffers, deadline, give_up=True)

    def rooms(self) -> list[Room]:
        """What each session has mapped and what more it can take, measured. The pool is emptied first."""
        self._begin()
        self.trim()
        return self.placement.rooms(self._collect)

    def refused(self, what: str, n_bytes: int, error: DspMemoryError) -> DspMemoryError:
        """The error with the numbers: what was asked for, what is there, and what could be had."""
        with self.lock:
            n_live, live = len(self._live), sum(buffer.size for buffer in self._live)
        rooms = self.rooms()
        each = "; ".join(
            f"session {room.session} has {room.mapped_bytes:,} mapped and takes "
            f"{'' if room.limited else 'at least '}{room.free_bytes:,} more"
            for room in rooms
        )
        n_sessions = f"{len(rooms)} of at most {self.placement.max_sessions} sessions"
        why = f"; {self.placement.no_more.rstrip('.')}" if self.placement.no_more else ""
        return DspMemoryError(
            f"{what} needs {_pages(n_bytes):,} bytes of DSP memory and does not fit; this device holds {live:,} bytes "
            f"in {n_live} buffers and {n_sessions}: {each}{why}; the system has {available():,} bytes left",
            call=error.call,
            code=error.code,
            hint=error.hint or "close tensors that are no longer needed",
        )

    def release(self, buffer: Buffer) -> None:
        """Takes a buffer that nobody owns or uses any more: into the pool, or freed."""
        if self._pools():
            with self.lock:
                if self._pool(buffer):
                    return
        self._discard(buffer)

    def _pools(self) -> bool:
        """Whether what is free can be used again as it is: not after a session was lost."""
        sessions = self.placement.sessions
        for session in sessions:
            if session.lost:
                return False
        return bool(sessions)

    def _pool(self, buffer: Buffer) -> bool:
        """Takes a buffer into the pool, if it belongs there and there is room. The caller has the lock."""
        if not buffer.reusable or self._pooled + buffer.size > POOL_LIMIT:
            return False
        self._pooled += buffer.size
        free = self._free.get(buffer.size)
        if free is None:
            free = self._free[buffer.size] = []
        free.append(buffer)
        return True

    def _discard(self, buffer: Buffer) -> None:
        try:
            unmapped = self.placement.unmap_all(buffer)
        except BaseException:
            self.dropped.append(buffer)  # freed in its turn: after Ctrl-C the call that unmaps it may still run
            raise
        if not unmapped:
            with self.lock:
                self._unmappable.append(buffer)
                self._live.discard(buffer)
            return
        with self.lock:
            self._live.discard(buffer)
        buffer.free()

    def _collect(self) -> None:
        """Releases what was dropped, except what is busy."""
        dropped = self.dropped
        keep = self._pools()
        discarded: list[Buffer] = []
        try:
            with self.lock:
                for _ in range(len(dropped)):  # no `try` in here: Ctrl-C on its line would leave the lock held
                    buffer = dropped.popleft()  # which nothing else takes from
                    if buffer.pins or buffer.views:
                        dropped.append(buffer)
                    elif not (keep and self._pool(buffer)):
                        discarded.append(buffer)
            while discarded:
                self._discard(discarded.pop())
        except BaseException:
            dropped.extend(discarded)
            raise

    def trim(self) -> bool:
        """Frees what the pool keeps; returns whether there was anything."""
        self._collect()
        with self.lock:
            buffers = [buffer for same_size in self._free.values() for buffer in same_size]
            self._free.clear()
            self._pooled = 0
        found = bool(buffers)
        try:
            while buffers:
                self._discard(buffers.pop())
        except BaseException:
            self.dropped.extend(buffers)
            raise
        return found

    def wait(self, turn: int, deadline: float) -> bool:
        """Waits until some request lets go of its buffers, the first after this turn.

        Returns False when there is none that could, or when it is too late, in seconds of ``time.monotonic``.
        """
        letting_go = self.letting_go

        def look() -> bool | None:
            if letting_go.turns != turn:
                return True
            with self.lock:
                return None if any(buffer.pins for buffer in self._live) else False

        with letting_go.lock:
            letting_go.n_waiting += 1
        try:
            return bool(letting_go.changes.wait_for(look, deadline - time.monotonic()))
        finally:
            with letting_go.lock:
                letting_go.n_waiting -= 1


def _pages(n_bytes: int) -> int:
    return -(-n_bytes // PAGE) * PAGE


def rounded(n_bytes: int) -> int:
    """What is allocated for so many bytes.

    Raises:
        ArgumentError: no buffer is as large.
    """
    size = size_class(n_bytes)
    if size > rpcmem.MAX_SIZE:
        size = _pages(n_bytes)
    if size > rpcmem.MAX_SIZE:
        raise ArgumentError(
            f"a buffer holds less than 2 GiB (2,147,483,648 bytes), {n_bytes:,} were asked for",
            hint="cut the array or the program into parts",
        )
    return size


def size_class(n_bytes: int) -> int:
    """The next of 4, 8, 12, 16, 24, 32, 48 ... KiB: a third of a buffer is unused at most, but for the smallest."""
    if n_bytes <= PAGE:
        return PAGE
    power = 1 << (n_bytes - 1).bit_length()
    three_quarters = power // 4 * 3
    return three_quarters if three_quarters >= n_bytes and three_quarters % PAGE == 0 else power
