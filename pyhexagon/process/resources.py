# SPDX-License-Identifier: MIT
"""The resources of an open session: session number, DSP process with our skel, queue, mappings.

The session's call thread opens, changes and closes all of them. Each call records what it opens before it returns, so
Ctrl-C cannot leave a resource open that is recorded nowhere.

Open: take a session number, request an unsigned process, point the library to the skel's folder, open the handle (this
creates the DSP process), check the skel's contract version, map its workspace, create the queue, start the skel's
workers, map the memory that carries requests, probe the transports.

Close, in the only order that the real library survives: the skel's own clean-up method (closing the last handle ends
the DSP process without it), the queue, the mappings, and the handle, exactly once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from pyhexagon._ffi import contract, remote
from pyhexagon._ffi.library import CData, Handle64, Library
from pyhexagon._ffi.rpcmem import PAGE, SharedMemory
from pyhexagon.errors import (
    ContractError,
    DeviceLostError,
    DspMemoryError,
    DspTimeoutError,
    HexagonError,
    UnsupportedError,
)
from pyhexagon.process import domains, user_kernels
from pyhexagon.process.coherence import is_coherent
from pyhexagon.process.dsplog import LogRing
from pyhexagon.process.locate import Target
from pyhexagon.process.stub import SkelInfo, Stub
from pyhexagon.process.transport import Area, Transport, probe
from pyhexagon.process.transport.invoke import InvokeTransport
from pyhexagon.process.transport.queue import QueueTransport
from pyhexagon.process.user_kernels import Image, UserKernels

_logger: Final = logging.getLogger(__name__)

_AREA_SIZE: Final = 16 * PAGE
WORKSPACE_BYTES: Final = 4 << 20  # of the first region: enough for decode and for prompts of a few hundred tokens
LATENCIES: Final = ("qos", "poll")
_POLL_US: Final = 9_999  # the longest time that the library lets the CPU poll in an invoke
_QUEUE_TIMEOUT: Final = 1.0  # for the library to notice a death and close the queue


class Settings(NamedTuple):
    """The options that a session is opened with.

    Attributes:
        transport: the name of the transport to use, or None for the fastest.
        preferred: the name of the transport to use if it works, unless ``transport`` names one.
        n_threads: number of DSP threads; 0 means all.
        log_level: the lowest level that the DSP logs, one of ``contract.LOG_LEVELS``.
        power: the vote on the DSP's clocks, a name of ``contract.POWER``.
        latency: a name of ``LATENCIES``.
        latency_us: the longest wake-up latency of the host in microseconds; 0 casts no vote.
    """

    transport: str | None
    preferred: str | None
    n_threads: int
    log_level: int
    power: str
    latency: str
    latency_us: int


class Opened:
    """The resources of one session. ``open``, ``map``, ``unmap``, ``new_area`` and ``close`` run on the call thread.

    Attributes:
        domain: the session's number, or None if it has none.
        handle, stub: our skel in the DSP process.
        info, transport, probes, votes, thread_stack, notifications: see ``Session``.
        status: the ``struct process_status`` of the DSP process, or None without notifications.
        workspace: the regions of the skel's workspace.
        mapped: the mapped buffers by fd, in the order of mapping.
        area: the memory that carries requests.
        log: the ring that the skel logs into, or None if logging is off.
        loaded: the user kernels in the DSP process, by number.
        is_coherent: whether requests need no maintenance of the CPU's caches.
        answers: False once the DSP process is known to be dead or stuck: ``close`` then asks nothing of it.
    """

    info: SkelInfo
    transport: Transport
    probes: dict[str, float | str]
    votes: dict[str, str]
    thread_stack: str
    notifications: str

    def __init__(
        self, library: Library, target: Target, settings: Settings, index: int, kernels: UserKernels | None = None
    ) -> None:
        self.domain: domains.Domain | None = None
        self.mapped: dict[int, SharedMemory] = {}
        self.area: Area | None = None
        self.workspace: list[SharedMemory] = []
        self.log: LogRing | None = None
        self.answers = True
        self.is_coherent = is_coherent(library, target.processor)
        self._library = library
        self._target = target
        self._settings = settings
        self._index = index
        self._kernels = kernels
        self.loaded: dict[int, Image] = {}
        self.handle: Handle64 | None = None
        self._invoke: InvokeTransport | None = None
        self._queue: QueueTransport | None = None
        self.status: CData | None = None

    # --- Open ---

    def open(self, timeout: float) -> None:
        """Open everything; ``timeout`` limits the wait for a session number and for the answer to an invoke."""
        library, settings = self._library, self._settings
        self.domain = domains.take(library, self._target.processor, timeout)
        self.handle, refused, status = domains.open_module(library, self.domain, self._target)
        self.thread_stack = f"{domains.STACK_BYTES:,} bytes" + (f", refused: {short_code(refused)}" if refused else "")
        self.status = None if isinstance(status, HexagonError) else status
        self.notifications = "registered" if self.status else f"refused: {short_code(status)}"
        self.stub = stub = Stub(library, self.handle)
        self.info = stub.info()
        if self.info.contract_version != contract.VERSION:
            raise ContractError(
                f"{self._target.skel} has contract version {self.info.contract_version}, this package "
                f"{contract.VERSION}",
                hint="reinstall pyhexagon, so that skel and package have the same version",
            )
        self.add_workspace(WORKSPACE_BYTES)
        if settings.log_level != contract.LOG_LEVELS["off"]:
            self.log = LogRing(library, settings.log_level, self._index, self.is_coherent)
            self.map(self.log.buffer)
            if not self.is_coherent:
                self.log.buffer.clean()
            stub.set_log(self.log.buffer.fd, self.log.buffer.size, settings.log_level)
        problems = {}
        self._invoke = InvokeTransport(stub)
        transports: list[Transport] = [self._invoke]
        if settings.transport == "invoke":
            problems["dspqueue"] = "not tried: invoke was asked for"
        else:
            try:
                self._queue = QueueTransport(library, self.domain.effective_id)
            except HexagonError as error:
                problems["dspqueue"] = str(error)
            else:
                transports.append(self._queue)
        if refusal := self._start_workers():
            problems["dspqueue"] = refusal
            transports.pop()
        for number, image in (self._kernels.all() if self._kernels else {}).items():
            self.load_kernel(number, image)
        self._vote()
        self.info = stub.info()  # now with the number of started threads
        try:
            self.transport, self.probes = probe.choose(
                transports, problems, settings.transport, timeout, settings.preferred
            )
        except UnsupportedError:
            stub.info()  # raises if the cause is a dead DSP process, not the transports
            raise
        if self.transport is not self._invoke:
            self._invoke.end()
        self.new_area(_AREA_SIZE // 2, _AREA_SIZE // 2)

    def _start_workers(self) -> str:
        """Start the DSP's threads; return why they do not serve the queue, or an empty string.

        The skel imports the queue when it starts. Some firmware refuses that; plain invokes still work.
        """
        n_threads = self._settings.n_threads
        refusal = ""
        if self._queue is not None:
            try:
                self.stub.start(self._queue.queue_id, n_threads)
                return ""
            except HexagonError as error:  # if the process died, the next call reports it
                refusal = f"the DSP refused it (dspqueue_import): {short_code(error)}"
        self.stub.start(0, n_threads)
        return refusal

    def _vote(self) -> None:
        """Vote for clocks and for a latency. Votes are hints: a refusal is logged and not fatal."""
        settings = self._settings
        self.votes = {"power": settings.power, "latency": "none"}
        if settings.power != "system":
            self.votes["power"] += _try(self.stub.set_power, contract.POWER[settings.power])
        refusal = ""
        if settings.latency == "poll":
            refusal = _try(remote.control_latency, self._library, self.handle, _POLL_US, "RPC_POLL_QOS")
            self.votes["latency"] = "poll" + refusal
        if settings.latency_us and (settings.latency != "poll" or refusal):
            refused = _try(remote.control_latency, self._library, self.handle, settings.latency_us)
            self.votes["latency"] = f"{settings.latency_us} us{refused}" + (f"; poll{refusal}" if refusal else "")
        for name, vote in self.votes.items():
            if "refused" in vote:
                _logger.warning("vote for %s: %s", name, vote)

    # --- User kernels ---

    def load_kernel(self, number: int, image: Image) -> bool:
        """Load a user kernel, unless it is loaded; return whether it came from memory, and not from a file.

        Raises:
            KernelError: the DSP refuses it.
        """
        if self.loaded.get(number) is image:
            return True
        try:
            is_from_memory = user_kernels.load(self.stub, number, image)
        except (DeviceLostError, DspTimeoutError):
            raise
        except HexagonError as error:
            reason = "" if self.log is None else self.log.note()[1]
            raise user_kernels.refused(image, reason, error) from None
        self.loaded[number] = image
        return is_from_memory

    def unload_kernel(self, number: int) -> None:
        """Unload a user kernel. The skel drops all programs."""
        if self.loaded.pop(number, None) is not None:
            self.stub.load_kernel(number, "none", b"")

    # --- Memory ---

    def map(self, buffer: SharedMemory) -> None:
        self._map(buffer, self.stub.map_buffer)

    def _map(self, buffer: SharedMemory, register: Callable[[int, int], None]) -> None:
        if self.mapped.get(buffer.fd) is buffer:
            return  # an earlier call mapped it, although its wait was interrupted
        domain = self._effective_id()
        remote.fastrpc_mmap(self._library, domain, buffer.fd, buffer.address, buffer.size)
        try:
            register(buffer.fd, buffer.size)
        except HexagonError:
            remote.fastrpc_munmap(self._library, domain, buffer.fd, buffer.address, buffer.size)
            raise
        self.mapped[buffer.fd] = buffer

    def unmap(self, buffer: SharedMemory) -> None:
        if self.mapped.get(buffer.fd) is not buffer:
            return
        if not self.is_coherent:
            buffer.clean()  # when the kernel unmaps, it drops what the CPU has not written to memory yet
        self.stub.unmap_buffer(buffer.fd)
        remote.fastrpc_munmap(self._library, self._effective_id(), buffer.fd, buffer.address, buffer.size)
        del self.mapped[buffer.fd]

    def add_workspace(self, n_bytes: int) -> None:
        """Allocate and map another region of the skel's workspace, of at least ``n_bytes``.

        Raises:
            DspMemoryError: it cannot be allocated or mapped; the message names the sizes.
        """
        held = sum(region.size for region in self.workspace)
        size = -(-max(n_bytes, held // 4) // PAGE) * PAGE
        try:
            region = SharedMemory(self._library, size)
            try:
                self._map(region, self.stub.add_workspace)
            except DeviceLostError:
                raise
            except HexagonError:
                region.free()
                raise
        except (DeviceLostError, DspTimeoutError):
            raise
        except HexagonError as error:
            raise DspMemoryError(
                f"the DSP's workspace has {held:,} bytes and needs {size:,} more",
                call=error.call,
                code=error.code,
                hint=error.hint or "close tensors that are no longer needed",
            ) from None
        self.workspace.append(region)

    def new_area(self, request_size: int, response_size: int) -> Area:
        """Allocate and map memory for requests and responses, and free the present area."""
        sizes = [-(-size // PAGE) * PAGE for size in (request_size, response_size)]
        buffer = SharedMemory(self._library, sum(sizes))
        try:
            self.map(buffer)
        except DeviceLostError:
            raise  # the library may still have it mapped; closing the session frees it
        except HexagonError:
            buffer.free()
            raise
        old, self.area = self.area, Area(buffer, sizes[0])
        if old is not None:
            try:
                self.unmap(old.buffer)
            except HexagonError:
                return self.area  # it stays mapped until the session ends
            old.buffer.free()
        return self.area

    def _effective_id(self) -> int:
        assert self.domain is not None
        return self.domain.effective_id

    # --- Close ---

    def close(self) -> list[HexagonError]:
        """Close the resources in order and return the errors. A second call is a no-op."""
        problems: list[HexagonError] = []
        domain, handle = self.domain, self.handle
        if domain is None:
            return problems
        domains.mark_closing(domain)
        if handle is not None:
            self._close_handle(domain, handle, problems)
        if self.area is not None:
            self.area.buffer.free()
        for region in self.workspace:
            region.free()
        if self.log is not None:
            self.log.close()
            self.log.buffer.free()
        self.domain = self.handle = None
        domains.give_back(self._library, domain)
        return problems

    def _close_handle(self, domain: domains.Domain, handle: Handle64, problems: list[HexagonError]) -> None:
        def attempt(function: Callable[..., None], *arguments: object) -> bool:
            try:
                function(*arguments)
            except DeviceLostError:
                self.answers = False  # the DSP process died: it needs no clean-up
                return False
            except HexagonError as error:
                if self.answers:  # closing the resources of a dead process fails anyway
                    problems.append(error)
                return False
            return True

        if self._invoke is not None:
            self._invoke.end()  # a thread that has invoked makes an RPC of its own when it ends
        if self.answers:
            attempt(self.stub.stop)
        queue_closed = self._queue is None or attempt(self._queue.close)
        for buffer in self.mapped.values():
            if not self.is_coherent:
                attempt(buffer.clean)
            attempt(remote.fastrpc_munmap, self._library, domain.effective_id, buffer.fd, buffer.address, buffer.size)
        self.mapped.clear()
        attempt(remote.handle64_close, self._library, handle)
        if self._queue is None or queue_closed or attempt(self._queue.close):  # the DSP process no longer holds it
            return
        if not self.answers:  # the library has not noticed the death yet
            self._queue.await_death(_QUEUE_TIMEOUT)
            attempt(self._queue.close)


def short_code(error: HexagonError) -> str:
    """Return the error's code in short, without the hint, which applies only to calls that must succeed."""
    return str(error) if error.code is None else f"{error.name} (0x{error.code:x})"


def _try(function: Callable[..., None], *arguments: object) -> str:
    """Cast a vote; return why it was refused, or an empty string."""
    try:
        function(*arguments)
    except (DeviceLostError, DspTimeoutError):
        raise
    except HexagonError as error:
        return f", refused: {short_code(error)}"
    return ""
