# SPDX-License-Identifier: MIT
"""Placement of buffers: the sessions of one device, and the buffers that each has mapped.

A DSP process has 32-bit addresses, so a large model needs several. The first session is opened with the device; another
one is opened when a weight does not fit into the open ones.

A weight is mapped into one session, its *home*, and ops that read it run there. A weight that the first and the last
ops of a program read (a tied embedding, which is also the output matrix) may be mapped into a second one. Activations
and results are mapped where a request needs them, in several sessions if necessary: it is the same memory without a
copy. A full session evicts mappings that can be restored later: first free buffers of the pool, then the *spare*, then
activations that no request uses, then a weight, which moves to another home.

The spare buffer keeps weights from filling a session to its last byte, so that activations still fit. No op reads it;
all sessions share it; its size is a 32nd of the weights of the fullest session (within 64 KiB to 64 MiB). A weight
stays in a session only if the spare can be mapped as well. No capacity is assumed: the limit is where mapping fails.

There are two locks. ``lock``, the memory's, is held for bookkeeping only: pins, mappings and homes. This module's lock
is held during the calls that change mappings; a request whose buffers are mapped never takes it. A pinned buffer is
neither unmapped nor moved.
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

OpenSession = Callable[[int, str | None], Session]  # the session's index, and the transport that it must use

_EFAILED: Final = (0x1, 0x80000401)  # "general failure": another code of mappings without room


class Placement:
    """The sessions of a device and the buffers mapped into them.

    Args:
        allocate: allocates a buffer that the memory does not own, for the spare and for measurements.
        open_session: opens a session.
        max_sessions: the largest number of sessions.
        lock: the memory's.
        dropped: queue of buffers that the memory frees later.

    Attributes:
        sessions: the open sessions by index; empty once the device is closed.
        max_sessions: the largest number of sessions.
        epoch: changes when programs must check their placement: a weight has moved, or a session was opened.
        open_error: why another session could not be opened, or an empty string.
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
        self.open_error = ""
        self._open_session = open_session
        self.max_sessions = max_sessions
        self._lock = lock
        self._changing = threading.RLock()
        self._refused: dict[Session, int] = {}  # the smallest size refused since the last unmap
        self._too_large = sys.maxsize  # bytes that an empty session refused

    # --- Sessions ---

    def open_first(self) -> None:
        """Open the device's first session."""
        self.sessions.append(self._open_session(0, None))
        self.epoch += 1

    def _open_another(self) -> Session | None:
        """Open one more session; return None and set ``open_error`` if that fails."""
        if len(self.sessions) >= self.max_sessions:
            return None
        try:
            session = self._open_session(len(self.sessions), self.sessions[0].transport.name)
        except HexagonError as error:
            self.open_error = f"another session cannot be opened: {error}"
            return None
        with self._lock:
            self.sessions.append(session)
            self.epoch += 1
        self.open_error = ""
        return session

    def check(self) -> None:
        """Raise unless every session can be used."""
        if not self.sessions:
            raise ClosedError("the device is closed")
        for session in self.sessions:
            session.check()

    @property
    def lost(self) -> str:
        """Why one of the sessions can no longer be used, or an empty string."""
        for session in self.sessions:
            session.notice_death()
        return next((session.lost for session in self.sessions if session.lost), "")

    def find_lost(self) -> list[Session]:
        """Return the sessions that do not answer."""
        for session in self.sessions:
            if not session.lost:
                with suppress(DeviceLostError, DspTimeoutError):  # session.lost says why
                    session.ping()
        return [session for session in self.sessions if session.lost]

    def close_lost(self, lost: Sequence[Session], live: Sequence[Buffer]) -> None:
        """Close sessions that will be replaced."""
        for session in reversed(lost):
            session.close(quietly=True)
        self._forget(lost, live)

    def replace(self, old: Session, live: Sequence[Buffer]) -> None:
        """Replace a lost session by a new one, and map the weights of the lost one into it."""
        transport = None if old.index == 0 else self.sessions[0].transport.name
        session = self._open_session(old.index, transport)
        try:
            weights = [buffer for buffer in live if buffer.is_resident_in(old)]
            for buffer in weights:
                session.map(buffer)
        except BaseException:
            session.close(quietly=True)
            raise
        with self._lock:
            for buffer in weights:
                buffer.mapped.add(session)
                buffer.home = session if buffer.home is old else buffer.home
                buffer.second_home = session if buffer.second_home is old else buffer.second_home
            self.epoch += 1  # before the change, for Ctrl-C after it; and again for threads that read it before
            self.sessions[old.index] = session
            self.epoch += 1

    def close(self, live: Sequence[Buffer]) -> None:
        """Close every session, the last one first, and raise the first error. A second call resumes the first."""
        problems: list[HexagonError] = []
        with self._changing:  # buffers dropped meanwhile are not freed while mapped
            while self.sessions:
                session = self.sessions[-1]
                problems += _close_errors(session)
                self._forget([session], live)
                self.sessions.remove(session)  # last: after Ctrl-C the next close resumes here
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
        """Give a weight a home in an open session with room for it; return False if there is none.

        The newest session comes first, so that weights loaded one after the other stay together: a program is split
        where the session changes.
        """
        with self._changing:
            return any(self._take(session, buffer) for session in reversed(self.sessions))

    def place_next(self, buffer: Buffer) -> bool:
        """Place a weight in no earlier session than the weights before it: in the newest session, or in a new one."""
        with self._changing:
            self.check()
            return self._take(self.sessions[-1], buffer) or self._take_in_new_session(buffer)

    def place_in_new_session(self, buffer: Buffer) -> bool:
        """Give a weight a home in a new session, or else in one after unmapping activations that no request uses."""
        with self._changing:
            self.check()
            return self._take_in_new_session(buffer) or self._take_after_unmapping(self.sessions, buffer)

    def share(self, buffer: Buffer, session: Session) -> bool:
        """Map a weight into a second session; return False if that has no room. Both map the same memory."""
        with self._changing:
            self.check()
            return self._take(session, buffer, stays=True)

    def cannot_fit(self, n_bytes: int) -> bool:
        """Return whether all sessions are known to have no room for a weight of that size."""
        may_open = len(self.sessions) < self.max_sessions and n_bytes < self._too_large
        return not may_open and all(n_bytes >= self._refused.get(session, sys.maxsize) for session in self.sessions)

    def _take_in_new_session(self, buffer: Buffer) -> bool:
        """Open a session for a weight and make it the home."""
        session = self._open_another() if buffer.size < self._too_large else None
        if session is None:
            return False
        if self._take(session, buffer):
            return True
        self._too_large = buffer.size
        return False

    def _take_after_unmapping(self, sessions: Sequence[Session], buffer: Buffer) -> bool:
        """Map a weight after unmapping idle activations."""
        return any(self._make_room(session, partial(self._take, session, buffer)) for session in sessions)

    def _take(self, session: Session, buffer: Buffer, *, stays: bool = False) -> bool:
        """Map a weight and the spare, and make the session its home, or its second home with ``stays``."""
        if not self._map(session, buffer):
            return False
        fits = self._map_spare(session)
        with self._lock:
            old = buffer.home
            if taken := fits and (old is None or stays or not buffer.pins):  # otherwise a request has just pinned it
                buffer.seen.discard(session)
                if stays:
                    buffer.second_home = session
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
        """Map the spare into a session that received a weight; reallocate it if it has become too small."""
        pooled = sum(buffer.size for buffer in _buffers(session) if buffer.pooled)
        n_bytes = session.mapped_bytes - session.workspace_bytes - pooled
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

    def reach(self, session: Session, buffers: Sequence[Buffer], deadline: float, *, evict: bool) -> bool:
        """Map pinned buffers into the session that will use them; return False if one does not fit.

        Args:
            deadline: the time (``time.monotonic``) by which the DSP must answer; else the session is lost.
            evict: unmap activations that no request uses, and move weights to other sessions, if necessary.
        """
        with self._changing:
            return all(
                session in buffer.mapped
                or self._map(session, buffer, deadline)
                or (evict and self._map_after_evicting(session, buffer, deadline))
                for buffer in buffers
            )

    def _map(self, session: Session, buffer: Buffer, deadline: float = inf) -> bool:
        """Map a buffer; return False if the session has no room."""
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
        """Unmap activations that no request uses, one by one, until the attempt succeeds."""
        return any(
            other.pooled and self._unmap_idle(session, other) and attempt() for other in _buffers(session)
        )

    def grow_workspace(self, session: Session, n_bytes: int, deadline: float) -> str:
        """Add ``n_bytes`` to a session's workspace, after evicting if necessary; return why that was refused, or ""."""
        refusal = ""

        def attempt() -> bool:
            nonlocal refusal
            try:
                session.grow_workspace(n_bytes, deadline - time.monotonic())
            except DspMemoryError as error:
                refusal = str(error)
                return False
            return True

        with self._changing:
            return "" if attempt() or self._retry_evicting(session, n_bytes, attempt) else refusal

    def _map_after_evicting(self, session: Session, buffer: Buffer, deadline: float) -> bool:
        return self._retry_evicting(session, buffer.size, lambda: self._map(session, buffer, deadline))

    def _retry_evicting(self, session: Session, n_bytes: int, attempt: Callable[[], bool]) -> bool:
        """Evict the spare, idle activations, and weights that can move to another home until the attempt succeeds."""
        if self._spare and self._unmap_idle(session, self._spare) and attempt():
            return True
        if self._make_room(session, attempt):
            return True
        movable = [other for other in _buffers(session) if other.is_resident_in(session)]
        movable.sort(
            key=lambda other: (other.second_home is None, other.size < n_bytes, abs(other.size - n_bytes))
        )
        return any(self._move(session, other) and attempt() for other in movable)

    def _unmap_idle(self, session: Session, buffer: Buffer) -> bool:
        with self._lock:
            if buffer.pins or session not in buffer.mapped:
                return False
            buffer.mapped.discard(session)
        return self.unmap(session, buffer)

    def _move(self, session: Session, buffer: Buffer) -> bool:
        """Move a weight that no request uses to another home; a weight with two homes only leaves this one."""
        if buffer.second_home is not None:
            return self._leave(session, buffer)
        if buffer.pins:
            return False
        others = [other for other in self.sessions if other is not session]
        moved = (
            any(self._take(other, buffer) for other in others)
            or self._take_in_new_session(buffer)
            or self._take_after_unmapping(others, buffer)
        )
        return moved and self.unmap(session, buffer)

    def _leave(self, session: Session, buffer: Buffer) -> bool:
        with self._lock:
            if buffer.pins:
                return False
            buffer.home, buffer.second_home = buffer.second_home if buffer.home is session else buffer.home, None
            buffer.mapped.discard(session)
            self.epoch += 1
        return self.unmap(session, buffer)

    def unmap(self, session: Session, buffer: Buffer) -> bool:
        """Unmap a buffer from a session; return False if it stays mapped until the session ends."""
        done = session.unmap(buffer)
        self._refused.pop(session, None)
        return done

    def unmap_all(self, buffer: Buffer) -> bool:
        """Unmap an unused buffer from every session; return False if a session must end first."""
        with self._changing:
            with self._lock:
                buffer.mapped.clear()
                buffer.seen.clear()
                buffer.home = buffer.second_home = None
            return all([self.unmap(session, buffer) for session in self.sessions])

    # --- Capacity ---

    def rooms(self, collect: Callable[[], None]) -> list[Room]:
        """Measure what each session has mapped and how much more it can map; takes a second or two on a board.

        Args:
            collect: frees dropped buffers.
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
    """Return the size of the spare for ``n_bytes`` of weights in one session."""
    return 1 << (min(max(n_bytes // _SPARE_PART, _LEAST_SPARE), _MOST_SPARE) - 1).bit_length()


def _buffers(session: Session) -> list[Buffer]:
    """Return the buffers mapped into a session, without the session's own memory."""
    return [buffer for buffer in session.buffers() if isinstance(buffer, Buffer)]


def _close_errors(session: Session) -> list[HexagonError]:
    """Close a session and return its errors."""
    try:
        session.close()
    except HexagonError as problem:
        return [problem]
    return []
