# SPDX-License-Identifier: MIT
"""A device: a DSP (or the loopback that stands for one), its sessions and its memory."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import Final

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import arguments, elements, products, weights
from pyhexagon._ffi import contract, remote
from pyhexagon.arguments import Shape
from pyhexagon.errors import ArgumentError, ClosedError, HexagonError
from pyhexagon.info import DeviceInfo
from pyhexagon.memory.capacity import Room
from pyhexagon.memory.memory import Memory
from pyhexagon.ops.builder import Builder
from pyhexagon.process import dsplog, locate
from pyhexagon.process.opened import Settings
from pyhexagon.process.session import Session, check_timeout, opener
from pyhexagon.process.transport.probe import check_name
from pyhexagon.program import switches as switches_of
from pyhexagon.program.runner import Runner, Tracer
from pyhexagon.program.switches import Switches
from pyhexagon.tensor import Tensor
from pyhexagon.trace import Trace
from pyhexagon.unique import Unique

DEFAULT_TIMEOUT: Final = 60.0
MAX_SESSIONS: Final = 4  # of a process: the library has no more


class Device(Unique):
    """Opens a DSP.

    Args:
        name: "cdsp" is the real one, through the system's libcdsprpc; "loopback" and "loopback:qemu" run the DSP's
            side on this machine. None takes the environment's ``PYHEXAGON_DEVICE``, or else "cdsp". There is no silent
            fall-back from one to another.
        transport: "dspqueue" or "invoke"; None tries both and takes the faster.
        threads: of the DSP to use; 0 means all.
        library: path of another libcdsprpc.
        kernels: "hvx", or "ref" for the portable kernels only; the bits of the results are the same.
        timeout: seconds to wait for a request when the call does not say. Opening, mapping and closing have limits of
            their own (30, 10 and 5 seconds), and none waits longer than this either.
        max_sessions: how many DSP processes it may have, 1 to 4. It starts with one, and takes another when a weight
            does not fit into those it has. A process has four in all, for all its devices.
        power: "performance" asks the DSP for its highest clocks under load and nominal ones when idle; "low" for little
            power, nominal clocks at most; "system" for nothing. Firmware that refuses is no error: ``info().votes``.
        latency_us: the longest, in microseconds, that the host may take to wake up for an answer; 0 asks for nothing.
            Refusing is no error either.
        log_level: the least that the DSP shall log: "debug", "info", "warning", "error" or "off". The messages are
            those of ``logging.getLogger("pyhexagon.dsp")``. None takes the environment's ``PYHEXAGON_LOG``, or else
            "warning".
        switches: to find a wrong op in a model. None takes those of the environment, of which a warning tells.

    Raises:
        DeviceNotFoundError: no DSP, or no permission; the message says what to do.
        SkelLoadError, ContractError: the skel is missing, or is not one for this device and this package.

    Close it, or use it in a ``with`` statement. Any thread may use it, one run at a time. A child process made
    by fork cannot use it.
    """

    instead = "open a device in each process, and share one between threads"
    hidden = frozenset({
        "check", "hidden", "instead", "memory", "runner", "session", "sessions", "span", "tracer", "usable"
    })  # fmt: skip
    _is_open = False

    def __init__(
        self,
        name: str | None = None,
        *,
        transport: str | None = None,
        threads: int = 0,
        library: str | os.PathLike[str] | None = None,
        kernels: str = "hvx",
        timeout: float = DEFAULT_TIMEOUT,
        max_sessions: int = MAX_SESSIONS,
        power: str = "performance",
        latency_us: int = 100,
        log_level: str | None = None,
        switches: Switches | None = None,
    ) -> None:
        check_name(transport)
        if kernels not in contract.KERNELS:
            raise ArgumentError(f"no kernels {kernels!r}: expected {' or '.join(map(repr, contract.KERNELS))}")
        arguments.whole_number("threads", threads, 0, contract.MAX_THREADS, "0 (all)")
        if power not in contract.POWER:
            raise ArgumentError(f"no power {power!r}: expected {', '.join(sorted(contract.POWER))}")
        arguments.whole_number("latency_us", latency_us, 0, (1 << 32) - 1, "0 (none)")
        arguments.whole_number("max_sessions", max_sessions, 1, MAX_SESSIONS, "1")
        taken = switches_of.from_environment() if switches is None else switches_of.checked(switches)
        target = locate.find_target(name, library)
        self.name = target.name  #: "cdsp", "loopback" or "loopback:qemu"
        check_timeout(timeout)
        self._library = locate.load_library(target)
        self._arch = remote.arch(self._library)
        self._target = locate.with_skel_for(target, self._arch)
        locate.check_skel(self._target, self._arch)
        self._lock = threading.Lock()  # of opening, reopening and closing
        settings = Settings(transport, threads, dsplog.level_number(log_level), power, latency_us)
        open_session = opener(self._library, self._target, settings, timeout)
        self.memory = Memory(self._library, open_session, max_sessions)
        self.runner = Runner(self.memory, self.name, kernels, timeout, taken)
        self.memory.placement.open_first()
        self._is_open = True
        self.epoch = 1  #: how often sessions were opened; see DeviceInfo
        if switches is None and taken.on:
            warnings.warn(f"{self!r}: the environment sets {taken.on}", RuntimeWarning, stacklevel=2)

    # --- State ---

    @property
    def session(self) -> Session:
        """The first session; of use to this package only."""
        return self.sessions[0]

    @property
    def sessions(self) -> list[Session]:
        """The present sessions; of use to this package only."""
        if not self._is_open:
            raise ClosedError(f"device {self.name} is closed")
        return self.memory.placement.sessions

    @property
    def kernels(self) -> str:
        """"hvx" or "ref"."""
        return self.runner.kernels

    @kernels.setter
    def kernels(self, name: str) -> None:
        self.runner.kernels = name

    @property
    def switches(self) -> Switches:
        """Those that find a wrong op in a model; they may be set at any time, and hold from the next run on."""
        return self.runner.switches

    @switches.setter
    def switches(self, switches: Switches) -> None:
        self.runner.switches = switches_of.checked(switches)

    @property
    def timeout(self) -> float:
        """Seconds to wait for a run when the call does not say."""
        return self.runner.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self.runner.timeout = check_timeout(seconds)

    @property
    def tracer(self) -> Tracer | None:
        """Who draws a timeline; set by ``Trace.of``."""
        return self.runner.tracer

    @tracer.setter
    def tracer(self, tracer: Tracer | None) -> None:
        self.runner.tracer = tracer

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return not self._is_open

    @property
    def usable(self) -> bool:
        """False in a forked child of the process that opened it."""
        return self._library.usable

    @property
    def lost(self) -> str:
        """Why the device needs ``reopen``; empty while it does not."""
        return self.memory.placement.lost

    def check(self) -> None:
        """Raises unless the device is open and belongs to this process. A lost one still lets its memory be read."""
        session = self.sessions[0]
        if not session.lost:
            session.check()

    def info(self) -> DeviceInfo:
        """What the device is, how it is talked to, and the memory it holds at present."""
        session = self.session
        self.memory.placement.check()
        skel = session.info
        return DeviceInfo(
            device=self.name,
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
            transport=session.transport.name,
            transports=dict(session.probes),
            votes=dict(session.votes),
            memory_bytes=self.memory.allocated,
            pooled_bytes=self.memory.pooled,
            sessions=[one.mapped_bytes for one in self.sessions],
            epoch=self.epoch,
            switches=self.switches.on,
        )

    def capacity(self) -> list[Room]:
        """What each session has mapped and what more it can take, measured: a second or two on a board.

        Memory is allocated and mapped until it is refused, and given back. A device that may have more sessions opens
        them when it needs them; they are not in the list before.
        """
        return self.memory.rooms()

    # --- Tensors ---

    def tensor(self, array: npt.ArrayLike, *, dtype: npt.DTypeLike | None = None) -> Tensor:
        """Copies activations, or ids of experts, to the device.

        Args:
            array: an array or nested lists, of any shape and strides; of float32, or int32 for ids. Another dtype is
                refused unless ``dtype`` asks for a conversion.
            dtype: "float32" converts from any real numbers, float64, float16 and bfloat16 among them; "int32" from
                whole numbers that fit.

        Raises:
            ArgumentError: the array has another dtype, holds no numbers, or its ids do not fit.
        """
        array = arguments.row_array(array, dtype)
        tensor = self.empty(array.shape, dtype=array.dtype)
        memory = tensor.buffer.bytes[: tensor.nbytes].view(array.dtype)
        memory.reshape(array.shape)[...] = array
        return tensor

    def empty(self, shape: Shape, *, dtype: npt.DTypeLike | GGMLQuantizationType = np.float32) -> Tensor:
        """Room for a tensor; what is in it is undefined.

        Args:
            shape: one length, or several.
            dtype: float32, float16, int32 for ids, or GGUF's name of one of them, or of BF16, Q8_0 or Q4_0: to these
                ``set_rows`` writes, too. ``Tensor.numpy`` tells what the host sees of these.
        """
        shape = arguments.checked_shape(shape)
        gguf_type = elements.element_type(dtype, "a tensor")
        nbytes = elements.nbytes(gguf_type, shape)
        buffer = self.memory.allocate(max(nbytes, 1))
        return Tensor(self, buffer, gguf_type, shape, nbytes)

    weight = weights.weight
    load = weights.load
    load_all = weights.load_all
    pack = weights.pack

    # --- Operations ---

    matmul = products.matmul
    weight_matmul = products.weight_matmul
    mul_mat_id = products.mul_mat_id

    def program(self) -> Builder:
        """Several operations in one message: built here, then compiled, then run as often as one likes.

            with device.program() as p:
                x = p.input((4, 512))
                h = p.rms_norm(p.add(x, bias), weight=g, eps=1e-5)
                p.output(p.matmul(h, w))
            program = p.compile()
            y = program(array)

        Its operations are pyhexagon/ops; the DSP keeps what was compiled.
        """
        self.memory.placement.check()
        return Builder(self, self.runner)

    # --- Diagnostics ---

    def span(self, name: str, **arguments: object) -> AbstractContextManager[None]:
        """Something that the host does within a ``with`` statement, for the timeline if there is one."""
        return nullcontext() if self.tracer is None else self.tracer.span(name, **arguments)

    @contextmanager
    def trace(self, path: str | os.PathLike[str]) -> Iterator[Trace]:
        """Writes a timeline of what happens within a ``with`` statement, on the host and on every DSP thread.

        Args:
            path: of a file in the Chrome trace-event format: https://ui.perfetto.dev opens it. pyhexagon/trace.py
                tells what is in it.

        Raises:
            HexagonError: the file cannot be written.
        """
        with Trace(path) as trace, trace.of(self):
            yield trace

    # --- Life ---

    def reopen(self) -> None:
        """Ends the sessions that are lost, makes new ones, and maps the weights into them: they are usable again.

        A session that still answers is left alone.
        """
        with self._lock:
            if self.sessions and self.memory.reopen():
                self.epoch += 1

    def close(self) -> None:
        """Ends every session. Tensors of the device cannot be used any more.

        Again is a no-op, or finishes a close that Ctrl-C had interrupted.
        """
        with self._lock:
            if self._is_open or self.memory.placement.sessions:
                self._is_open = False
                self.memory.close()

    def __enter__(self) -> Device:
        self.sessions  # noqa: B018 - raises when closed
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self.close()
        except HexagonError as problem:
            if error is None:
                raise
            warnings.warn(f"{self!r} was not closed well: {problem}", RuntimeWarning, stacklevel=2)

    def __del__(self) -> None:
        if not self._is_open or not self.usable or sys.is_finalizing():
            return
        warnings.warn(f"{self!r} was not closed", ResourceWarning, source=self, stacklevel=2)
        self.close()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.hidden]

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{self.session.transport.name}, {self.session.info.n_threads} threads"
        if self._is_open and len(self.sessions) > 1:
            state += f", {len(self.sessions)} sessions"
        return f"<Device {self.name} {state}{', lost' if self.lost else ''}>"
