# SPDX-License-Identifier: MIT
"""A session: one DSP process with our skel in it, from open to close. ``opened.py`` tells what that is made of.

Calls into FastRPC block without a limit. They are made on a thread of the session, and whoever waits for one has a
deadline. Its state is told by ``State``. A call that does not even come back when the DSP process is made to fault
leaves the session *abandoned*: its memory and its number are in use until that call returns, perhaps for good.

A wait that is interrupted (Ctrl-C) leaves its request *unanswered*: the buffers stay pinned, and the next call first
waits for the DSP to be through with it. An interrupted ``close`` goes on by itself; the next one waits for its end. A
session that nobody refers to any more, such as one whose opening was interrupted, closes itself.
"""

from __future__ import annotations

import enum
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol, TypeVar

from pyhexagon._ffi import contract, remote
from pyhexagon._ffi.library import Library
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.errors import ArgumentError, ClosedError, DeviceLostError, DspTimeoutError, HexagonError
from pyhexagon.process import domains
from pyhexagon.process.callthread import Call, CallThread, StillRunningError
from pyhexagon.process.locate import Target
from pyhexagon.process.opened import Opened, Settings
from pyhexagon.process.stub import SkelInfo
from pyhexagon.process.transport import Area, Transport

T = TypeVar("T")

OPEN_TIMEOUT: Final = 30.0
CONTROL_TIMEOUT: Final = 10.0
CLOSE_TIMEOUT: Final = 5.0
PING_TIMEOUT: Final = 2.0
_GIVE_UP_TIMEOUT: Final = 0.3  # for the clean-up after an open that took too long or was interrupted


class State(enum.Enum):
    """What can be done with a session."""

    OPEN = "everything"
    DEAD = "only close: the DSP process died"
    HUNG = "only close: it did not answer in time"
    CLOSING = "only close: an earlier close was interrupted"
    CLOSED = "nothing"
    ABANDONED = "nothing: it could not be closed, and the DSP may still use its memory"


class Held(Protocol):
    """What a request uses, kept where it is."""

    def release(self) -> None:
        """The DSP is done with it. Again is a no-op."""


def check_timeout(seconds: float) -> float:
    """Refuses what is not a time to wait; NaN, too."""
    try:
        good = 0 < seconds <= threading.TIMEOUT_MAX
    except TypeError:
        good = False
    if not good:
        raise ArgumentError(f"timeout is {seconds!r}: expected seconds, more than 0 and not endless")
    return seconds


class Session:
    """An open session. Any thread may call any method; one call is on its way to the DSP at a time.

    Args:
        timeout: seconds; nothing that has no limit of its own may take longer.

    Attributes:
        index: its number among the sessions of its device.
        opened: what it has open.
        state: what can be done with it.
        lost: why it can no longer be used, or an empty string.
    """

    def __init__(
        self, library: Library, target: Target, settings: Settings, timeout: float, index: int = 0
    ) -> None:
        self.index = index
        self.state = State.OPEN
        self.lost = ""
        self._library = library
        self._timeout = timeout
        self._lock = threading.RLock()
        self._sequence = 0
        self._unanswered: Held | None = None
        self.opened = Opened(library, target, settings, index)
        self._closing = Call(self.opened.close)
        self._thread = domains.new_thread()
        self._thread.end_with(self, self.opened.close)
        try:
            limit = min(OPEN_TIMEOUT, timeout)
            self._call(limit, self.opened.open, limit)
        except HexagonError:
            self._finish(_GIVE_UP_TIMEOUT if self.state is State.HUNG else CLOSE_TIMEOUT)
            raise
        except BaseException:
            self._finish(_GIVE_UP_TIMEOUT)
            raise

    @property
    def domain(self) -> domains.Domain:
        """The session's number."""
        if self.opened.domain is None:
            raise ClosedError("the session is closed")
        return self.opened.domain

    @property
    def info(self) -> SkelInfo:
        """What the skel said of itself and of the DSP."""
        return self.opened.info

    @property
    def transport(self) -> Transport:
        """Carries the requests."""
        return self.opened.transport

    @property
    def probes(self) -> dict[str, float | str]:
        """What trying the transports gave, by name: microseconds of a round trip, or why it is not used."""
        return self.opened.probes

    @property
    def votes(self) -> dict[str, str]:
        """What was asked of the clocks ("power") and of the host ("latency"), and if so why it was refused."""
        return self.opened.votes

    # --- Calls ---

    def check(self) -> None:
        """Raises unless the session can be used."""
        if self.state is State.OPEN and self._library.usable:
            return
        if not self._library.usable:
            raise ClosedError(
                "the device belongs to the parent of this forked process",
                hint="use the 'spawn' start method and open the device in the child",
            )
        if self.state in (State.DEAD, State.HUNG):
            raise DeviceLostError(
                f"the session is lost: {self.lost}", hint="device.reopen() makes a new one and brings tensors back"
            )
        raise ClosedError("the device is closed")

    def _call(self, timeout: float, function: Callable[..., T], *arguments: object) -> T:
        """Runs a blocking function on the call thread; a loss is recorded, and what the DSP logs is delivered."""
        try:
            return self._thread.call(timeout, function, *arguments)
        except StillRunningError:
            raise self._too_late(timeout) from None
        except DeviceLostError:
            self._died()
            raise
        finally:
            self._deliver_log()

    def _deliver_log(self) -> None:
        log = self.opened.log
        if log is not None and log.header.tobytes() != log.seen_header:
            log.deliver()

    def _died(self) -> None:
        if self.state is State.OPEN:
            self.lost, self.state = "the DSP process died", State.DEAD

    def _too_late(self, timeout: float) -> DspTimeoutError:
        if self.state is State.OPEN:
            self.lost, self.state = f"the DSP did not answer within {round(timeout, 1) or timeout:g} s", State.HUNG
        return DspTimeoutError(self.lost, hint="device.reopen() ends this session and makes a new one")

    def run(self, request: bytearray, response_size: int, timeout: float, pin: Held) -> bytes:
        """Sends an encoded request (its sequence number is set here) and returns the response's bytes.

        Args:
            pin: of the request's buffers. When this returns, the DSP is through with them, and the pin the caller's to
                give up. When it raises, the pin is released if the DSP is through: at once, or later when the wait was
                interrupted, or never when the DSP may use them for ever.

        Raises:
            DspTimeoutError: no answer in time; the session is lost.
            DeviceLostError: the DSP process died, now or earlier.
        """
        try:
            with self._lock:  # Ctrl-C may end this wait for another thread's request, too
                self.check()
                if self._unanswered is not None:
                    self._echo(timeout)
                area, n_bytes = self.opened.area, len(request)
                if area is None or n_bytes > area.response_offset or response_size > area.response_bytes:
                    limit = min(CONTROL_TIMEOUT, timeout)
                    area = self._call(limit, self.opened.new_area, n_bytes, response_size)
                self._sequence += 1
                contract.SEQUENCE.pack_into(request, contract.SEQUENCE_OFFSET, self._sequence)
                area.view[:n_bytes] = request
                self._unanswered = pin
                return self._exchange(area, n_bytes, response_size, timeout)
        except BaseException:
            if self._unanswered is not pin:
                pin.release()
            raise
        finally:
            self._deliver_log()

    def _exchange(self, area: Area, request_size: int, response_size: int, timeout: float) -> bytes:
        """Has the request in the area run, and returns the response."""
        try:
            self.opened.transport.run(area, request_size, response_size, self._sequence, timeout)
        except DspTimeoutError:
            raise self._too_late(timeout) from None
        except HexagonError as error:
            if isinstance(error, DeviceLostError):
                self._died()
            self._answered()
            raise
        self._unanswered = None
        response = area.view[area.response_offset : area.response_offset + response_size].tobytes()
        if contract.SEQUENCE.unpack_from(response, contract.RESPONSE_SEQUENCE_OFFSET)[0] != self._sequence:
            raise HexagonError("the DSP did not answer the request that was sent", call=self.transport.name)
        return response

    def ping(self) -> None:
        """A round trip, to find out whether the DSP process is alive."""
        with self._lock:
            self.check()
            self._echo(min(PING_TIMEOUT, self._timeout))

    def _echo(self, timeout: float) -> None:
        """Waits for the answers to all that was sent, a request whose wait was interrupted among it."""
        try:
            self.transport.echo(timeout)
        except DspTimeoutError:
            raise self._too_late(timeout) from None
        except DeviceLostError:
            self._died()
            self._answered()
            raise
        self._answered()

    def _answered(self) -> None:
        pin, self._unanswered = self._unanswered, None
        if pin is not None:
            pin.release()

    # --- Memory ---

    def map(self, buffer: SharedMemory, timeout: float = CONTROL_TIMEOUT) -> None:
        """Makes a buffer known to this session's DSP process, within so many seconds."""
        with self._lock:
            self.check()
            self._call(min(timeout, CONTROL_TIMEOUT, self._timeout), self.opened.map, buffer)

    def buffers(self) -> list[SharedMemory]:
        """What is mapped, in the order in which it was; the session's own memory included."""
        return list(self.opened.mapped.values())

    @property
    def mapped_bytes(self) -> int:
        return sum(buffer.size for buffer in self.buffers())

    def unmap(self, buffer: SharedMemory, timeout: float = CONTROL_TIMEOUT) -> bool:
        """Takes a buffer from the session; False when that must wait for the session's end."""
        try:
            with self._lock:
                if self.state is State.OPEN:
                    self._call(min(timeout, CONTROL_TIMEOUT, self._timeout), self.opened.unmap, buffer)
                    return True
                return self.state is State.CLOSED
        except HexagonError:
            return False

    # --- Close ---

    def close(self, *, quietly: bool = False) -> None:
        """Ends the session, whatever state it is in. Again is a no-op, or finishes what was interrupted.

        Args:
            quietly: do not raise what went wrong on the way; everything is closed either way.
        """
        with self._lock:
            if self.state in (State.CLOSED, State.ABANDONED):
                return
            if not self._library.usable:
                self.state = State.CLOSED
                return
            if self.state is State.OPEN:
                with suppress(HexagonError):  # lost says it
                    if self._unanswered is not None:
                        self._echo(min(PING_TIMEOUT, self._timeout))
            problems = self._finish(min(CLOSE_TIMEOUT, self._timeout))
            if problems is None:
                warnings.warn(f"a DSP session is abandoned: {self.lost}", ResourceWarning, stacklevel=3)
            if problems and not self.lost and not quietly:
                raise problems[0]

    def _finish(self, timeout: float) -> list[HexagonError] | None:
        """Has everything closed, and returns what went wrong; None when it is abandoned.

        What hangs for ``timeout`` seconds is made to fault.
        """
        opened, hangs = self.opened, self.state is State.HUNG
        if self.state is not State.CLOSING:
            opened.answers = self.state is State.OPEN
            self.state = State.CLOSING
        if opened.domain is not None:
            domains.leave(opened.domain)
        if hangs:  # first, for the library does not close a queue that a living process has imported
            self._kill(timeout)
        self._thread.post(self._closing)
        problems = self._ended(timeout)
        if problems is None and not hangs:
            self.lost = self.lost or "the DSP did not answer when it was closed"
            self._kill(timeout)
            problems = self._ended(timeout)
        if problems is None or not domains.end_thread(self._thread, timeout):
            if opened.domain is not None:
                domains.stay(opened.domain)
            self._thread.end()  # if it ever comes back
            self.state = State.ABANDONED
            return None
        self._answered()
        self.state = State.CLOSED
        return problems

    def _ended(self, timeout: float) -> list[HexagonError] | None:
        """What went wrong, or None when closing takes longer."""
        try:
            return self._closing.wait(timeout)
        except StillRunningError:
            return None

    def _kill(self, timeout: float) -> None:
        """Makes the DSP process fault, so that what hangs in it returns and the rest of the close can go on."""
        domain = self.opened.domain
        if domain is None:
            return
        thread = CallThread("pyhexagon-kill")
        with suppress(StillRunningError, HexagonError):
            thread.call(timeout, remote.process_exception, self._library, domain.effective_id)
        thread.end()


def opener(
    library: Library, target: Target, settings: Settings, timeout: float
) -> Callable[[int, str | None], Session]:
    """What opens the sessions of a device. It does not hold the device: the last reference to that is the user's."""

    def open_session(index: int, needed: str | None) -> Session:
        return Session(library, target, settings._replace(transport=needed or settings.transport), timeout, index)

    return open_session
