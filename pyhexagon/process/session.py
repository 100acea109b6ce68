# SPDX-License-Identifier: MIT
"""A session: one DSP process with our skel in it, from open to close. ``resources.py`` lists its resources.

Calls into FastRPC block without a limit. A thread of the session makes them, and callers wait with a deadline.
``State`` describes the session's state. If a call does not return even when the DSP process is made to fault, the
session is *abandoned*: its memory and its number stay in use until that call returns, perhaps for good.

An interrupted wait (Ctrl-C) leaves its request *unanswered*: the buffers stay pinned, and the next call first waits for
the DSP to finish that request. An interrupted ``close`` continues by itself; the next ``close`` waits for its end. A
session without references, such as one whose opening was interrupted, closes itself.
"""

from __future__ import annotations

import enum
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol, TypeVar

from pyhexagon._ffi import contract, loopback, remote
from pyhexagon._ffi.library import Library
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.errors import ArgumentError, ClosedError, DeviceLostError, DspTimeoutError, HexagonError
from pyhexagon.process import domains
from pyhexagon.process.callthread import Call, CallThread, StillRunningError
from pyhexagon.process.locate import Target
from pyhexagon.process.resources import Opened, Settings
from pyhexagon.process.stub import ProbeRecord, SkelInfo
from pyhexagon.process.transport import Area, Transport
from pyhexagon.process.user_kernels import Image, UserKernels

T = TypeVar("T")

OPEN_TIMEOUT: Final = 30.0
CONTROL_TIMEOUT: Final = 10.0
CLOSE_TIMEOUT: Final = 5.0
PING_TIMEOUT: Final = 2.0
_GIVE_UP_TIMEOUT: Final = 0.3  # for the clean-up after an open that took too long or was interrupted


class State(enum.Enum):
    """The operations that a session allows."""

    OPEN = "everything"
    DEAD = "only close: the DSP process died"
    HUNG = "only close: it did not answer in time"
    CLOSING = "only close: an earlier close was interrupted"
    CLOSED = "nothing"
    ABANDONED = "nothing: it could not be closed, and the DSP may still use its memory"


class Releasable(Protocol):
    """A request's resources, which stay in place until the DSP has finished."""

    def clean(self) -> None:
        """Clean the CPU's caches of the buffers that the CPU has written since."""

    def invalidate(self) -> None:
        """Invalidate the CPU's caches of the buffers that the CPU reads after the request."""

    def release(self) -> None:
        """Release the resources: the DSP has finished. A second call is a no-op."""


def check_timeout(seconds: float) -> float:
    """Return the timeout, or raise ArgumentError unless it is a positive, finite number of seconds."""
    try:
        good = 0 < seconds <= threading.TIMEOUT_MAX
    except TypeError:
        good = False
    if not good:
        raise ArgumentError(f"timeout is {seconds!r}: expected seconds, more than 0 and not endless")
    return seconds


class Session:
    """An open session. Any thread may call any method; one call to the DSP is in flight at a time.

    Args:
        timeout: seconds; the limit of every operation without a limit of its own.
        kernels: the user kernels that it loads when it opens.

    Attributes:
        index: its index among the sessions of its device.
        opened: its resources.
        is_coherent: whether requests need no maintenance of the CPU's caches.
        state: the operations that it allows.
        lost: why it can no longer be used, as far as ``notice_death`` and calls know, or an empty string.
        n_requests: the number of requests that the DSP has answered.
        n_dma_failures, n_dma_fallbacks: the sums of these counters over the responses; ``Report`` describes them.
    """

    def __init__(
        self,
        library: Library,
        target: Target,
        settings: Settings,
        timeout: float,
        *,
        index: int = 0,
        kernels: UserKernels | None = None,
    ) -> None:
        self.index = index
        self.state = State.OPEN
        self.lost = ""
        self._library = library
        self._timeout = timeout
        self._lock = threading.RLock()
        self._sequence = 0
        self.n_requests = self.n_dma_failures = self.n_dma_fallbacks = 0
        self._unanswered: Releasable | None = None
        self.opened = Opened(library, target, settings, index, kernels)
        self.is_coherent = self.opened.is_coherent
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
        """The skel's description of itself and of the DSP."""
        return self.opened.info

    @property
    def transport(self) -> Transport:
        """The transport that carries the requests."""
        return self.opened.transport

    @property
    def probes(self) -> dict[str, float | str]:
        """The result of probing each transport, by name: microseconds of a round trip, or why it is not used."""
        return self.opened.probes

    @property
    def votes(self) -> dict[str, str]:
        """The votes on clocks ("power") and host latency ("latency"), each with the reason if it was refused."""
        return self.opened.votes

    @property
    def thread_stack(self) -> str:
        """The stack in bytes requested for each FastRPC thread of the DSP, and the reason if it was refused."""
        return self.opened.thread_stack

    @property
    def notifications(self) -> str:
        """Whether FastRPC reports the death of the DSP process between calls: "registered", or why that was refused."""
        return self.opened.notifications

    # --- Calls ---

    def notice_death(self) -> None:
        """Mark the session as lost if a status notification has reported the end of its DSP process."""
        status = self.opened.status
        if status is not None and status.status != 0:
            self._mark_dead()

    def check(self) -> None:
        """Raise unless the session can be used."""
        status = self.opened.status
        has_died = status is not None and status.status != 0
        if self.state is State.OPEN and self._library.usable and not has_died:
            return
        self.notice_death()
        if not self._library.usable:
            raise ClosedError(
                "the device belongs to the parent of this forked process",
                hint="use the 'spawn' start method and open the device in the child",
            )
        if self.state in (State.DEAD, State.HUNG):
            raise DeviceLostError(
                f"the session is lost: {self.lost}", hint="device.reopen() opens a new session and restores tensors"
            )
        raise ClosedError("the device is closed")

    def _call(self, timeout: float, function: Callable[..., T], *arguments: object) -> T:
        """Run a blocking function on the call thread; record a loss, and deliver the DSP's log messages."""
        try:
            return self._thread.call(timeout, function, *arguments)
        except StillRunningError:
            raise self._timed_out(timeout) from None
        except DeviceLostError:
            self._mark_dead()
            raise
        finally:
            self._deliver_log()

    def _deliver_log(self) -> None:
        log = self.opened.log
        if log is not None and (not log.is_coherent or log.header.tobytes() != log.seen_header):
            log.deliver()

    def _mark_dead(self) -> None:
        if self.state is State.OPEN:
            self.lost, self.state = "the DSP process died", State.DEAD

    def _timed_out(self, timeout: float) -> DspTimeoutError:
        if self.state is State.OPEN:
            self.lost, self.state = f"the DSP did not answer within {round(timeout, 1) or timeout:g} s", State.HUNG
        return DspTimeoutError(self.lost, hint="device.reopen() ends this session and opens a new one")

    def run(self, request: bytearray, response_size: int, timeout: float, pin: Releasable) -> bytes:
        """Send an encoded request and return the bytes of the response. The sequence number is set here.

        Args:
            pin: the pin of the request's buffers. After a return, the DSP has finished with them, and the caller
                releases the pin. After an exception, the session releases it once the DSP has finished: at once, later
                if the wait was interrupted, or never if the DSP may use the buffers for ever.

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
                if not self.is_coherent:
                    area.buffer.clean()
                    pin.clean()
                self._unanswered = pin
                return self._exchange(area, n_bytes, response_size, timeout)
        except BaseException:
            if self._unanswered is not pin:
                pin.release()
            raise
        finally:
            self._deliver_log()

    def _exchange(self, area: Area, request_size: int, response_size: int, timeout: float) -> bytes:
        """Run the request in the area and return the response."""
        try:
            self.opened.transport.run(area, request_size, response_size, self._sequence, timeout)
        except DspTimeoutError:
            raise self._timed_out(timeout) from None
        except HexagonError as error:
            if isinstance(error, DeviceLostError):
                self._mark_dead()
            self._release_answered()
            raise
        pin, self._unanswered = self._unanswered, None
        if pin is not None and not self.is_coherent:
            area.buffer.invalidate()
            pin.invalidate()
        response = area.view[area.response_offset : area.response_offset + response_size].tobytes()
        if contract.SEQUENCE.unpack_from(response, contract.RESPONSE_SEQUENCE_OFFSET)[0] != self._sequence:
            raise HexagonError("the DSP did not answer the request that was sent", call=self.transport.name)
        n_failures, n_fallbacks = contract.DMA_FAULTS.unpack_from(response, contract.RESPONSE_DMA_FAULTS_OFFSET)
        self.n_requests += 1
        self.n_dma_failures += n_failures
        self.n_dma_fallbacks += n_fallbacks
        return response

    def ping(self) -> None:
        """Make a round trip, to find out whether the DSP process is alive."""
        with self._lock:
            self.check()
            self._echo(min(PING_TIMEOUT, self._timeout))

    def _echo(self, timeout: float) -> None:
        """Wait for the answers to all requests sent, including a request whose wait was interrupted."""
        try:
            self.transport.echo(timeout)
        except DspTimeoutError:
            raise self._timed_out(timeout) from None
        except DeviceLostError:
            self._mark_dead()
            self._release_answered()
            raise
        self._release_answered()

    def _release_answered(self) -> None:
        pin, self._unanswered = self._unanswered, None
        if pin is not None:
            pin.release()

    # --- Memory ---

    def map(self, buffer: SharedMemory, timeout: float = CONTROL_TIMEOUT) -> None:
        """Map a buffer into this session's DSP process within ``timeout`` seconds."""
        with self._lock:
            self.check()
            self._call(min(timeout, CONTROL_TIMEOUT, self._timeout), self.opened.map, buffer)

    def buffers(self) -> list[SharedMemory]:
        """Return the mapped buffers in the order of mapping, the session's own memory included."""
        return list(self.opened.mapped.values())

    @property
    def mapped_bytes(self) -> int:
        return sum(buffer.size for buffer in self.buffers())

    def grow_workspace(self, n_bytes: int, timeout: float = CONTROL_TIMEOUT) -> None:
        """Add a region of at least ``n_bytes`` to the DSP's workspace; raise DspMemoryError if that is refused."""
        with self._lock:
            self.check()
            self._call(min(timeout, CONTROL_TIMEOUT, self._timeout), self.opened.add_workspace, n_bytes)

    @property
    def workspace_bytes(self) -> int:
        """Bytes of the skel's workspace, a part of ``mapped_bytes``."""
        return sum(region.size for region in self.opened.workspace)

    def unmap(self, buffer: SharedMemory, timeout: float = CONTROL_TIMEOUT) -> bool:
        """Unmap a buffer; return False if it stays mapped until the session ends."""
        try:
            with self._lock:
                if self.state is State.OPEN:
                    self._call(min(timeout, CONTROL_TIMEOUT, self._timeout), self.opened.unmap, buffer)
                    return True
                return self.state is State.CLOSED
        except HexagonError:
            return False

    # --- Diagnosis ---

    def probe(self, kind: int, n_threads: int, n_repeats: int, size: int = 0, fd: int = -1) -> list[ProbeRecord]:
        """Run one of the skel's probes (``phx_probe`` of idl/contract.h); return what each thread measured."""
        with self._lock:
            self.check()
            return self._call(self._timeout, self.opened.stub.probe, kind, n_threads, n_repeats, size, fd)

    def try_heap(self, n_bytes: int) -> None:
        """Allocate a block of the DSP process's heap and free it; raise DspMemoryError if the heap does not grow."""
        with self._lock:
            self.check()
            self._call(self._timeout, self.opened.stub.try_heap, n_bytes)

    def load_kernel(self, number: int, image: Image) -> bool:
        """Load a user kernel into the DSP process; return whether it came from memory, and not from a file.

        Raises:
            KernelError: it is refused.
        """
        with self._lock:
            self.check()
            return self._call(self._timeout, self.opened.load_kernel, number, image)

    def unload_kernel(self, number: int) -> None:
        """Unload a user kernel that no program calls. The skel drops all programs, which are then defined again."""
        with self._lock:
            if self.state is State.OPEN:
                self._call(self._timeout, self.opened.unload_kernel, number)

    def kernel_note(self) -> tuple[int, str]:
        """Return the number of the user kernel that is running, or -1, and the message of the last one that failed."""
        return (-1, "") if self.opened.log is None else self.opened.log.note()

    def loopback_log(self) -> list[str]:
        """Return the last lines of the loopback's log; none of a board, whose crash reports are in its system log."""
        return loopback.log(self._library).splitlines() if self._library.is_loopback else []

    def set_power(self, power: int) -> None:
        """Vote for clocks (``phx_power``); raise HexagonError if the firmware refuses."""
        with self._lock:
            self.check()
            self._call(self._timeout, self.opened.stub.set_power, power)

    # --- Close ---

    def close(self, *, quietly: bool = False) -> None:
        """End the session in whatever state it is. A second call is a no-op, or finishes an interrupted close.

        Args:
            quietly: do not raise errors of the close; everything is closed either way.
        """
        with self._lock:
            if self.state in (State.CLOSED, State.ABANDONED):
                return
            if not self._library.usable:
                self.state = State.CLOSED
                return
            if self.state is State.OPEN:
                with suppress(HexagonError):  # self.lost has the reason
                    if self._unanswered is not None:
                        self._echo(min(PING_TIMEOUT, self._timeout))
            problems = self._finish(min(CLOSE_TIMEOUT, self._timeout))
            if problems is None:
                warnings.warn(f"a DSP session is abandoned: {self.lost}", ResourceWarning, stacklevel=3)
            if problems and not self.lost and not quietly:
                raise problems[0]

    def _finish(self, timeout: float) -> list[HexagonError] | None:
        """Close everything and return the errors, or None if the session is abandoned.

        If the DSP process hangs for ``timeout`` seconds, it is made to fault.
        """
        opened, hangs = self.opened, self.state is State.HUNG
        if self.state is not State.CLOSING:
            opened.answers = self.state is State.OPEN
            self.state = State.CLOSING
        if opened.domain is not None:
            domains.mark_closing(opened.domain)
        if hangs:  # first: the library does not close a queue that a living process has imported
            self._kill(timeout)
        self._thread.post(self._closing)
        problems = self._close_errors(timeout)
        if problems is None and not hangs:
            self.lost = self.lost or "the DSP did not answer when it was closed"
            self._kill(timeout)
            problems = self._close_errors(timeout)
        if problems is None or not domains.end_thread(self._thread, timeout):
            if opened.domain is not None:
                domains.mark_stuck(opened.domain)
            self._thread.end()  # in case its call ever returns
            self.state = State.ABANDONED
            return None
        self._release_answered()
        self.state = State.CLOSED
        return problems

    def _close_errors(self, timeout: float) -> list[HexagonError] | None:
        """Return the errors of the close, or None if it takes longer."""
        try:
            return self._closing.wait(timeout)
        except StillRunningError:
            return None

    def _kill(self, timeout: float) -> None:
        """Make the DSP process fault, so that calls that hang in it return and the close can go on."""
        domain = self.opened.domain
        if domain is None:
            return
        thread = CallThread("pyhexagon-kill")
        with suppress(StillRunningError, HexagonError):
            thread.call(timeout, remote.process_exception, self._library, domain.effective_id)
        thread.end()


def opener(
    library: Library, target: Target, settings: Settings, timeout: float, kernels: UserKernels | None = None
) -> Callable[[int, str | None], Session]:
    """Return a function that opens a device's sessions. It does not hold the device: only the user references that."""

    def open_session(index: int, needed: str | None) -> Session:
        transport = needed or settings.transport
        return Session(library, target, settings._replace(transport=transport), timeout, index=index, kernels=kernels)

    return open_session
