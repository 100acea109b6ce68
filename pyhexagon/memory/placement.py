# SPDX-License-Identifier: MIT
"""Where buffers are mapped: the sessions of one device, and which of them can reach what.

A DSP process has 32-bit addresses, so a large model needs several. The first session is there from the start; another
one is opened when a weight does not fit into those that are open.

A weight is mapped in one session, its *home*, and products with it run there. One that the first and the last ops of a
program read (a model's embedding that is its output matrix, too) may be mapped in another one as well. Activations and
results are mapped where a request needs them, in several sessions if need be: it is the same memory, and nothing is
copied. When a session is full it gives up what it can have back later: first the free buffers of the pool, then the
*spare*, then activations that no request uses at the moment, then a weight, which finds another home.

The spare keeps weights from filling a session to its last byte, so that what fits can also be used. It is a buffer that
nobody reads, one for all sessions, a 32nd of the weights of the fullest one (but 64 KiB to 64 MiB): a weight stays in a
session only if the spare can be mapped beside it. No capacity is assumed anywhere: the limit is what mapping meets.

Two locks. ``lock``, the memory's, is held for bookkeeping only: who pins a buffer, where it is mapped, where a weight
is at home. The lock of this module is held over calls, by whoever changes mappings; a request that finds its buffers
mapped never takes it. A pinned buffer is neither unmapped nor moved.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from typing import Final

from pyhexagon.errors import ClosedError, DeviceLostError, DspMemoryError, DspTimeoutError, HexagonError
from pyhexagon.memory.buffer import Buffer
from pyhexagon.memory.capacity import Room, measure
from pyhexagon.process.session import Session

_SPARE_PART: Final = 32
_LEAST_SPARE: Final = 64 << 10
_MOST_SPARE: Final = 64 << 20

OpenSession = Callable[[int, str | None], Session]  # its number in the device, and the transport it must use

_EFAILED: Final = (0x1, 0x80000401)  # "general failure": what else a mapping that has no room may end with


class Placement:
    """The sessions of a device and what is mapped in them.

    Args:
        allocate: makes a buffer that is not the memory's: for the spare, and to measure with.
        open_session: opens one.
        max_sessions: how many there may be.
        lock: the memory's.
        dropped: takes buffers that the memory frees in their turn.

    Attributes:
        sessions: open ones, by their number; empty when the device is closed.
        max_sessions: how many there may be.
        epoch: changes whenever programs must look anew where they run: a weight has moved, or a session was opened.
        no_more: why another session could not be opened.
    """

    def __init__(
        self,
        allocate: Callable[[int], Buffer],
        open_session: OpenSession,
        max_sessions: int,
        lock: threading.Lock,
        dropped: deque[Buffer],
    ) -> None:
        self._allocate = allocate
        self._dropped = dropped
        self._spare: Buffer | None = None
        self.sessions: list[Session] = []
        self.epoch = 0
        self.no_more = ""
        self._open_session = open_session
        self.max_sessions = max_sessions
        self._lock = lock
        self._changing = threading.RLock()
        self._refused: dict[Session, int] = {}  # the smallest size refused since something was unmapped there
        self._too_large = sys.maxsize  # bytes that an empty session refused

    # --- Sessions ---

    def open_first(self) -> None:
        """Opens the device's first session."""
        self.sessions.append(self._open_session(0, None))
        self.epoch += 1

    def _open_another(self) -> Session | None:
        """One more session, or None with the reason in ``no_more``."""
        if len(self.sessions) >= self.max_sessions:
            return None
        try:
            session = self._open_session(len(self.sessions), self.sessions[0].transport.name)
        except HexagonError as error:
            self.no_more = f"another session cannot be opened: {error}"
            return None
        with self._lock:
            self.sessions.append(session)
            self.epoch += 1
        self.no_more = ""
        return session

    def check(self) -> None:
        """Raises unless every session can be used."""
        if not self.sessions:
            raise ClosedError("the device is closed")
        for session in self.sessions:
            session.check()

    @property
    def lost(self) -> str:
        """Why one of the sessions can no longer be used, or an empty string."""
        return next((session.lost for session in self.sessions if session.lost), "")

    def find_lost(self) -> list[Session]:
        """The sessions that do not answer."""
        for session in self.sessions:
            if not session.lost:
                with suppress(DeviceLostError, DspTimeoutError):  # session.lost says why
                    session.ping()
        return [session for session in self.sessions if session.lost]

    def close_lost(self, lost: Sequence[Session], live: Sequence[Buffer]) -> None:
        """Ends sessions that are to be replaced."""
        for session in reversed(lost):
            session.close(quietly=True)
        self._forget(lost, live)

    def replace(self, old: Session, live: Sequence[Buffer]) -> None:
        """Opens a session in the place of a lost one, and maps into it the weights that were at home there."""
        transport = None if old.index == 0 else self.sessions[0].transport.name
        session = self._open_session(old.index, transport)
        try:
            weights = [buffer for buffer in live if buffer.lies_in(old)]
            for buffer in weights:
                session.map(buffer)
        except BaseException:
            session.close(quietly=True)
            raise
        with self._lock:
            for buffer in weights:
                buffer.mapped.add(session)
                buffer.home = session if buffer.home is old else buffer.home
                buffer.also = session if buffer.also is old else buffer.also
            self.epoch += 1  # for Ctrl-C after the next line; once more for threads that looked before it
            self.sessions[old.index] = session
            self.epoch += 1

    def close(self, live: Sequence[Buffer]) -> None:
        """Ends every session, the last one first, and raises what went wrong. Again it goes on where it was left."""
        problems: list[HexagonError] = []
        with self._changing:  # what is given up meanwhile is not freed while it is mapped
            while self.sessions:
                session = self.sessions[-1]
                problems += _closed(session)
                self._forget([session], live)
                self.sessions.remove(session)  # at last: Ctrl-C may come at any time, and the next close goes on
            self._drop_spare()
        if problems:
            raise problems[0]

    def _forget(self, ended: Sequence[Session], live: Sequence[Buffer]) -> None:
        with self._lock:
            for session in ended:
                self._refused.pop(session, None)
                for buffer in (*live, *([self._spare] if self._spare else [])):
                    buffer.mapped.discard(session)
                    buffer.seen.discard(session)

    # --- Mapping ---

    def place(self, buffer: Buffer) -> bool:
        """Gives a weight a home: an open session that takes it. False when there is none.

        The newest one is asked first, so that weights that are loaded one after the other stay together: a program
        is cut where the session changes.
        """
        with self._changing:
            return any(self._take(session, buffer) for session in reversed(self.sessions))

    def place_next(self, buffer: Buffer) -> bool:
        """Gives a weight a home that no weight placed before it leaves behind: the newest session, or another one."""
        with self._changing:
            self.check()
            return self._take(self.sessions[-1], buffer) or self._take_in_another(buffer)

    def place_anew(self, buffer: Buffer) -> bool:
        """Likewise, but opens another session, and then unmaps activations that no request uses."""
        with self._changing:
            self.check()
            return self._take_in_another(buffer) or self._take_pressing(self.sessions, buffer)

    def share(self, buffer: Buffer, session: Session) -> bool:
        """Maps a weight in another session, too; false if that has no room. It is the same memory."""
        with self._changing:
            self.check()
            return self._take(session, buffer, stays=True)

    def hopeless(self, n_bytes: int) -> bool:
        """Whether no session takes a weight of that size, as far as is known."""
        may_open = len(self.sessions) < self.max_sessions and n_bytes < self._too_large
        return not may_open and all(n_bytes >= self._refused.get(session, sys.maxsize) for session in self.sessions)

    def _take_in_another(self, buffer: Buffer) -> bool:
        """Opens a session for a weight."""
        session = self._open_another() if buffer.size < self._too_large else None
        if session is None:
            return False
        if self._take(session, buffer):
            return True
        self._too_large = buffer.size
        return False

    def _take_pressing(self, sessions: Sequence[Session], buffer: Buffer) -> bool:
        """Maps a weight where unmapping idle activations helps."""
        return any(self._make_room(session, partial(self._take, session, buffer)) for session in sessions)

    def _take(self, session: Session, buffer: Buffer, *, stays: bool = False) -> bool:
        """Maps a weight beside the spare and makes the session its home, or one that has it, too, if it stays."""
        if not self._map(session, buffer):
            return False
        fits = self._map_spare(session)
        with self._lock:
            old = buffer.home
            if taken := fits and (old is None or stays or not buffer.pins):  # else a request has just come to use it
                buffer.seen.discard(session)
                if stays:
                    buffer.also = session
                else:
                    buffer.home = session
                if old is not None and not stays:
                    buffer.mapped.discard(old)
                    self.epoch += 1
            else:
                buffer.mapped.discard(session)
        if not taken:
            self.unmap(session, buffer)
        if not fits:
            self._refused[session] = buffer.size
        return taken

    def _map_spare(self, session: Session) -> bool:
        """Maps the spare into a session that has just got a weight; makes a larger one if that is due."""
        n_bytes = session.mapped_bytes - sum(buffer.size for buffer in _buffers(session) if buffer.pooled)
        if self._spare is None or self._spare.size < spare_bytes(n_bytes):
            self._drop_spare()
            try:
                self._spare = self._allocate(spare_bytes(n_bytes))
            except DspMemoryError:
                return False
        return session in self._spare.mapped or self._map(session, self._spare)

    def _drop_spare(self) -> None:
        spare, self._spare = self._spare, None
        if spare is None:
            return
        try:
            if self.unmap_all(spare):
                spare.free()
        except BaseException:
            self._dropped.append(spare)
            raise

    def reach(self, session: Session, buffers: Sequence[Buffer], deadline: float, *, give_up: bool) -> bool:
        """Maps pinned buffers that a session is to use; false when one does not fit.

        Args:
            deadline: the time (``time.monotonic``) until which the DSP may take to answer; else the session is lost.
            give_up: unmap activations that no request uses and move weights to other sessions, if that is needed.
        """
        with self._changing:
            return all(
                session in buffer.mapped
                or self._map(session, buffer, deadline)
                or (give_up and self._map_whatever_gives_way(session, buffer, deadline))
                for buffer in buffers
            )

    def _map(self, session: Session, buffer: Buffer, deadline: float = inf) -> bool:
        """Maps a buffer; False when it is refused."""
        if buffer.size >= self._refused.get(session, sys.maxsize):
            return False
        try:
            session.map(buffer, deadline - time.monotonic())
        except HexagonError as error:
            if not isinstance(error, DspMemoryError) and error.code not in _EFAILED:
                raise
            self._refused[session] = buffer.size
            return False
        with self._lock:
            buffer.mapped.add(session)
        return True

    def _make_room(self, session: Session, attempt: Callable[[], bool]) -> bool:
        """Unmaps activations that no request uses, one after the other, until the attempt succeeds."""
        return any(
            other.pooled and self._unmap_idle(session, other) and attempt() for other in _buffers(session)
        )

    def _map_whatever_gives_way(self, session: Session, buffer: Buffer, deadline: float) -> bool:
        """Maps activations after unmapping the spare, idle activations, and weights that find another home."""

        def attempt() -> bool:
            return self._map(session, buffer, deadline)

        if self._spare and self._unmap_idle(session, self._spare) and attempt():
            return True
        if self._make_room(session, attempt):
            return True
        movable = [other for other in _buffers(session) if other.lies_in(session)]
        movable.sort(
            key=lambda other: (other.also is None, other.size < buffer.size, abs(other.size - buffer.size))
        )
        return any(self._move(session, other) and attempt() for other in movable)

    def _unmap_idle(self, session: Session, buffer: Buffer) -> bool:
        with self._lock:
            if buffer.pins or session not in buffer.mapped:
                return False
            buffer.mapped.discard(session)
        return self.unmap(session, buffer)

    def _move(self, session: Session, buffer: Buffer) -> bool:
        """Finds another home for a weight that no request uses; one of two lets it go."""
        if buffer.also is not None:
            return self._part(session, buffer)
        if buffer.pins:
            return False
        others = [other for other in self.sessions if other is not session]
        moved = (
            any(self._take(other, buffer) for other in others)
            or self._take_in_another(buffer)
            or self._take_pressing(others, buffer)
        )
        return moved and self.unmap(session, buffer)

    def _part(self, session: Session, buffer: Buffer) -> bool:
        with self._lock:
            if buffer.pins:
                return False
            buffer.home, buffer.also = buffer.also if buffer.home is session else buffer.home, None
            buffer.mapped.discard(session)
            self.epoch += 1
        return self.unmap(session, buffer)

    def unmap(self, session: Session, buffer: Buffer) -> bool:
        """Takes a buffer out of a session; False when that must wait for the session's end."""
        done = session.unmap(buffer)
        self._refused.pop(session, None)
        return done

    def unmap_all(self, buffer: Buffer) -> bool:
        """Takes a buffer that nobody uses out of every session; False when one must end first."""
        with self._changing:
            with self._lock:
                buffer.mapped.clear()
                buffer.seen.clear()
                buffer.home = buffer.also = None
            return all([self.unmap(session, buffer) for session in self.sessions])

    # --- Capacity ---

    def rooms(self, collect: Callable[[], None]) -> list[Room]:
        """What each session has mapped, and what more it can take. Takes a second or two on a board.

        Args:
            collect: frees what was dropped.
        """
        with self._changing:
            return [self._room(session, collect) for session in self.sessions]

    def _room(self, session: Session, collect: Callable[[], None]) -> Room:
        mapped = session.mapped_bytes

        def take(size: int) -> Buffer | None:
            try:
                buffer = self._allocate(size)
            except DspMemoryError:
                return None
            try:
                session.map(buffer)
            except BaseException as error:
                self._dropped.append(buffer)
                if isinstance(error, DspMemoryError) or getattr(error, "code", None) in _EFAILED:
                    collect()
                    return None
                raise
            return buffer

        try:
            free, limited = measure(take, self._dropped.append)
        finally:
            collect()
        return Room(session.index, mapped, free, limited)


def spare_bytes(n_bytes: int) -> int:
    """The size of the spare beside so many bytes of weights in one session."""
    return 1 << (min(max(n_bytes // _SPARE_PART, _LEAST_SPARE), _MOST_SPARE) - 1).bit_length()


def _buffers(session: Session) -> list[Buffer]:
    """What is mapped in a session, without its own memory."""
    return [buffer for buffer in session.buffers() if isinstance(buffer, Buffer)]


def _closed(session: Session) -> list[HexagonError]:
    """Ends a session, and returns what went wrong."""
    try:
        session.close()
    except HexagonError as problem:
        return [problem]
    return []
