# SPDX-License-Identifier: MIT
"""A device: a DSP (or the loopback that stands for one), its sessions and its memory."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import prod
from types import TracebackType
from typing import Final

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import arguments, dsplog, locate, quants, sources, upload
from pyhexagon._ffi import contract, remote
from pyhexagon._ffi.library import Library, load
from pyhexagon.arguments import F32, I32, Shape, float32_array
from pyhexagon.capacity import Room
from pyhexagon.errors import (
    ArgumentError,
    ClosedError,
    DeviceNotFoundError,
    HexagonError,
)
from pyhexagon.info import DeviceInfo
from pyhexagon.memory import Memory
from pyhexagon.opened import Settings
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.mul_mat_id import checked_ids
from pyhexagon.placement import OpenSession
from pyhexagon.program.graph import Value
from pyhexagon.program.program import Program
from pyhexagon.program.runner import Runner, Tracer
from pyhexagon.session import Session, check_timeout
from pyhexagon.sources import Weights
from pyhexagon.tensor import Tensor, weight_operand
from pyhexagon.trace import Trace
from pyhexagon.transport.probe import check_name
from pyhexagon.unique import Unique
from pyhexagon.upload import Progress

DEFAULT_TIMEOUT: Final = 60.0
MAX_SESSIONS: Final = 4  # of a process: the library has no more
_MAX_PROGRAMS: Final = 16  # kept for products with one weight


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
        timeout: seconds to wait for a batch when the call does not say. Opening, mapping and closing have limits of
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

    Raises:
        DeviceNotFoundError: no DSP, or no permission; the message says what to do.
        SkelLoadError, ContractError: the skel is missing, or is not one for this device and this package.

    Close it, or use it in a ``with`` statement. Any thread may use it, one batch runs at a time. A child process made
    by fork cannot use it.
    """

    instead = "open a device in each process, and share one between threads"
    hidden = frozenset({"check", "hidden", "instead", "memory", "session", "sessions", "span", "tracer", "usable"})
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
    ) -> None:
        check_name(transport)
        if kernels not in contract.KERNELS:
            raise ArgumentError(f"no kernels {kernels!r}: expected {' or '.join(map(repr, contract.KERNELS))}")
        arguments.whole_number("threads", threads, 0, contract.MAX_THREADS, "0 (all)")
        if power not in contract.POWER:
            raise ArgumentError(f"no power {power!r}: expected {', '.join(sorted(contract.POWER))}")
        arguments.whole_number("latency_us", latency_us, 0, (1 << 32) - 1, "0 (none)")
        arguments.whole_number("max_sessions", max_sessions, 1, MAX_SESSIONS, "1")
        target = locate.find_target(name, library)
        self.name = target.name  #: "cdsp", "loopback" or "loopback:qemu"
        check_timeout(timeout)
        self._library = _load_library(target)
        self._arch = remote.arch(self._library)
        self._target = locate.with_skel_for(target, self._arch)
        locate.check_skel(self._target, self._arch)
        self._lock = threading.Lock()  # of opening, reopening and closing
        settings = Settings(transport, threads, dsplog.level_number(log_level), power, latency_us)
        open_session = _opener(self._library, self._target, settings, timeout)
        self.memory = Memory(self._library, open_session, max_sessions)
        self._runner = Runner(self.memory, self.name, kernels, timeout)
        self.memory.placement.open_first()
        self._is_open = True
        self.epoch = 1  #: how often sessions were opened; see DeviceInfo

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
        return self._runner.kernels

    @kernels.setter
    def kernels(self, name: str) -> None:
        self._runner.kernels = name

    @property
    def timeout(self) -> float:
        """Seconds to wait for a run when the call does not say."""
        return self._runner.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._runner.timeout = check_timeout(seconds)

    @property
    def tracer(self) -> Tracer | None:
        """Who draws a timeline; set by ``Trace.of``."""
        return self._runner.tracer

    @tracer.setter
    def tracer(self, tracer: Tracer | None) -> None:
        self._runner.tracer = tracer

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
        session = self.session
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

    def empty(self, shape: Shape, *, dtype: npt.DTypeLike = np.float32) -> Tensor:
        """Room for a tensor; what is in it is undefined.

        Args:
            shape: one length, or several.
            dtype: float32, or int32 for ids of experts.
        """
        shape = arguments.checked_shape(shape)
        is_ids = arguments.row_dtype(dtype) == I32
        nbytes = prod(shape) * 4
        buffer = self.memory.allocate(max(nbytes, 1))
        gguf_type = GGMLQuantizationType.I32 if is_ids else GGMLQuantizationType.F32
        return Tensor(self, buffer, gguf_type, shape, nbytes)

    def weight(
        self,
        array: npt.ArrayLike,
        *,
        dtype: GGMLQuantizationType | str | None = None,
        progress: Progress | None = None,
    ) -> Tensor:
        """Packs a weight matrix and uploads it.

        Args:
            array: (N, K) numbers; with leading dimensions, (A, N, K) or (B, A, N, K), that many matrices.
            dtype: the GGUF type to convert them to, "Q4_0" for example, of those that the gguf package makes: F32, F16,
                BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 and, in newer versions, MXFP4. By default the array's own, which is
                float32, float16 or bfloat16 then.
            progress: called now and then with the bytes done and the bytes in all.

        Raises:
            ArgumentError: the array has another shape or dtype, or K is no multiple of the type's block.
            UnsupportedError: the gguf package cannot make the type; the message tells which it can.
        """
        array = arguments.numbers(array, "the elements of a weight")
        shape = arguments.weight_shape(array.shape)
        gguf_type = quants.from_numpy(array.dtype) if dtype is None else arguments.weight_type(dtype)
        quants.tile_bytes(gguf_type, *shape[-2:])
        return self.pack(gguf_type, quants.quantise(array, gguf_type), shape, progress)

    def load(
        self,
        file: Weights,
        name: str,
        *,
        dtype: GGMLQuantizationType | str | None = None,
        progress: Progress | None = None,
    ) -> Tensor:
        """Packs a tensor of a file and uploads it.

        Args:
            file: an open GGUFFile, or the path of a GGUF file or of a safetensors file (``pyhexagon[safetensors]``).
            name: of a tensor with two to four dimensions and a type the DSP takes.
            dtype: for safetensors, the GGUF type to convert it to; see ``weight``.
            progress: called now and then with the bytes done and the bytes in all.

        Raises:
            GGUFError: the file is not usable, or has no such tensor (the message gives near names).
            UnsupportedError: the DSP does not take the tensor's type.
        """
        with sources.opened(file, dtype) as source:
            info = source.info(name)
            if quants.dtype_info(info.gguf_type).supported and len(info.shape) < 2:
                raise ArgumentError(
                    f"{source.path}: tensor {name!r} has the shape {info.shape}, a weight is (..., N, K)"
                )
            shape = (1, *info.shape)[-max(2, len(info.shape)) :]
            return self.pack(info.gguf_type, source.raw(name), shape, progress)

    def load_all(
        self,
        file: Weights,
        names: Iterable[str] | None = None,
        *,
        dtype: GGMLQuantizationType | str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Tensor]:
        """Packs many tensors and uploads them, to as many sessions as they need.

        All of them get their memory before the first is packed, so a model that does not fit is refused at once.

        Args:
            file: an open GGUFFile, the path of a GGUF file or of a safetensors file (``pyhexagon[safetensors]``), or a
                dictionary of arrays.
            names: of the tensors; by default all with at least two dimensions.
            dtype: for arrays and safetensors, the GGUF type to convert them to; see ``weight``.
            progress: called now and then with the bytes done and the bytes in all.

        Returns:
            The weights by name, in the order of the names.

        Raises:
            DspMemoryError: they do not fit together, and none stays loaded; the message tells how much they need, what
                each session can take, and how many sessions there are.
            GGUFError, UnsupportedError: as ``load``, for any of them.
        """
        with sources.opened(file, dtype) as source:
            return upload.load_all(self, source, names, progress)

    def pack(
        self,
        dtype: GGMLQuantizationType | str,
        blocks: npt.NDArray[np.uint8],
        shape: Shape,
        progress: Progress | None = None,
    ) -> Tensor:
        """Packs a weight given as GGUF's bytes, and uploads it.

        Args:
            dtype: a GGUF type or its name, "Q4_0" for example.
            blocks: uint8, the bytes of all rows; of any shape that has as many.
            shape: of the weight: (N, K), (A, N, K) or (B, A, N, K).
            progress: called now and then with the bytes done and the bytes in all.

        Raises:
            ArgumentError: there are too many or too few bytes, or K is no multiple of the type's block.
            UnsupportedError: the DSP does not take the type.
        """
        dtype = arguments.weight_type(dtype)
        blocks, shape = arguments.gguf_rows(dtype, blocks, shape)
        with self.span("upload", type=dtype.name, shape=list(shape)):
            tensor = upload.reserve(self, dtype, shape)
            try:
                upload.fill(tensor, blocks, progress)
            except BaseException:
                tensor.close()
                raise
            return tensor

    # --- Operations ---

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
        return Builder(self, self._runner)

    def matmul(
        self, x: npt.ArrayLike | Tensor, w: Tensor, *, out: Tensor | None = None, timeout: float | None = None
    ) -> Tensor:
        """``x @ w.T`` on the DSP.

        A weight (A, N, K) or (B, A, N, K) is many matrices, and x (..., b, a, M, K) is matched with them as ggml's
        mul_mat does: a must be a multiple of A and b one of B (a missing dimension counts as 1), and matrix [i, j] of x
        meets matrix [i // (b / B), j // (a / A)] of w. Where the dimensions are equal, or the weight's is 1, NumPy's
        matmul does the same. Where x has more, a / A of its matrices in a row share one of w, as query heads share a
        key head; NumPy refuses that. A dimension of 1 in x is not stretched to the weight's, as NumPy would do.

        Args:
            x: (..., K) float32; an array is copied, a tensor is not. Rows with NaN or infinity give rows of NaN.
            w: (N, K), (A, N, K) or (B, A, N, K), from ``weight`` or ``load``.
            out: a float32 tensor (..., N) of this device, not x, to write the result to; by default a new one. Its
                content is undefined when the DSP fails.
            timeout: seconds; by default the device's.

        Returns:
            (..., N) float32; ``out`` if it was given.

        Accuracy: docs/arithmetic.md; the same bits on every device.

        Raises:
            ArgumentError: shapes or dtypes do not fit; the message gives both.
            DspTimeoutError: no answer in time; the device needs ``reopen``.
            DeviceLostError: the DSP process died; the device needs ``reopen``.
        """
        if type(x) is not np.ndarray or x.dtype != F32:
            x = _activations(x)
        programs = w.programs if type(w) is Tensor else weight_operand(w).programs
        program: Program | None = programs.get((self, x.shape))
        if program is None:
            program = self._keep(w, (self, x.shape), lambda p: p.matmul(p.input(x.shape), w))
        return program(x, out=out, timeout=timeout)

    def weight_matmul(self, w: Tensor, x: npt.ArrayLike | Tensor, *, timeout: float | None = None) -> Tensor:
        """``w @ x`` on the DSP: x (K,) gives (N,), x (K, M) gives (N, M). Otherwise as ``matmul``."""
        if weight_operand(w).ndim != 2:
            raise ArgumentError(f"w @ x with w {w.shape}: expected one matrix (N, K)", hint="use device.matmul(x, w)")
        x, k = _activations(x), w.shape[1]
        if x.ndim not in (1, 2) or x.shape[0] != k:
            raise ArgumentError(f"w @ x with w {w.shape} and x {x.shape}: expected x ({k},) or ({k}, M)")
        key = self, "weight_matmul", x.shape
        program: Program | None = w.programs.get(key)
        if program is None:
            program = self._keep(w, key, lambda p: p.matmul(p.input(x.shape, order="F").T, w).T)
        return program(x, timeout=timeout)

    def _keep(self, w: Tensor, key: object, build: Callable[[Builder], Value]) -> Program:
        """Makes the program of a product, which lives as long as its weight."""
        builder = Builder(self, self._runner)
        builder.output(build(builder))
        program = Program(builder, self._runner, keep=False)
        if len(w.programs) >= _MAX_PROGRAMS:
            w.programs.clear()
        w.programs[key] = program
        return program

    def mul_mat_id(
        self, x: npt.ArrayLike | Tensor, experts: Tensor, ids: npt.ArrayLike | Tensor, *, timeout: float | None = None
    ) -> Tensor:
        """A mixture of experts on the DSP: each token's activations times the experts that were chosen for it.

        ``y[..., u, :] = x[..., u, :] @ experts[ids[..., u]].T``, as ggml's mul_mat_id.

        Args:
            x: float32: (..., K) or (..., 1, K), the same for all experts of a token, or (..., U, K).
            experts: a weight (E, N, K) of at most 4096 experts, from ``weight`` or ``load``.
            ids: (..., U) integers of 0 to E - 1. An array may have any integer dtype and is checked here; a tensor has
                int32 (``tensor(array)``), and its content is checked on the DSP.
            timeout: seconds; by default the device's.

        Returns:
            (..., U, N) float32.

        Raises:
            ArgumentError: shapes or dtypes do not fit, or an id is no expert's.
            BatchError: a tensor of ids holds one that is no expert's.
            DspTimeoutError, DeviceLostError: as ``matmul``.
        """
        if weight_operand(experts).ndim != 3:
            raise ArgumentError(f"experts {experts.shape}: expected a weight (E, N, K)")
        x = _activations(x)
        if not isinstance(ids, Tensor):
            ids = checked_ids(ids, experts.shape[0])
        elif ids.is_weight or ids.dtype != I32:
            raise ArgumentError(f"{ids!r}: ids of experts are arrays or tensors of int32")
        key = self, "mul_mat_id", x.shape, ids.shape
        program: Program | None = experts.programs.get(key)
        if program is None:
            program = self._keep(
                experts, key, lambda p: p.mul_mat_id(p.input(x.shape), experts, p.input(ids.shape, np.int32))
            )
        return program(x, ids, timeout=timeout)

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


def _activations(x: object) -> npt.NDArray[np.float32] | Tensor:
    """An operand of float32."""
    if not isinstance(x, Tensor):
        return float32_array(x)
    if x.is_weight:
        raise ArgumentError(f"{x!r} is a weight; activations are arrays or tensors of float32")
    if x.dtype != F32:
        raise ArgumentError(f"{x!r}: activations are arrays or tensors of float32")
    return x


def _opener(library: Library, target: locate.Target, settings: Settings, timeout: float) -> OpenSession:
    """What opens the sessions of a device. It does not hold the device: the last reference to that is the user's."""

    def open_session(index: int, needed: str | None) -> Session:
        return Session(library, target, settings._replace(transport=needed or settings.transport), timeout, index)

    return open_session


def _load_library(target: locate.Target) -> Library:
    """The library, and for a real device the certainty that it can be opened."""
    problems: list[DeviceNotFoundError] = []
    library = None
    try:
        library = load(target.library)
    except DeviceNotFoundError as error:
        if target.library is not None:
            raise
        problems.append(
            DeviceNotFoundError(error.detail, hint="on a board, install libcdsprpc1 (Radxa) or libfastrpc1 (Debian)")
        )
    if library is None or not library.is_loopback:
        try:
            locate.check_device_nodes()
        except DeviceNotFoundError as error:
            problems.append(error)
    if library is None or problems:
        raise locate.no_device(problems)
    return library
