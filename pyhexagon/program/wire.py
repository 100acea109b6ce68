# SPDX-License-Identifier: MIT
"""Pack requests into and unpack responses from the bytes of idl/contract.h. No other module does.

The request that runs a kept piece stays the same from run to run: only its fds change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Final, NamedTuple

from pyhexagon._ffi import contract
from pyhexagon.errors import HexagonError, ProgramError, error
from pyhexagon.memory.buffer import Buffer
from pyhexagon.process.session import Session
from pyhexagon.program.compile import Piece
from pyhexagon.program.graph import Node
from pyhexagon.program.numbers import TRANSIENT_NUMBER
from pyhexagon.program.report import OpReport, Report, ThreadReport
from pyhexagon.program.switches import Stages
from pyhexagon.quants import tile_type

WORD: Final = Struct("<i")
PATCHES_AT: Final = contract.REQUEST.size  # offset of the patches in a request without a definition

Patch = tuple[int, int, int, int]  # kind, index, at, value


class Response(NamedTuple):
    """struct phx_response."""

    magic: int
    version: int
    size: int
    status: int
    failed_op: int
    failed_tensor: int
    n_records: int
    n_threads: int
    sequence: int
    start_ns: int
    end_ns: int
    packets: int
    n_dispatches: int
    n_signals: int
    n_dma_failures: int
    n_dma_fallbacks: int
    workspace_needed: int

    @staticmethod
    def of(response: bytes) -> Response:
        """Unpack a response; raise HexagonError if the bytes are not one."""
        answer = Response._make(contract.RESPONSE.unpack_from(response))
        if answer.magic != contract.RESPONSE_MAGIC or answer.version != contract.VERSION or answer.size > len(response):
            raise HexagonError(
                f"the DSP's response is corrupt: magic {answer.magic:#x}, version {answer.version}, {answer.size} bytes"
            )
        return answer


class WireRequest(NamedTuple):
    """A request's bytes; the session sets the sequence number.

    Attributes:
        response_bytes: the size of the response.
        success: the first bytes of a successful response.
        fds: for each buffer that a run supplies: its number, and the offset of its fd in the message.
        bare: the message without patches, for runs whose fds are unchanged.
    """

    message: bytearray
    response_bytes: int
    success: bytes
    fds: tuple[tuple[int, int], ...] = ()
    bare: bytearray = bytearray()


def request(
    actions: int,
    number: int,
    *,
    flags: int = 0,
    tables: bytes = b"",
    patches: Sequence[Patch] = (),
    n_records: int = 0,
    record_bytes: int = 0,
) -> WireRequest:
    """Pack a request."""
    packed = b"".join([contract.PATCH.pack(kind, index, at, value & 0xFFFFFFFF) for kind, index, at, value in patches])
    size = contract.REQUEST.size + len(tables) + len(packed)
    header = contract.REQUEST.pack(
        contract.REQUEST_MAGIC, contract.VERSION, size, actions, number, flags, len(patches), 0, 0
    )
    n_bytes = contract.RESPONSE.size + n_records * record_bytes
    success = contract.RESPONSE_START.pack(contract.RESPONSE_MAGIC, contract.VERSION, n_bytes, contract.OK)
    return WireRequest(bytearray(header + tables + packed), n_bytes, success)


def empty(number: int) -> WireRequest:
    """Return a request that defines, runs and drops a program without ops."""
    return request(contract.DEFINE | contract.RUN | contract.DROP, number, tables=contract.DEFINITION.pack(0, 0, 0, 0))


def definition(
    piece: Piece[Session],
    buffers: Sequence[Buffer],
    kernels: Sequence[str],
    number: int,
    *,
    flags: int,
    stages: Stages,
    dcfetch: bool = False,
) -> WireRequest:
    """Return a request that defines and runs a piece. Weights that their session has not seen are flagged as written.

    Args:
        kernels: the kernels of each op, names of ``contract.KERNELS``.
        flags: of the request.
        stages: of the ops.
        dcfetch: whether matmuls prefetch activations into the L1 cache.
    """
    left_out = contract.NO_QUANTISE * (Stages.QUANTISE not in stages)
    left_out |= contract.NO_COMPUTE * (Stages.COMPUTE not in stages)
    common = left_out | contract.DCFETCH * dcfetch
    parts = [contract.DEFINITION.pack(len(buffers), len(piece.tensors), len(piece.ops), 0)]
    parts += [contract.BUFFER.pack(buffer.fd, 0) for buffer in buffers]
    for operand, at, tensor_flags in piece.tensors:
        is_seen = operand.layout == contract.LAYOUT_TILES and piece.session in buffers[at].seen
        parts.append(contract.TENSOR.pack(
            tile_type(operand.storage.gguf_type), operand.layout, at, operand.offset, *operand.ne, *operand.nb,
            0 if is_seen else tensor_flags, 0,
        ))  # fmt: skip
    for (op, sources, results), most in zip(piece.ops, kernels, strict=True):
        no_sources = (contract.NONE,) * (contract.MAX_SRC - len(sources))
        no_results = (contract.NONE,) * (contract.MAX_DST - len(results))
        operands = *sources, *no_sources, *results, *no_results
        op_flags = common | (contract.FUSED if op.node.fused else 0)
        head = op.node.row.code, contract.KERNELS[most], op_flags
        kernel, params = op.node.kernel, op.node.params
        parts.append(contract.OP.pack(*head, *operands, *(params if kernel is None else (kernel.number, *params[1:]))))
    actions = contract.DEFINE | contract.RUN | (contract.DROP if number == TRANSIENT_NUMBER else 0)
    return request(
        actions, number, flags=flags, tables=b"".join(parts), n_records=len(piece.ops),
        record_bytes=_record_bytes(piece, flags),
    )  # fmt: skip


def run(
    piece: Piece[Session], number: int, fds: Sequence[int] = (), written: Sequence[int] = (), flags: int = 0
) -> WireRequest:
    """Return a request that runs a kept piece.

    Args:
        fds: of the buffers that the run supplies; empty to patch them in later.
        written: the tensors that the host has written since the last run.
    """
    supplied = [(index, which) for index, which in enumerate(piece.buffers) if isinstance(which, int)]
    fds = fds or [0] * len(supplied)
    patches = [(contract.PATCH_FD, index, 0, fd) for (index, _), fd in zip(supplied, fds, strict=True)]
    patches += [(contract.PATCH_HOST_WROTE, index, 0, 0) for index in written]
    record_bytes = _record_bytes(piece, flags)
    packed = request(
        contract.RUN, number, flags=flags, patches=patches, n_records=len(piece.ops), record_bytes=record_bytes
    )
    at = PATCHES_AT + contract.PATCH.size - WORD.size
    places = tuple((which, at + place * contract.PATCH.size) for place, (_, which) in enumerate(supplied))
    return packed._replace(fds=places, bare=request(contract.RUN, number, flags=flags).message)


def _record_bytes(piece: Piece[Session], flags: int) -> int:
    """Return the bytes of each op's records in the response."""
    if not flags:
        return 0
    n_threads = piece.session.info.n_threads if flags & contract.THREAD_RECORDS else 0
    return contract.RECORD.size + n_threads * contract.THREAD_RECORD.size


def failure(piece: Piece[Session], response: bytes, detail: str = "") -> HexagonError:
    """Return the error for an unsuccessful response; ``detail`` replaces the meaning of its status."""
    answer = Response.of(response)
    if not answer.status:
        return ProgramError(f"the DSP's response has {answer.size} bytes for {len(piece.ops)} ops and reports success")
    where = []
    if answer.failed_op < len(piece.ops):
        op, *_ = piece.ops[answer.failed_op]
        where.append(f"op {op.number} ({op.node.title})")
        if answer.status == contract.E_KERNEL:
            detail = f"{op.node.title}: {piece.session.kernel_note()[1] or 'no message'}"
    if answer.failed_tensor < len(piece.tensors):
        operand, *_ = piece.tensors[answer.failed_tensor]
        shape = "x".join(map(str, operand.ne[::-1]))
        where.append(f"its operand {operand.storage.gguf_type.name} {shape}")
    return error("program", answer.status, detail, **({"at": ", ".join(where)} if where else {}))


def report(piece: Piece[Session], response: bytes, flags: int, device: str, seconds: float) -> Report:
    """Return the report of a successful response."""
    answer = Response.of(response)
    session = piece.session
    records = _records(piece, response, flags)
    counted = answer.packets > 0  # every request takes some, so 0 means that they are not counted
    ops = tuple(
        _op_report(op.node, session.index, counted, *record)
        for (op, *_), record in zip(piece.ops, records)  # noqa: B905
    )
    return Report(
        device, session.transport.name, seconds, answer.end_ns - answer.start_ns, answer.start_ns, ops,
        answer.packets if counted else None, answer.n_dispatches, answer.n_signals,
        answer.n_dma_failures, answer.n_dma_fallbacks,
    )  # fmt: skip


def _records(piece: Piece[Session], response: bytes, flags: int) -> Iterator[tuple[tuple[int, ...], bytes]]:
    """Yield each op's record, and its threads' records as bytes."""
    step = _record_bytes(piece, flags)
    for at in range(contract.RESPONSE.size, len(response), step or 1):
        yield contract.RECORD.unpack_from(response, at), response[at + contract.RECORD.size : at + step]


def _op_report(node: Node, session: int, counted: bool, record: tuple[int, ...], threads: bytes) -> OpReport:
    (
        _, kernels, n_threads, prepare_ns, start_ns, end_ns, packets, packets_max_thread, hvx_instructions, dma_bytes,
        busy_ns, cycles, cycles_max_thread,
    ) = record  # fmt: skip
    fused = node.fused and n_threads == 0
    of_threads = tuple(
        ThreadReport(start, end - start, busy, packets if counted else None, hvx if counted else None, cycles or None)
        for start, end, busy, packets, hvx, cycles in contract.THREAD_RECORD.iter_unpack(threads)
    )
    name = "none" if kernels == contract.NONE else contract.KERNEL_NAMES.get(kernels, str(kernels))
    return OpReport(
        node.row.name if node.kernel is None else node.title, name, session, n_threads, end_ns - start_ns, prepare_ns,
        packets if counted else None, packets_max_thread if counted else None,
        hvx_instructions if counted else None, dma_bytes, busy_ns, start_ns, of_threads, fused, cycles or None,
        cycles_max_thread or None,
    )  # fmt: skip
