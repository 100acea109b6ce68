# SPDX-License-Identifier: MIT
"""The shared memory of a device: its allocations, the pool of free buffers, and buffers whose release must wait.

Activations and results come from a pool. It keeps at most ``POOL_LIMIT`` bytes of free buffers, frees them when memory
or address space runs out, and is empty once the device is closed.

Three things keep a buffer from being freed or reused: an open Tensor, NumPy arrays over it ("views"), and a request
that the DSP has not answered yet ("pins"). Closing a tensor in use raises BusyError. A Tensor that is garbage-collected
leaves its buffer in ``Memory.dropped``; the next call collects it, never the garbage collector itself, because freeing
calls the DSP.

A lost session cannot unmap. Buffers freed after the loss are kept aside until the session is closed.
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
from pyhexagon.memory.buffer import Buffer, HostWrites, PinReleases
from pyhexagon.memory.capacity import Room, available
from pyhexagon.memory.placement import OpenSession, Placement
from pyhexagon.process.session import Session

POOL_LIMIT: Final = 64 << 20  # bytes of free buffers that are kept for the next result
_MAX_CUTS: Final = 4  # how often a weight that fits no session as a whole is halved


class Extent(NamedTuple):
    """A range of a weight's units in a buffer of its own: the first unit and the number of units."""

    buffer: Buffer
    first: int
    n_units: int


class Memory:
    """The shared memory of one device.

    Attributes:
        lock: guards the ownership of buffers: a Tensor releases, views or pins its buffer under this lock. Held for
            bookkeeping only, never during a C call.
        dropped: buffers of Tensors that were collected without ``close``, and buffers that runs have finished with.
        placement: the sessions, and the buffers mapped into each.
        releases: notified when pins are released.
        writes: of the host, to its buffers.
    """

    def __init__(self, library: Library, open_session: OpenSession, max_sessions: int) -> None:
        self._library = library
        self.lock = threading.Lock()
        self.releases, self.writes = PinReleases(), HostWrites()
        self.dropped: deque[Buffer] = deque()
        allocate = partial(Buffer, library, pooled=False)
        self.placement = Placement(allocate, open_session, max_sessions, self.lock, self.dropped)
        self._live: set[Buffer] = set()
        self._free: dict[int, list[Buffer]] = {}  # the pool, by size
        self._pooled = 0  # bytes in the pool
        self._unmappable: list[Buffer] = []

    @property
    def allocated(self) -> int:
        """Bytes of shared memory, including the pool's free buffers."""
        with self.lock:
            return sum(buffer.size for buffer in self._live)

    @property
    def pooled(self) -> int:
        """Bytes of the pool's free buffers."""
        return self._pooled

    # --- Sessions ---

    def reopen(self) -> bool:
        """Replace the sessions that do not answer; return whether there were any."""
        lost = self.placement.find_lost()
        if lost:
            self.placement.close_lost(lost, self.buffers())
            self._free_unmappable()
            for session in lost:
                self.placement.replace(session, self.buffers())
        return bool(lost)

    def close(self) -> None:
        """Close every session, and free the buffers that waited for that."""
        try:
            self.placement.close(self.buffers())
        finally:
            if self._library.usable:
                self._free_unmappable()

    def buffers(self) -> list[Buffer]:
        """Return all allocated buffers, including the pool's free ones."""
        with self.lock:
            return list(self._live)

    def _free_unmappable(self) -> None:
        with self.lock:
            waiting, self._unmappable = self._unmappable, []
        for buffer in waiting:
            self._discard(buffer)
        self.trim()

    # --- Buffers ---

    def allocate(self, n_bytes: int, *, is_lasting: bool = False) -> Buffer:
        """Return a buffer of at least ``n_bytes`` for activations or a result, uninitialised and not mapped yet.

        The size is rounded up to a size class, so that the pool can reuse the buffer, unless ``is_lasting``.
        """
        self._check_and_collect()
        size = min(allocation_size(n_bytes), _pages(n_bytes)) if is_lasting else allocation_size(n_bytes)
        with self.lock:
            if buffers := self._free.get(size):
                self._pooled -= size
                buffer = buffers.pop()
                buffer.version += 1
                return buffer
        try:
            return self._new(size, pooled=True)
        except DspMemoryError as error:
            raise self.out_of_memory("a tensor", size, error) from None

    def take(self, sizes: Sequence[int]) -> list[Buffer]:
        """Return buffers for the inputs and results of a run; the sizes come from ``allocation_size``."""
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
        """Allocate a weight of ``n_units`` units and map it into the sessions that will run its ops.

        Return one extent if a session has room for the weight; otherwise halve it, and its halves, until they fit.

        Args:
            in_order: choose no session before the session of the weight placed last, as long as there are others.

        Raises:
            DspMemoryError: the weight does not fit; nothing of it stays allocated.
        """
        self._check_and_collect()
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
        if size > rpcmem.MAX_SIZE or self.placement.cannot_fit(size):
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
        if size <= rpcmem.MAX_SIZE and not self.placement.cannot_fit(size):
            buffer = self._new(size, pooled=False)
            try:
                place = self.placement.place
                placed = place(buffer) or (self.trim() and place(buffer)) or self.placement.place_in_new_session(buffer)
            except BaseException:
                self.dropped.append(buffer)  # freed later: after Ctrl-C the call that maps it may still run
                raise
            if placed:
                extents.append(Extent(buffer, first, count))
                return
            self._discard(buffer)
        if cuts == 0 or count == 1:
            raise DspMemoryError(f"no session has room for {size:,} bytes")
        half = -(-count // 2)
        self._place(first, half, unit_bytes, cuts - 1, extents)
        self._place(first + half, count - half, unit_bytes, cuts - 1, extents)

    def _check_and_collect(self) -> None:
        self.placement.check()
        self._collect()

    def _new(self, size: int, *, pooled: bool) -> Buffer:
        try:
            buffer = Buffer(self._library, size, pooled=pooled, writes=self.writes)
        except DspMemoryError:
            if not self.trim():
                raise
            buffer = Buffer(self._library, size, pooled=pooled, writes=self.writes)
        with self.lock:
            self._live.add(buffer)
        return buffer

    def reach(self, session: Session, buffers: Sequence[Buffer], deadline: float) -> bool:
        """Map pinned buffers into the session that will use them; return False if eviction does not make room."""
        reach = self.placement.reach
        if reach(session, buffers, deadline, evict=False):
            return True
        self.trim()
        return reach(session, buffers, deadline, evict=True)

    def grow_workspace(self, session: Session, n_bytes: int, deadline: float) -> str:
        """Add memory to the DSP's workspace; if that is refused, free and evict what is idle, and return the reason."""
        grow = self.placement.grow_workspace
        refusal = grow(session, n_bytes, deadline)
        return grow(session, n_bytes, deadline) if refusal and self.trim() else refusal

    def rooms(self) -> list[Room]:
        """Measure what each session has mapped and how much more it can map. Empties the pool first."""
        self._check_and_collect()
        self.trim()
        return self.placement.rooms(self._collect)

    def out_of_memory(self, what: str, n_bytes: int, error: DspMemoryError) -> DspMemoryError:
        """Return the error with the sizes: requested, allocated, and still available."""
        with self.lock:
            n_live, live = len(self._live), sum(buffer.size for buffer in self._live)
        rooms = self.rooms()
        each = "; ".join(
            f"session {room.session} has {room.mapped_bytes:,} mapped and takes "
            f"{'' if room.limited else 'at least '}{room.free_bytes:,} more"
            for room in rooms
        )
        n_sessions = f"{len(rooms)} of at most {self.placement.max_sessions} sessions"
        why = f"; {self.placement.open_error.rstrip('.')}" if self.placement.open_error else ""
        return DspMemoryError(
            f"{what} needs {_pages(n_bytes):,} bytes of DSP memory and does not fit; this device holds {live:,} bytes "
            f"in {n_live} buffers and {n_sessions}: {each}{why}; the system has {available():,} bytes left",
            call=error.call,
            code=error.code,
            hint=error.hint or "close tensors that are no longer needed",
        )

    def release(self, buffer: Buffer) -> None:
        """Return an unused buffer to the pool, or free it."""
        self.dropped.append(buffer)
        self._collect()

    def _can_pool(self) -> bool:
        """Return whether free buffers can be reused as they are: not after a session was lost."""
        sessions = self.placement.sessions
        for session in sessions:
            if session.lost:
                return False
        return bool(sessions)

    def _discard(self, buffer: Buffer) -> None:
        try:
            unmapped = self.placement.unmap_all(buffer)
        except BaseException:
            self.dropped.append(buffer)  # freed later: after Ctrl-C the call that unmaps it may still run
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
        """Release the dropped buffers that are not busy: to the pool, if they are reusable and it has room."""
        dropped = self.dropped
        keep = self._can_pool()
        discarded: list[Buffer] = []
        try:
            with self.lock:
                for _ in range(len(dropped)):  # no `try` here: Ctrl-C on its line would leave the lock held
                    buffer = dropped.popleft()  # only this method pops
                    if buffer.pins or buffer.views:
                        dropped.append(buffer)
                    elif keep and buffer.reusable and self._pooled + buffer.size <= POOL_LIMIT:
                        self._pooled += buffer.size
                        self._free.setdefault(buffer.size, []).append(buffer)
                    else:
                        discarded.append(buffer)
            while discarded:
                self._discard(discarded.pop())
        except BaseException:
            dropped.extend(discarded)
            raise

    def trim(self) -> bool:
        """Free the pool's buffers; return whether there were any."""
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
        """Wait until a request releases its buffers, the first release after ``turn``.

        Return False if no request could release any, or at the deadline (a ``time.monotonic`` time).
        """
        releases = self.releases

        def look() -> bool | None:
            if releases.count != turn:
                return True
            with self.lock:
                return None if any(buffer.pins for buffer in self._live) else False

        with releases.lock:
            releases.n_waiting += 1
        try:
            return bool(releases.changes.wait_for(look, deadline - time.monotonic()))
        finally:
            with releases.lock:
                releases.n_waiting -= 1


def _pages(n_bytes: int) -> int:
    return -(-n_bytes // PAGE) * PAGE


def allocation_size(n_bytes: int) -> int:
    """Return the allocation size for ``n_bytes``.

    Raises:
        ArgumentError: no buffer can be that large.
    """
    size = size_class(n_bytes)
    if size > rpcmem.MAX_SIZE:
        size = _pages(n_bytes)
    if size > rpcmem.MAX_SIZE:
        raise ArgumentError(
            f"a buffer holds less than 2 GiB (2,147,483,648 bytes), {n_bytes:,} were asked for",
            hint="split the array or the program into parts",
        )
    return size


def size_class(n_bytes: int) -> int:
    """Round up to 4, 8, 12, 16, 24, 32, 48 ... KiB: at most a third is unused, except in the smallest class."""
    if n_bytes <= PAGE:
        return PAGE
    power = 1 << (n_bytes - 1).bit_length()
    three_quarters = power // 4 * 3
    return three_quarters if three_quarters >= n_bytes and three_quarters % PAGE == 0 else power
