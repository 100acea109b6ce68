# SPDX-License-Identifier: MIT
"""A device: a DSP or the loopback, with its sessions and its memory."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from types import TracebackType
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import arguments, elements, interrupts, products, weights
from pyhexagon._ffi import contract, remote
from pyhexagon.arguments import Shape
from pyhexagon.errors import ArgumentError, ClosedError, HexagonError, UnsupportedError
from pyhexagon.info import DeviceInfo
from pyhexagon.kernels.methods import KernelMethods
from pyhexagon.memory.capacity import Room
from pyhexagon.memory.memory import Memory
from pyhexagon.ops.builder import Builder
from pyhexagon.process import dsplog, locate
from pyhexagon.process import profile as profiles
from pyhexagon.process.coherence import describe_coherence, is_coherent
from pyhexagon.process.cores import n_fast_cores
from pyhexagon.process.resources import LATENCIES, Settings
from pyhexagon.process.session import Session, check_timeout, opener
from pyhexagon.process.transport.probe import check_name
from pyhexagon.program import switches as switches_of
from pyhexagon.program.runner import Runner, Tracer
from pyhexagon.program.sharing import CPUShare, Sharing, checked_share
from pyhexagon.program.switches import Switches
from pyhexagon.tensor import Tensor
from pyhexagon.trace import Trace
from pyhexagon.unique import Unique

DEFAULT_TIMEOUT: Final = 60.0
MAX_SESSIONS: Final = 4  # of a process on one DSP: the limit of libcdsprpc
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _method(function: _Function) -> _Function:
    """Give a function of another module the signature of a method: ``help`` shows its first parameter as ``self``."""
    signature = inspect.signature(function)
    first, *others = signature.parameters.values()
    first = first.replace(name="self", annotation=first.empty)
    vars(function)["__signature__"] = signature.replace(parameters=[first, *others])
    return function


class Device(KernelMethods, Unique):
    """Opens a DSP.

    Args:
        name: "cdsp" opens the DSP through the system's libcdsprpc, and "cdsp1" the second DSP of a board with two.
            "cpu" computes on this machine's CPU, with the same bits, in this process; so does "loopback", with the
            threads of a DSP. "loopback:qemu" runs the DSP's binary in an emulator. "loopback1" and "loopback1:qemu" are
            the second DSP of the loopback. None takes the environment's ``PYHEXAGON_DEVICE``, or else "cdsp". A device
            never falls back to another one.
        transport: "dspqueue" or "invoke"; None tries both and takes the faster one, or the profile's if it works.
        threads: number of threads, at most 8; 0 means all of the DSP's. None takes the profile's number, or else all.
            On "cpu", both mean one per physical core, without the small cores of a big.LITTLE CPU.
        library: path of another libcdsprpc.
        kernels: "hvx", or "ref" for the portable kernels; both compute the same bits.
        timeout: default timeout of a request in seconds. Opening, mapping and closing have timeouts of 30, 10 and 5
            seconds, and never wait longer than this one.
        max_sessions: maximum number of DSP processes, 1 to 4. A device starts with one and opens another one when a
            weight does not fit. A process has four sessions for all its devices on one DSP.
        power: "burst" requests the highest clocks at any time and no sleep; "performance" the highest under load and
            nominal ones when idle; "balanced" nominal ones under load, which may rise, and low ones when idle; "low"
            nominal ones at most; "system" requests nothing. ``info().votes`` tells if the firmware refused. None takes
            the profile's vote, or else "performance".
        latency: "qos" asks for a wake-up latency of ``latency_us``. "poll" makes the CPU poll for the
            answer to an invoke for up to 10 ms instead of sleeping, which costs CPU time and does nothing for dspqueue.
            Libraries and kernels before July 2026 refuse: then it is as "qos", and ``info().votes`` says so. None takes
            the profile's mode, or else "qos".
        latency_us: maximum wake-up latency of the host in microseconds; 0 requests nothing. ``info().votes`` tells if
            the firmware refused.
        dcfetch: whether matmuls of several rows prefetch quantized activations into the DSP's L1 cache, which vector
            stores bypass. The bits are the same. None takes the profile's choice, or else False.
        log_level: lowest level that the DSP logs: "debug", "info", "warning", "error" or "off". The messages go to
            ``logging.getLogger("pyhexagon.dsp")``. None takes the environment's ``PYHEXAGON_LOG``, or else "warning".
        switches: switches that help to find a wrong op. None takes the environment's switches and warns about them.
        cpu_share: part of each matmul's weight rows that this machine's CPU computes beside the DSP, 0 to 0.9; 0 shares
            nothing. "auto" takes the profile's share, or else 0. The bits are the same for any share.
            ``info().sharing`` and reports say what ran where; docs/cpu.md says which matmuls are shared.
        profile: whether options that are None or "auto" take the values that ``pyhexagon tune`` chose for this board
            and skel; ``info().profile`` says which. The CPU and the loopback have no profile.

    Raises:
        DeviceNotFoundError: there is no DSP, or no permission to use it; the message says what to do.
        SkelLoadError, ContractError: the skel is missing, or does not fit this device or this package.
        UnsupportedError: ``cpu_share`` on a board where the CPU's caches are not coherent with the DSP's writes.

    Close the device, or use it in a ``with`` statement. Any thread may use it; runs are serialized. A child process
    made by fork cannot use it.
    """

    _instead = "open a device in each process, and share one between threads"
    _is_open = False

    def __init__(
        self,
        name: str | None = None,
        *,
        transport: str | None = None,
        threads: int | None = None,
        library: str | os.PathLike[str] | None = None,
        kernels: str = "hvx",
        timeout: float = DEFAULT_TIMEOUT,
        max_sessions: int = MAX_SESSIONS,
        power: str | None = None,
        latency: str | None = None,
        latency_us: int = 100,
        dcfetch: bool | None = None,
        log_level: str | None = None,
        switches: Switches | None = None,
        cpu_share: CPUShare = 0.0,
        profile: bool = True,
    ) -> None:
        check_name(transport)
        if kernels not in contract.KERNELS:
            raise ArgumentError(f"no kernels {kernels!r}: expected {' or '.join(map(repr, contract.KERNELS))}")
        if threads is not None:
            arguments.whole_number("threads", threads, 0, contract.MAX_THREADS, "0 (all)")
        if power is not None and power not in contract.POWER:
            raise ArgumentError(f"no power {power!r}: expected {', '.join(sorted(contract.POWER))}")
        if latency is not None and latency not in LATENCIES:
            raise ArgumentError(f"no latency {latency!r}: expected {' or '.join(map(repr, LATENCIES))}")
        arguments.whole_number("latency_us", latency_us, 0, (1 << 32) - 1, "0 (none)")
        if dcfetch is not None and not isinstance(dcfetch, bool):
            raise ArgumentError(f"dcfetch is {dcfetch!r}: expected True, False or None")
        arguments.whole_number("max_sessions", max_sessions, 1, MAX_SESSIONS, "1")
        asked_share = checked_share(cpu_share)
        taken = switches_of.from_environment() if switches is None else switches_of.checked(switches)
        target = locate.find_target(name, library)
        self.name = target.name  #: as ``name``: "cdsp", "cdsp1", "cpu", "loopback" and so on
        check_timeout(timeout)
        self._library = locate.load_library(target)
        self._arch = remote.arch(self._library, remote.DOMAIN_IDS[target.processor])
        self._target = locate.with_skel_for(target, self._arch)
        locate.check_skel(self._target, self._arch)
        self._lock = threading.Lock()  # of opening, reopening and closing
        KernelMethods.__init__(self)
        if latency is None and not latency_us:
            latency = "qos"  # the caller requests nothing, which a profile's poll mode must not replace
        chosen: profiles.Choice = {
            "transport": transport, "threads": threads, "power": power, "latency": latency, "dcfetch": dcfetch,
            "cpu_share": asked_share,
        }  # fmt: skip
        self._profile = "off"
        if profile:
            chosen, self._profile = profiles.apply(self._library, self._target, chosen)
        settings = Settings(
            transport,
            chosen["transport"],
            chosen["threads"] or (min(n_fast_cores(), contract.MAX_THREADS) if target.name == "cpu" else 0),
            dsplog.level_number(log_level),
            chosen["power"] or "performance",
            chosen["latency"] or "qos",
            latency_us,
        )
        open_session = opener(self._library, self._target, settings, timeout, self._user_kernels)
        self._memory = Memory(self._library, open_session, max_sessions)
        sharing = Sharing(chosen["cpu_share"]) if chosen["cpu_share"] else None
        if sharing is not None and not is_coherent(self._library, self._target.processor):
            raise UnsupportedError(
                "cpu_share needs CPU caches that are coherent with the DSP's writes",
                hint="open the device without cpu_share; docs/cpu.md says why",
            )
        dcfetch = bool(chosen["dcfetch"])
        self._runner = Runner(self._memory, self.name, kernels, timeout, taken, sharing=sharing, dcfetch=dcfetch)
        self._memory.placement.open_first()
        self._is_open = True
        self.epoch = 1  #: number of times that sessions were opened; see DeviceInfo
        if switches is None and taken.on:
            warnings.warn(f"{self!r}: the environment sets {taken.on}", RuntimeWarning, stacklevel=2)

    @classmethod
    def all(cls, name: str | None = None, **options: Any) -> list[Device]:
        """Open all DSPs of this machine, and return the devices: two on SC8280XP, one on other boards.

        Args:
            name: "cdsp" opens "cdsp" and, if its device node exists, "cdsp1". "loopback" and "loopback:qemu" open both
                DSPs of the loopback. Another name opens that device alone. None: as for ``Device``.
            **options: of each device, as for ``Device``.

        Raises:
            HexagonError: one of them cannot be opened; none stays open.
        """
        with ExitStack() as stack:
            devices = [stack.enter_context(cls(name, **options)) for name in locate.names_of_all(name)]
            stack.pop_all()
        return devices

    # --- State ---

    @property
    def _session(self) -> Session:
        """The first session."""
        return self._sessions[0]

    @property
    def _sessions(self) -> list[Session]:
        """The open sessions.

        Raises:
            ClosedError: the device is closed.
        """
        if not self._is_open:
            raise ClosedError(f"device {self.name} is closed")
        return self._memory.placement.sessions

    @property
    def kernels(self) -> str:
        """"hvx" or "ref"."""
        return self._runner.kernels

    @kernels.setter
    def kernels(self, name: str) -> None:
        self._runner.kernels = name

    @property
    def switches(self) -> Switches:
        """Switches that help to find a wrong op; a new value applies from the next run on."""
        return self._runner.switches

    @switches.setter
    def switches(self, switches: Switches) -> None:
        self._runner.switches = switches_of.checked(switches)

    @property
    def timeout(self) -> float:
        """Default timeout of a run in seconds."""
        return self._runner.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._runner.timeout = check_timeout(seconds)

    @property
    def _tracer(self) -> Tracer | None:
        """The trace that records this device; ``Trace.of`` sets it."""
        return self._runner.tracer

    @_tracer.setter
    def _tracer(self, tracer: Tracer | None) -> None:
        self._runner.tracer = tracer

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return not self._is_open

    @property
    def _usable(self) -> bool:
        """False in a forked child of the process that opened it."""
        return self._library.usable

    @property
    def lost(self) -> str:
        """The reason why the device needs ``reopen``; empty if it does not."""
        return self._memory.placement.lost

    def _check(self) -> None:
        """Raise unless the device is open and belongs to this process. A lost device's memory can still be read."""
        session = self._sessions[0]
        if not session.lost:
            session.check()

    def info(self) -> DeviceInfo:
        """Return the device's properties, transport and allocated memory."""
        session = self._session
        self._memory.placement.check()
        skel = session.info
        return DeviceInfo(
            device=self.name,
            devices=locate.names_of_all(self.name),
            library=self._library.path,
            loopback=self._library.is_loopback,
            skel=str(self._target.skel),
            skel_reason=self._target.skel_reason,
            arch=f"v{self._arch or skel.arch:x}" if skel.arch else "host",
            threads=skel.n_threads,
            hvx_units=skel.hvx_units,
            vtcm_bytes=skel.vtcm_bytes,
            contract_version=skel.contract_version,
            build_id=skel.build_id,
            coherence=describe_coherence(self._library, self._target.processor),
            transport=session.transport.name,
            transports=dict(session.probes),
            votes=dict(session.votes),
            thread_stack=session.thread_stack,
            notifications=session.notifications,
            memory_bytes=self._memory.allocated,
            pooled_bytes=self._memory.pooled,
            workspace_bytes=[session.workspace_bytes for session in self._sessions],
            sessions=[session.mapped_bytes for session in self._sessions],
            domains=[session.domain.described() for session in self._sessions],
            epoch=self.epoch,
            n_requests=sum(session.n_requests for session in self._sessions),
            n_dma_failures=sum(session.n_dma_failures for session in self._sessions),
            n_dma_fallbacks=sum(session.n_dma_fallbacks for session in self._sessions),
            switches=self.switches.on,
            dcfetch=self._runner.dcfetch,
            sharing=str(self._runner.sharing or ""),
            profile=self._profile,
        )

    def capacity(self) -> list[Room]:
        """Measure how many bytes each session has mapped and can still map: takes a second or two on a board.

        Memory is allocated and mapped until the system refuses, and then freed. The list has the open sessions only;
        a device opens more of them when it needs them.
        """
        return self._memory.rooms()

    # --- Tensors ---

    def tensor(self, array: npt.ArrayLike, *, dtype: npt.DTypeLike | None = None) -> Tensor:
        """Copy activations, or expert ids, to the device.

        Args:
            array: float32, or int32 for ids, of any shape and strides: an array or nested lists. Other dtypes need
                ``dtype``.
            dtype: "float32" converts any real numbers, such as float64, float16 and bfloat16; "int32" converts integers
                that fit.

        Raises:
            ArgumentError: the array has another dtype, holds no numbers, or its ids do not fit.
        """
        array = arguments.row_array(array, dtype)
        tensor = self.empty(array.shape, dtype=array.dtype)
        memory = tensor.buffer.bytes[: tensor.nbytes].view(array.dtype)
        memory.reshape(array.shape)[...] = array
        return tensor

    def empty(self, shape: Shape, *, dtype: npt.DTypeLike | GGMLQuantizationType = np.float32) -> Tensor:
        """Allocate a tensor; its content is undefined.

        Args:
            shape: one length, or several.
            dtype: float32, float16, int32 for ids, or the GGUF name of one of them, or of BF16, Q8_0 or Q4_0, which
                ``set_rows`` writes. ``Tensor.numpy`` describes the host's view of these types.
        """
        shape = arguments.checked_shape(shape)
        gguf_type = elements.element_type(dtype, "a tensor")
        nbytes = elements.nbytes(gguf_type, shape)
        buffer = self._memory.allocate(max(nbytes, 1))
        return Tensor(self, buffer, gguf_type, shape, nbytes)

    weight = _method(weights.weight)
    load = _method(weights.load)
    load_all = _method(weights.load_all)
    pack = _method(weights.pack)

    # --- Operations ---

    matmul = _method(products.matmul)
    weight_matmul = _method(products.weight_matmul)
    mul_mat_id = _method(products.mul_mat_id)

    def program(self) -> Builder:
        """Start a program: several ops in one message. Build it here, compile it, and run it any number of times.

            with device.program() as p:
                x = p.input((4, 512))
                h = p.rms_norm(p.add(x, bias), weight=g, eps=1e-5)
                p.output(p.matmul(h, w))
            program = p.compile()
            y = program(array)

        The ops are the methods of Builder; the DSP keeps the compiled program.
        """
        self._memory.placement.check()
        return Builder(self, self._runner)

    # --- Diagnostics ---

    def _span(self, name: str, **arguments: object) -> AbstractContextManager[None]:
        """Record what the host does within a ``with`` statement, if the device is traced."""
        return nullcontext() if self._tracer is None else self._tracer.span(name, **arguments)

    @contextmanager
    def trace(self, path: str | os.PathLike[str]) -> Iterator[Trace]:
        """Write a timeline of a ``with`` statement: of the host and of every DSP thread.

        Args:
            path: the file to write, in the Chrome trace-event format: https://ui.perfetto.dev opens it.
                pyhexagon/trace.py describes its events.

        Raises:
            HexagonError: the file cannot be written.
        """
        with Trace(path) as trace, trace.of(self):
            yield trace

    # --- Life ---

    def reopen(self) -> None:
        """Replace the lost sessions by new ones, and map the weights into them. Sessions that answer are kept."""
        with self._lock:
            if self._sessions and self._memory.reopen():
                self.epoch += 1

    def close(self) -> None:
        """Close every session. Tensors of the device become unusable.

        A second call does nothing. If Ctrl-C interrupts a close, it is finished before KeyboardInterrupt is raised; a
        second Ctrl-C leaves the rest to the next call, or to the garbage collector.
        """
        interrupts.finish(self._close)

    def _close(self) -> None:
        with self._lock:
            self._is_open = False
            self._close_kernels()
            if self._runner.sharing is not None:
                self._runner.sharing.close()
            self._memory.close()  # resumes where Ctrl-C interrupted it

    def __enter__(self) -> Device:
        self._sessions  # noqa: B018 - raises when closed
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self.close()
        except HexagonError as problem:
            if error is None:
                raise
            warnings.warn(f"{self!r} was not closed well: {problem}", RuntimeWarning, stacklevel=2)

    def __del__(self) -> None:
        try:
            if not self._has_sessions() or not self._usable or sys.is_finalizing():
                return
            try:
                if self._is_open:
                    warnings.warn(f"{self!r} was not closed", ResourceWarning, source=self, stacklevel=2)
            finally:
                self.close()  # or completes a close that Ctrl-C interrupted
        except KeyboardInterrupt:
            interrupts.raise_again()

    def _has_sessions(self) -> bool:
        memory: Memory | None = getattr(self, "_memory", None)  # Ctrl-C may have come at the very beginning
        return memory is not None and bool(memory.placement.sessions)

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{self._session.transport.name}, {self._session.info.n_threads} threads"
        if self._is_open and len(self._sessions) > 1:
            state += f", {len(self._sessions)} sessions"
        return f"<Device {self.name} {state}{', lost' if self.lost else ''}>"
