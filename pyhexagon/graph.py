# SPDX-License-Identifier: MIT
"""A batch: ops over tensors, sent to the DSP as one message and run there in order.

    with device.batch() as batch:
        h = batch.matmul(x, w_up)
        y = batch.matmul(h, w_down)
        report = batch.run()
    y.numpy()

Building a batch checks shapes and types and allocates the results; nothing is computed before ``run``. It may be run
again, with new content in the same tensors.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import prod
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon import ops
from pyhexagon._ffi import contract
from pyhexagon.errors import ArgumentError, BatchError, error
from pyhexagon.memory import Buffer
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.device import Device
    from pyhexagon.session import Session

_NOT_RUN: Final = "the batch that computes it has not run"
_NO_PARAMS: Final = (0,) * contract.MAX_PARAMS

Operand = tuple[Tensor, tuple[int, ...]]  # a tensor, and its shape as an op sees it: at most 4 dimensions


class ThreadReport(NamedTuple):
    """What one DSP thread did in an op; all zero for a thread that had no part in it.

    Attributes:
        start_nanoseconds: of the DSP's clock, when its first piece of work began.
        nanoseconds: from there to the end of its last one.
        busy_nanoseconds: of these, without waiting for other threads.
    """

    start_nanoseconds: int
    nanoseconds: int
    busy_nanoseconds: int
    packets: int
    hvx_instructions: int


class OpReport(NamedTuple):
    """What one op cost, part of the time for quantising activations.

    Packets and instructions are 0 where nothing counts them (a board, the host engine).

    Attributes:
        busy_nanoseconds: of all threads; 0 when the device is not traced.
        start_nanoseconds: of the DSP's clock.
        threads: what each did; empty when the device is not traced. Packets, HVX instructions and busy time add up to
            the op's.
    """

    op: str
    kernels: str
    n_threads: int
    nanoseconds: int
    quantise_nanoseconds: int
    packets: int
    packets_max_thread: int
    hvx_instructions: int
    dma_bytes: int
    busy_nanoseconds: int
    start_nanoseconds: int
    threads: tuple[ThreadReport, ...]


class Report(NamedTuple):
    """What a batch cost, and where it ran.

    Attributes:
        device: name of the device.
        transport: what carried it.
        seconds: on the host, from the call to the answer.
        dsp_nanoseconds: on the DSP, from taking the batch up to writing the response.
        dsp_start_nanoseconds: of the DSP's clock, when it took the batch up.
        ops: one per op, in order.
    """

    device: str
    transport: str
    seconds: float
    dsp_nanoseconds: int
    dsp_start_nanoseconds: int
    ops: tuple[OpReport, ...]


class Batch:
    """Ops to be run together; made by ``Device.batch``. Not for several threads at once."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._buffers: dict[Buffer, int] = {}
        self._tensors: list[Operand] = []
        self._indices: dict[tuple[int, tuple[int, ...]], int] = {}
        self._ops: list[tuple[contract.OpCode, tuple[int, ...], int]] = []
        self._staged: list[Tensor] = []
        self._results: set[int] = set()  # indices of tensors that ops of this batch write
        self._encoded: bytearray | None = None
        self._flags = 0  # of the encoded batch

    # --- Building ---

    def matmul(self, x: npt.ArrayLike | Tensor, w: Tensor) -> Tensor:
        """Adds ``x @ w.T``; see ``Device.matmul``."""
        return ops.matmul.add(self, x, w)

    def mul_mat_id(self, x: npt.ArrayLike | Tensor, experts: Tensor, ids: npt.ArrayLike | Tensor) -> Tensor:
        """Adds a mixture of experts; see ``Device.mul_mat_id``."""
        return ops.mul_mat_id.add(self, x, experts, ids)

    def operand(self, array: npt.NDArray[Any] | Tensor, dtype: npt.DTypeLike, what: str) -> Tensor:
        """The operand as a tensor of this device and this type: an array is copied to DSP memory."""
        if isinstance(array, Tensor):
            if array.device is not self.device:
                raise ArgumentError(f"{array!r} lies on another device")
            if array.is_weight:
                raise ArgumentError(f"{array!r} is a weight; {what} are arrays or tensors of {np.dtype(dtype)}")
            if array.numpy_dtype != dtype:
                raise ArgumentError(f"{array!r}: {what} are arrays or tensors of {np.dtype(dtype)}")
            return array
        tracer = self.device.tracer
        if tracer is None:
            tensor = self.device.tensor(array)
        else:
            with tracer.span("copy", bytes=array.nbytes):
                tensor = self.device.tensor(array)
        self._staged.append(tensor)
        return tensor

    def activations(self, x: npt.NDArray[np.float32] | Tensor) -> Tensor:
        """An operand of float32."""
        return self.operand(x, np.float32, "activations")

    def add(self, code: contract.OpCode, sources: Sequence[Operand], result: Operand) -> None:
        """Adds an op; one whose result has no elements is left out."""
        if result[0].size == 0:
            return
        result[0].pending = _NOT_RUN
        result[0].host_wrote = False
        indices = tuple(self._index(*source) for source in sources)
        result_index = self._index(*result)
        self._results.add(result_index)
        self._ops.append((code, indices, result_index))
        if (
            len(self._buffers) > contract.MAX_BUFFERS
            or len(self._tensors) > contract.MAX_TENSORS
            or len(self._ops) > contract.MAX_OPS
        ):
            raise ArgumentError(
                f"a batch has at most {contract.MAX_BUFFERS} buffers, {contract.MAX_TENSORS} tensors "
                f"and {contract.MAX_OPS} ops"
            )
        self._encoded = None

    def _index(self, tensor: Tensor, shape: tuple[int, ...]) -> int:
        key = (id(tensor), shape)
        index = self._indices.get(key)
        if index is None:
            index = self._indices[key] = len(self._tensors)
            self._tensors.append((tensor, shape))
            self._buffers.setdefault(tensor.buffer, len(self._buffers))
        return index

    # --- Running ---

    def run(self, *, timeout: float | None = None) -> Report:
        """Sends the batch and waits for its end.

        Args:
            timeout: seconds; by default the device's.

        Raises:
            DspTimeoutError: no answer in time; the device needs ``reopen``.
            DeviceLostError: the DSP process died; the device needs ``reopen``.
            BatchError: the skel refused the batch.
        """
        session = self.device.session
        if not self._ops:
            session.check()
            return Report(self.device.name, session.transport.name, 0.0, 0, 0, ())
        tracer = self.device.tracer
        if tracer is None:
            report, _ = self._run(session, timeout)
        else:
            tracer.prepare(session, self.device)
            start = time.perf_counter_ns()
            try:
                report, (start, sent, received) = self._run(session, timeout, contract.THREAD_RECORDS)
            except BaseException as problem:
                tracer.failed_batch(start, len(self._ops), problem)
                raise
            end = time.perf_counter_ns()
            tracer.batch(session, (start, sent, received, end), report, self._describe)
        for index, (tensor, _) in enumerate(self._tensors):
            if index in self._results:
                tensor.pending = ""
            elif tensor.is_weight and tensor.host_wrote:
                tensor.host_wrote = False
                self._encoded = None
        return report

    def _run(
        self, session: Session, timeout: float | None, flags: int = 0
    ) -> tuple[Report, tuple[int, int, int]]:
        """The report, and when the call began, was sent and was answered."""
        start = time.perf_counter_ns()
        if self._encoded is None or self._flags != flags:
            self._encoded, self._flags = self._encode(flags), flags
        step = contract.RECORD.size + (session.info.n_threads * contract.THREAD_RECORD.size if flags else 0)
        memory, buffers = self.device.memory, self._pin()
        sent = time.perf_counter_ns()
        response = session.run(
            self._encoded,
            contract.RESPONSE.size + len(self._ops) * step,
            self.device.timeout if timeout is None else timeout,
            lambda: memory.unpin(buffers),
        )
        received = time.perf_counter_ns()
        report = self._read(response, step, session.transport.name, (received - start) / 1e9)
        return report, (start, sent, received)

    def _pin(self) -> list[Buffer]:
        """Keeps every buffer from being given back until the DSP has answered."""
        with self.device.memory.lock:
            for tensor, _ in self._tensors:
                tensor.buffer  # noqa: B018 - raises when closed
            for buffer in self._buffers:
                buffer.pins += 1
        return list(self._buffers)

    def _encode(self, flags: int) -> bytearray:
        parts = [b""]
        parts += [contract.BUFFER.pack(buffer.fd, 0) for buffer in self._buffers]
        for index, (tensor, shape) in enumerate(self._tensors):
            ne = (*shape[::-1], 1, 1, 1)[: contract.MAX_DIMS]
            if tensor.is_weight:
                layout, strides = contract.LAYOUT_TILES, (0,) * contract.MAX_DIMS
            else:
                layout, strides = contract.LAYOUT_ROWS, tuple(4 * prod(ne[:i]) for i in range(contract.MAX_DIMS))
            tensor_flags = contract.HOST_WROTE if tensor.host_wrote and index not in self._results else 0
            buffer = self._buffers[tensor.buffer]
            parts.append(contract.TENSOR.pack(tensor.dtype, layout, buffer, 0, *ne, *strides, tensor_flags, 0))
        for code, sources, result in self._ops:
            unused = (contract.NONE,) * (contract.MAX_SRC - len(sources))
            parts.append(contract.OP.pack(code, 0, *sources, *unused, result, 0, *_NO_PARAMS))
        size = contract.BATCH.size + sum(map(len, parts))
        parts[0] = contract.BATCH.pack(
            contract.BATCH_MAGIC, contract.VERSION, size, len(self._buffers), len(self._tensors), len(self._ops),
            contract.KERNELS[self.device.kernels], flags, 0,
        )  # fmt: skip
        return bytearray(b"".join(parts))

    def _read(self, response: bytes, step: int, transport: str, seconds: float) -> Report:
        """The report; ``step`` bytes of records belong to an op."""
        magic, version, size, status, failed_op, failed_tensor, n_records, _, _, start_ns, end_ns = (
            contract.RESPONSE.unpack_from(response)
        )
        if magic != contract.RESPONSE_MAGIC or version != contract.VERSION or size > len(response):
            raise BatchError(f"the DSP's response is not one: magic {magic:#x}, version {version}, {size} bytes")
        if status:
            where = []
            if failed_op < len(self._ops):
                where.append(f"op {failed_op} ({self._ops[failed_op][0].name})")
            if failed_tensor < len(self._tensors):
                where.append(repr(self._tensors[failed_tensor][0]))
            raise error("batch", status, **({"at": ", ".join(where)} if where else {}))
        if n_records != len(self._ops):
            raise BatchError(f"the DSP ran {n_records} of {len(self._ops)} ops and reported success")
        if size != contract.RESPONSE.size + n_records * step:
            raise BatchError(f"the DSP's response has {size} bytes for {n_records} ops of {step} bytes")
        reports = [
            _op_report(code.name.lower(), response, contract.RESPONSE.size + index * step, step)
            for index, (code, _, _) in enumerate(self._ops)
        ]
        return Report(self.device.name, transport, seconds, end_ns - start_ns, start_ns, tuple(reports))

    def _describe(self, index: int) -> dict[str, object]:
        """Operands of an op, for people."""
        _, sources, result = self._ops[index]
        tensors = [self._tensors[at][0] for at in (*sources, result)]
        *operands, product = [f"{tensor.dtype.name} {'x'.join(map(str, tensor.shape))}" for tensor in tensors]
        return {"operands": operands, "result": product}

    # --- Life ---

    def close(self) -> None:
        """Gives up the copies of arrays that were passed in; the batch cannot be run any more."""
        for tensor in self._staged:
            tensor.drop()
        self._staged.clear()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Batch of {len(self._ops)} ops on {self.device.name}>"


def _op_report(op: str, response: bytes, at: int, step: int) -> OpReport:
    """The records of one op, which begin at a place of the response."""
    (
        _, kernels, n_threads, quantise_ns, start_ns, end_ns, packets, packets_max_thread, hvx_instructions, dma_bytes,
        busy_ns,
    ) = contract.RECORD.unpack_from(response, at)  # fmt: skip
    threads: tuple[ThreadReport, ...] = ()
    if step > contract.RECORD.size:
        records = contract.THREAD_RECORD.iter_unpack(response[at + contract.RECORD.size : at + step])
        threads = tuple(ThreadReport(start, end - start, *others) for start, end, *others in records)
    name = contract.KERNEL_NAMES.get(kernels, str(kernels))
    return OpReport(
        op, name, n_threads, end_ns - start_ns, quantise_ns, packets, packets_max_thread, hvx_instructions, dma_bytes,
        busy_ns, start_ns, threads,
    )  # fmt: skip
