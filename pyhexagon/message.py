# SPDX-License-Identifier: MIT
"""Messages: some ops of a batch, which all run in one session, as the bytes of idl/contract.h; and the answers.

A result that another session reads is the same memory, mapped there too. Both are processes of one DSP and share its
caches, and each writes its results back when an op ends; nothing promises more. So on a device with several sessions
every activation and every result is flagged as written by somebody else, and the DSP drops what it has cached of it
before the message's first op. On a device with one session that goes for all but the message's own results.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Final, NamedTuple

from pyhexagon._ffi import contract
from pyhexagon.buffer import Buffer
from pyhexagon.errors import BatchError, error
from pyhexagon.report import OpReport, Report, ThreadReport
from pyhexagon.session import Session
from pyhexagon.tensor import Tensor

_NO_PARAMS: Final = (0,) * contract.MAX_PARAMS


class View(NamedTuple):
    """A tensor as an op sees it: which of its memory, its shape, and how many elements a row of its memory has."""

    tensor: Tensor
    buffer: Buffer
    offset: int
    shape: tuple[int, ...]
    width: int


class Op(NamedTuple):
    """An op, its operands and its result as indices into the batch's views, and the memory that tells where it runs."""

    code: contract.OpCode
    sources: tuple[int, ...]
    result: int
    weight: Buffer


class Message(NamedTuple):
    """Consecutive ops of a batch for one session.

    Attributes:
        first, end: which ops of the batch.
        views, buffers: what they name, in the order of the message's tables.
        flags: of the batch header.
        fresh_weights: whether weights are flagged as written by the host since the DSP looked last.
        encoded: the bytes.
    """

    session: Session
    first: int
    ops: Sequence[Op]
    views: list[View]
    buffers: list[Buffer]
    flags: int
    fresh_weights: bool
    encoded: bytearray

    @property
    def end(self) -> int:
        return self.first + len(self.ops)

    @property
    def record_bytes(self) -> int:
        """Bytes of the response that belong to each op."""
        n_threads = self.session.info.n_threads if self.flags & contract.THREAD_RECORDS else 0
        return contract.RECORD.size + n_threads * contract.THREAD_RECORD.size

    @property
    def response_bytes(self) -> int:
        return contract.RESPONSE.size + len(self.ops) * self.record_bytes

    def describe(self, index: int) -> dict[str, object]:
        """Operands of an op, for people."""
        op = self.ops[index]
        tensors = [self.views[at].tensor for at in (*op.sources, op.result)]
        *operands, product = [f"{tensor.gguf_type.name} {'x'.join(map(str, tensor.shape))}" for tensor in tensors]
        return {"operands": operands, "result": product}


def encode(
    session: Session, views: Sequence[View], first: int, ops: Sequence[Op], *, kernels: str, flags: int, alone: bool
) -> Message:
    """Makes a message.

    Args:
        views: all of the batch; the message has those that its ops name.
        ops: of the batch, from number ``first`` on.
        alone: whether the device has one session only.
    """
    numbers = {index: at for at, index in enumerate(sorted({i for op in ops for i in (*op.sources, op.result)}))}
    ops = [op._replace(sources=tuple(numbers[i] for i in op.sources), result=numbers[op.result]) for op in ops]
    views = [views[index] for index in numbers]
    buffers = {buffer: at for at, buffer in enumerate(dict.fromkeys(view.buffer for view in views))}
    own_results = {op.result for op in ops} if alone else set()
    parts = [b""]
    parts += [contract.BUFFER.pack(buffer.fd, 0) for buffer in buffers]
    for index, view in enumerate(views):
        is_seen = not view.buffer.unseen if view.tensor.is_weight else index in own_results
        parts.append(_pack_view(view, buffers[view.buffer], 0 if is_seen else contract.HOST_WROTE))
    for op in ops:
        unused = (contract.NONE,) * (contract.MAX_SRC - len(op.sources))
        parts.append(contract.OP.pack(op.code, 0, *op.sources, *unused, op.result, 0, *_NO_PARAMS))
    size = contract.BATCH.size + sum(map(len, parts))
    parts[0] = contract.BATCH.pack(
        contract.BATCH_MAGIC, contract.VERSION, size, len(buffers), len(views), len(ops), contract.KERNELS[kernels],
        flags, 0,
    )  # fmt: skip
    fresh = any(op.weight.unseen for op in ops)
    return Message(session, first, ops, views, list(buffers), flags, fresh, bytearray(b"".join(parts)))


def _pack_view(view: View, buffer: int, flags: int) -> bytes:
    ne = (*view.shape[::-1], 1, 1, 1)[: contract.MAX_DIMS]
    if view.tensor.is_weight:
        layout, strides = contract.LAYOUT_TILES, (0,) * contract.MAX_DIMS
    else:
        layout, strides = contract.LAYOUT_ROWS, tuple(accumulate((4, view.width, *ne[1:-1]), mul))
    return contract.TENSOR.pack(view.tensor.gguf_type, layout, buffer, view.offset, *ne, *strides, flags, 0)


def decode(message: Message, response: bytes, device: str, seconds: float) -> Report:
    """The report of a message that was answered.

    Raises:
        BatchError: the skel refused it, or this is no answer to it.
    """
    magic, version, size, status, failed_op, failed_tensor, n_records, _, _, start_ns, end_ns = (
        contract.RESPONSE.unpack_from(response)
    )
    if magic != contract.RESPONSE_MAGIC or version != contract.VERSION or size > len(response):
        raise BatchError(f"the DSP's response is not one: magic {magic:#x}, version {version}, {size} bytes")
    if status:
        where = []
        if failed_op < len(message.ops):
            where.append(f"op {message.first + failed_op} ({message.ops[failed_op].code.name})")
        if failed_tensor < len(message.views):
            where.append(repr(message.views[failed_tensor].tensor))
        raise error("batch", status, **({"at": ", ".join(where)} if where else {}))
    if n_records != len(message.ops):
        raise BatchError(f"the DSP ran {n_records} of {len(message.ops)} ops and reported success")
    step = message.record_bytes
    if size != contract.RESPONSE.size + n_records * step:
        raise BatchError(f"the DSP's response has {size} bytes for {n_records} ops of {step} bytes")
    session = message.session
    reports = [
        _op_report(op.code.name.lower(), session.index, response, contract.RESPONSE.size + index * step, step)
        for index, op in enumerate(message.ops)
    ]
    return Report(device, session.transport.name, seconds, end_ns - start_ns, start_ns, tuple(reports))


def _op_report(op: str, session: int, response: bytes, at: int, step: int) -> OpReport:
    """The records of one op, which begin at a place of the response."""
    (
        _, kernels, n_threads, quantise_ns, start_ns, end_ns, packets, packets_max_thread, hvx_instructions, dma_bytes,
        busy_ns,
    ) = contract.RECORD.unpack_from(response, at)  # fmt: skip
    counted = packets > 0  # an op takes some, so 0 means that nothing counts them
    threads: tuple[ThreadReport, ...] = ()
    if step > contract.RECORD.size:
        records = contract.THREAD_RECORD.iter_unpack(response[at + contract.RECORD.size : at + step])
        threads = tuple(
            ThreadReport(start, end - start, busy, *(counts if counted else (None, None)))
            for start, end, busy, *counts in records
        )
    name = contract.KERNEL_NAMES.get(kernels, str(kernels))
    return OpReport(
        op, name, session, n_threads, end_ns - start_ns, quantise_ns, packets if counted else None,
        packets_max_thread if counted else None, hvx_instructions if counted else None, dma_bytes, busy_ns, start_ns,
        threads,
    )  # fmt: skip
