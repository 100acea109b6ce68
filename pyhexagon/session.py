# SPDX-License-Identifier: MIT
"""A session: one DSP process with our skel in it, from open to close.

Open: take a session number, ask for an unsigned process, show the library where the skel lies, open the handle (this
makes the DSP process), ask the skel for its contract version, create the queue, start the skel's workers, map the
memory that carries batches, try the transports.

Close, in the only order the real library stands: the skel's own clean-up by a method (closing the last handle ends the
DSP process without it), the queue, the mappings, and the handle, exactly once. A process that hangs is made to fault
first, so that those calls return.

Calls into FastRPC block without a limit. They are made on the session's call thread, and whoever waits for one has a
deadline. What ends a session early is told by ``lost``: the DSP process died, or it did not answer in time. Then
nothing but ``close`` is possible. A call that does not even come back from that leaves the session *abandoned*: its
memory and its number are given up for good, since the DSP may still write to the one and use the other.

A wait that is interrupted (Ctrl-C) leaves its batch *unanswered*: the buffers stay pinned, and the next call first
waits for the DSP to be through with it.
"""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple, TypeVar

import numpy as np

from pyhexagon import domains
from pyhexagon._ffi import contract, remote
from pyhexagon._ffi.library import Library
from pyhexagon.buffer import PAGE, Buffer
from pyhexagon.callthread import CallThread, StillRunningError
from pyhexagon.dsplog import LogRing
from pyhexagon.errors import ArgumentError, ClosedError, ContractError, DeviceLostError, DspTimeoutError, HexagonError
from pyhexagon.locate import Target
from pyhexagon.stub import SkelInfo, Stub
from pyhexagon.transport import Area, Transport, probe
from pyhexagon.transport.invoke import InvokeTransport
from pyhexagon.transport.queue import QueueTransport

T = TypeVar("T")
_logger: Final = logging.getLogger(__name__)

CONTROL_TIMEOUT: Final = 10.0
CLOSE_TIMEOUT: Final = 5.0
PING_TIMEOUT: Final = 2.0
_AREA_SIZE: Final = 16 * PAGE

_abandoned: list[Session] = []  # not to be collected: the DSP may still use their memory


def check_timeout(seconds: float) -> float:
    """Refuses what is not a time to wait; NaN, too."""
    try:
        good = 0 < seconds <= threading.TIMEOUT_MAX
    except TypeError:
        good = False
    if not good:
        raise ArgumentError(f"timeout is {seconds!r}: expected seconds, more than 0 and not endless")
    return seconds


def _code(error: HexagonError) -> str:
    """The code in short, without the hint, which is about calls that must succeed."""
    return str(error) if error.code is None else f"{error.name} (0x{error.code:x})"


class Settings(NamedTuple):
    """How a session is to be opened.

    Attributes:
        transport: the one to use, or None for the best.
        n_threads: of the DSP; 0 means all.
        log_level: the least that the DSP shall log, one of ``contract.LOG_LEVELS``.
        power: what to ask of the DSP's clocks, a name of ``contract.POWER``.
        latency_us: the longest that the host may take to wake up for an answer, in microseconds; 0 asks for nothing.
    """

    transport: str | None
    n_threads: int
    log_level: int
    power: str
    latency_us: int


class Session:
    """An open session. Any thread may call any method; one call is on its way to the DSP at a time.

    Attributes:
        index: its number among the sessions of its device.
        info: what the skel said of itself and of the DSP.
        transport: carries the batches.
        probes: what trying the transports gave, by name: microseconds of a round trip, or why it is not used.
        votes: what was asked of the clocks ("power") and of the host ("latency"), and if so why it was refused.
        lost: why the session can no longer be used, or an empty string.
        closed: whether ``close`` was called.
    """

    info: SkelInfo
    transport: Transport
    probes: dict[str, float | str]
    votes: dict[str, str]

    def __init__(self, library: Library, target: Target, settings: Settings, index: int = 0) -> None:
        self.index = index
        self.lost = ""
        self.closed = False
        self._library = library
        self._lock = threading.RLock()
        self._thread = CallThread("pyhexagon-calls")
        self._mapped: dict[int, Buffer] = {}
        self._area: Area | None = None
        self._log: LogRing | None = None
        self._queue: QueueTransport | None = None
        self._unanswered: Callable[[], None] | None = None
        self._sequence = 0
        self._hangs = False
        self.domain = domains.take(library)
        try:
            self._handle = domains.open_module(library, self.domain, target)
        except BaseException:
            domains.give_back(library, self.domain)
            raise
        self._stub = Stub(library, self._handle)
        try:
            self._start(target, settings)
        except BaseException:
            self.close(quietly=True)
            raise

    def _start(self, target: Target, settings: Settings) -> None:
        self.info = self._call(CONTROL_TIMEOUT, self._stub.info)
        if self.info.contract_version != contract.VERSION:
            raise ContractError(
                f"{target.skel} has contract version {self.info.contract_version}, this package {contract.VERSION}",
                hint="install pyhexagon anew, so that skel and package are of one version",
            )
        if settings.log_level != contract.LOG_LEVELS["off"]:
            self._open_log(LogRing(self._library, settings.log_level, self.index))
        problems = {}
        transports: list[Transport] = [InvokeTransport(self._stub, self._thread)]
        if settings.transport == "invoke":
            problems["dspqueue"] = "not tried: invoke was asked for"
        else:
            try:
                self._queue = QueueTransport(self._library, self.domain.effective_id)
            except HexagonError as error:
                problems["dspqueue"] = str(error)
            else:
                transports.append(self._queue)
        if refusal := self._start_workers(settings.n_threads):
            problems["dspqueue"] = refusal
            transports.pop()
        self._vote(settings)
        self.info = self._call(CONTROL_TIMEOUT, self._stub.info)  # now with the threads that were started
        self.transport, self.probes = probe.choose(transports, problems, settings.transport)
        self._area = self._new_area(_AREA_SIZE // 2, _AREA_SIZE // 2)

    def _start_workers(self, n_threads: int) -> str:
        """Starts the DSP's threads. Returns why they do not serve the queue that was made, or an empty string.

        The skel imports the queue when it starts. Some firmware refuses that, and plain invokes work all the same.
        """
        refusal = ""
        if self._queue is not None:
            try:
                self._call(CONTROL_TIMEOUT, self._stub.start, self._queue.queue_id, n_threads)
                return ""
            except DspTimeoutError:
                raise
            except HexagonError as error:
                refusal = f"the DSP refused it (dspqueue_import): {_code(error)}"
                self.lost = ""  # a refusal may carry the code of a death; the next call tells
        self._call(CONTROL_TIMEOUT, self._stub.start, 0, n_threads)
        return refusal

    def _vote(self, settings: Settings) -> None:
        """Asks for clocks and for a latency. Both are wishes: what is refused is told and not fatal."""
        self.votes = {"power": settings.power, "latency": "none"}
        if settings.power != "system":
            refused = self._try(self._stub.set_power, contract.POWER[settings.power])
            self.votes["power"] += refused
        if settings.latency_us:
            refused = self._try(remote.control_latency, self._library, self._handle, settings.latency_us)
            self.votes["latency"] = f"{settings.latency_us} us{refused}"
        for name, vote in self.votes.items():
            if "refused" in vote:
                _logger.warning("vote for %s: %s", name, vote)

    def _try(self, function: Callable[..., None], *arguments: object) -> str:
        """Why a vote was refused, or an empty string."""
        try:
            self._call(CONTROL_TIMEOUT, function, *arguments)
        except (DeviceLostError, DspTimeoutError):
            raise
        except HexagonError as error:
            return f", refused: {_code(error)}"
        return ""

    # --- Calls ---

    def check(self) -> None:
        """Raises unless the session can be used."""
        if not self._library.usable:
            raise ClosedError(
                "the device belongs to the parent of this forked process",
                hint="use the 'spawn' start method and open the device in the child",
            )
        if self.lost:
            raise DeviceLostError(
                f"the session is lost: {self.lost}", hint="device.reopen() makes a new one and brings tensors back"
            )
        if self.closed:
            raise ClosedError("the device is closed")

    def _call(self, timeout: float, function: Callable[..., T], *arguments: object) -> T:
        """Runs a blocking function on the call thread; a loss is recorded, and what the DSP logs is delivered."""
        try:
            return self._thread.call(timeout, function, *arguments)
        except StillRunningError:
            raise self._too_late(timeout) from None
        except DeviceLostError:
            self.lost = self.lost or "the DSP process died"
            raise
        finally:
            self._deliver_log()

    def _deliver_log(self) -> None:
        if self._log is not None:
            self._log.deliver()

    def _open_log(self, ring: LogRing) -> None:
        self.map(ring.buffer)
        self._log = ring
        self._call(CONTROL_TIMEOUT, self._stub.set_log, ring.buffer.fd, ring.buffer.size, ring.level)

    def _too_late(self, timeout: float) -> DspTimeoutError:
        self._hangs = True
        self.lost = self.lost or f"the DSP did not answer within {timeout:g} s"
        return DspTimeoutError(self.lost, hint="device.reopen() ends this session and makes a new one")

    def run(
        self, batch: bytearray, response_size: int, timeout: float, answered: Callable[[], None]
    ) -> bytes:
        """Sends an encoded batch (its sequence number is set here) and returns the response's bytes.

        Args:
            answered: called once, when the DSP is through with the batch's buffers: at the end of this call, or later
                when the wait was interrupted, or never when the DSP may use them for ever.

        Raises:
            DspTimeoutError: no answer in time; the session is lost.
            DeviceLostError: the DSP process died, now or earlier.
        """
        try:
            return self._run(batch, response_size, timeout, answered)
        finally:
            self._deliver_log()

    def _run(self, batch: bytearray, response_size: int, timeout: float, answered: Callable[[], None]) -> bytes:
        is_sent = False
        try:
            with self._lock:  # Ctrl-C may end this wait for another thread's batch, too
                self.check()
                self._settle(check_timeout(timeout))
                area = self._area
                if area is None or not area.holds(len(batch), response_size):
                    area = self._area = self._new_area(len(batch), response_size)
                self._sequence += 1
                contract.SEQUENCE.pack_into(batch, contract.SEQUENCE_OFFSET, self._sequence)
                area.batch(len(batch))[:] = np.frombuffer(batch, np.uint8)
                self._unanswered, is_sent = answered, True
                return self._exchange(area, len(batch), response_size, timeout)
        except BaseException:
            if not is_sent:
                answered()
            raise

    def _exchange(self, area: Area, batch_size: int, response_size: int, timeout: float) -> bytes:
        """Has the batch in the area run, and returns the response."""
        try:
            self.transport.run(area, batch_size, response_size, self._sequence, timeout)
        except DspTimeoutError:
            raise self._too_late(timeout) from None
        except HexagonError as error:
            if isinstance(error, DeviceLostError):
                self.lost = self.lost or "the DSP process died"
            self._answered()
            raise
        self._answered()
        response = area.response(response_size).tobytes()
        if contract.RESPONSE.unpack_from(response)[8] != self._sequence:
            raise HexagonError("the DSP did not answer the batch that was sent", call=self.transport.name)
        return response

    def ping(self) -> None:
        """A round trip, to find out whether the DSP process is alive."""
        with self._lock:
            self.check()
            self._echo(PING_TIMEOUT)

    def _settle(self, timeout: float) -> None:
        """Waits for the answer to a batch whose wait was interrupted."""
        if self._unanswered is not None:
            self._echo(timeout)

    def _echo(self, timeout: float) -> None:
        try:
            self.transport.echo(timeout)
        except DspTimeoutError:
            raise self._too_late(timeout) from None
        except DeviceLostError:
            self.lost = self.lost or "the DSP process died"
            self._answered()
            raise
        self._answered()

    def _answered(self) -> None:
        answered, self._unanswered = self._unanswered, None
        if answered is not None:
            answered()

    # --- Memory ---

    def map(self, buffer: Buffer) -> None:
        """Makes a buffer known to this session's DSP process."""
        with self._lock:
            self.check()
            self._call(CONTROL_TIMEOUT, self._map, buffer)

    def _map(self, buffer: Buffer) -> None:
        if self._mapped.get(buffer.fd) is buffer:
            return  # by a call whose wait was interrupted
        fd, address, size = buffer.fd, buffer.address, buffer.size
        remote.fastrpc_mmap(self._library, self.domain.effective_id, fd, address, size)
        try:
            self._stub.map_buffer(fd, size)
        except HexagonError:
            remote.fastrpc_munmap(self._library, self.domain.effective_id, fd, address, size)
            raise
        self._mapped[fd] = buffer

    def buffers(self) -> list[Buffer]:
        """What is mapped, in the order in which it was; the session's own memory included."""
        return list(self._mapped.values())

    @property
    def mapped_bytes(self) -> int:
        return sum(buffer.size for buffer in self.buffers())

    def unmap(self, buffer: Buffer) -> bool:
        """Takes a buffer from the session; False when that must wait for the session's end."""
        with self._lock:
            if self.closed:
                return True
            if self.lost:
                return False
            try:
                self._call(CONTROL_TIMEOUT, self._unmap, buffer)
            except HexagonError:
                return False
            return True

    def _unmap(self, buffer: Buffer) -> None:
        if self._mapped.get(buffer.fd) is not buffer:
            return
        self._stub.unmap_buffer(buffer.fd)
        remote.fastrpc_munmap(
            self._library, self.domain.effective_id, buffer.fd, buffer.address, buffer.size
        )
        del self._mapped[buffer.fd]

    def _new_area(self, batch_size: int, response_size: int) -> Area:
        """Memory for batches and responses; takes the place of the present one."""
        sizes = [-(-size // PAGE) * PAGE for size in (batch_size, response_size)]
        buffer = Buffer(self._library, sum(sizes), pooled=False)
        try:
            self.map(buffer)
        except HexagonError:
            if not self.lost:
                buffer.free()
            raise
        if self._area is not None and self.unmap(self._area.buffer):
            self._area.buffer.free()
        return Area(buffer, sizes[0])

    # --- Close ---

    def close(self, *, quietly: bool = False) -> None:
        """Ends the session, whatever state it is in. Again is a no-op.

        Args:
            quietly: do not raise what went wrong on the way; everything is closed either way.
        """
        with self._lock:
            if self.closed:
                return
            if not self._library.usable:
                self.closed = True
                return
            if not self.lost:
                with suppress(HexagonError):  # lost says it
                    self._settle(PING_TIMEOUT)
            self.closed = True
            problems: list[HexagonError] = []
            if self._hangs:
                self._kill()
            try:
                self._thread.call(CLOSE_TIMEOUT, self._end, problems)
            except StillRunningError:
                self.lost = self.lost or "the DSP did not answer when it was closed"
                self._kill()
            if not self._thread.close(CLOSE_TIMEOUT):
                _abandoned.append(self)
                warnings.warn(f"a DSP session is abandoned: {self.lost}", ResourceWarning, stacklevel=3)
                return
            if self._area is not None:
                self._area.buffer.free()
                self._area = None
            if self._log is not None:
                self._log.close()
                self._log.buffer.free()
            self._answered()
            domains.give_back(self._library, self.domain)
            if problems and not self.lost and not quietly:
                raise problems[0]

    def _kill(self) -> None:
        """Makes the DSP process fault, so that what hangs in it returns and the rest of the close can go on."""
        thread = CallThread("pyhexagon-kill")
        with suppress(StillRunningError, HexagonError):
            thread.call(CLOSE_TIMEOUT, remote.process_exception, self._library, self.domain.effective_id)
        thread.close(0)

    def _end(self, problems: list[HexagonError]) -> None:
        """Closes everything in order; on the call thread, after what may be stuck there."""

        def attempt(function: Callable[..., None], *arguments: object) -> bool:
            try:
                function(*arguments)
            except DeviceLostError:
                self.lost = self.lost or "the DSP process died"  # then it need not be cleaned up
                return False
            except HexagonError as error:
                problems.append(error)
                return False
            return True

        if not self.lost:
            attempt(self._stub.stop)
        queue_closed = self._queue is None or attempt(self._queue.close)
        for buffer in self._mapped.values():
            attempt(
                remote.fastrpc_munmap,
                self._library, self.domain.effective_id, buffer.fd, buffer.address, buffer.size,
            )  # fmt: skip
        self._mapped.clear()
        attempt(remote.handle64_close, self._library, self._handle)
        if self._queue is not None and not queue_closed:  # the DSP held it and is gone now
            attempt(self._queue.close)
