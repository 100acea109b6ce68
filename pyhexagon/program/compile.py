# SPDX-License-Identifier: MIT
"""Compile a graph: assign ops to sessions (assign.py), lay out the intermediates, and cut the ops into pieces.
Consecutive ops of one session form a piece: one request.

Intermediates lie in one arena per session. Values that cross from one session to another lie in a separate arena that
is mapped in all of them. It is the same memory without a copy: the writing session cleans its caches and the reading
one invalidates its own, as if the host were the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Generic, NamedTuple

from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi import contract
from pyhexagon.elements import ALL_ELEMENTS, Element
from pyhexagon.memory.buffer import Buffer
from pyhexagon.program import lifetimes, rendezvous
from pyhexagon.program.assign import Op, S, assign, tensor_of
from pyhexagon.program.graph import Kind, Node, Port, Storage, Value
from pyhexagon.program.lifetimes import Lifetime
from pyhexagon.program.rendezvous import Meeting
from pyhexagon.program.views import View

CROSSING: Final = "crossing"  # user of the arena for values that cross sessions
_NO_STRIDES: Final = (0,) * contract.MAX_DIMS


class Operand(NamedTuple):
    """A tensor as the wire describes it, except its memory: a buffer, or the number of a buffer that a run supplies."""

    storage: Storage
    memory: Buffer | int
    layout: int
    offset: int
    ne: tuple[int, ...]
    nb: tuple[int, ...]


@dataclass(frozen=True)
class Piece(Generic[S]):
    """Consecutive ops of one session, sent as one request.

    Attributes:
        first, end: the range of the plan's ops.
        buffers: the buffers of its tensors; a number stands for one that a run supplies.
        tensors: operand, buffer index and flags; the flags of weights depend on what the session has read.
        ops: op, source indices and result indices into ``tensors``.
        meetings: of the ops whose rows the CPU shares; the meeting is the last source of such an op.
    """

    session: S
    first: int
    end: int
    buffers: list[Buffer | int]
    tensors: list[tuple[Operand, int, int]]
    ops: list[tuple[Op[S], tuple[int, ...], tuple[int, ...]]]
    meetings: list[Meeting] = field(default_factory=list)


class Plan(Generic[S]):
    """The assignment of all ops to sessions and of all values to memory.

    Args:
        one_by_one: make each op a piece of its own.
        cpu_tiles: returns how many of a product's tiles the CPU computes, given its number and its tiles; None: none.

    Attributes:
        ops: in order.
        pieces: as few as possible.
        arenas: the size of each arena in bytes, by its session or ``CROSSING``. Runs supply buffers in this order:
            inputs, outputs, arenas, meetings.
        meeting_bytes: the size of the memory for meetings; 0 without any.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        default: S,
        *,
        one_by_one: bool = False,
        cpu_tiles: Callable[[int, int], int] | None = None,
    ) -> None:
        self._one_by_one = one_by_one
        self.ops = assign(nodes, default)
        self._first: dict[Storage, int] = {}  # the node that creates it; later ones write into it
        for op in self.ops:
            self._first.setdefault(op.result.storage, op.number)
        self._writers: dict[Storage, set[S]] = {}
        self._readers: dict[Storage, set[S]] = {}
        for op in self.ops:
            for value in op.results:
                self._writers.setdefault(value.storage, set()).add(op.session)
            for source in op.sources:
                if source is not None:
                    self._readers.setdefault(source[0].storage, set()).add(op.session)
        self._outputs = {port.storage for port in outputs}
        self._memory: dict[Storage, tuple[int, int]] = {}  # the run's buffer and the offset in it
        for number, port in enumerate([*inputs, *outputs]):
            self._memory[port.storage] = number, 0
        self.arenas = self._lay_out(len(inputs) + len(outputs))
        self._meetings = {} if cpu_tiles is None else rendezvous.plan(self.ops, cpu_tiles)
        self.meeting_bytes = sum(meeting.nbytes for meeting in self._meetings.values())
        self._meetings_at = len(inputs) + len(outputs) + len(self.arenas)
        self.pieces = self._cut()

    # --- Memory ---

    def _lay_out(self, first: int) -> dict[Hashable, int]:
        """Place the intermediates; return the arena sizes. The first arena gets the buffer number ``first``."""
        shared = self._shared()
        ends = _fused_until([op.node for op in self.ops])
        spans: dict[Storage, Lifetime] = {}
        slack: dict[Storage, int] = {}
        for index, op in enumerate(self.ops):
            for storage in op.storages:
                if storage.kind is Kind.RESULT and storage not in self._outputs:
                    root = shared.get(storage, storage)
                    start = spans[root].first if root in spans else index
                    slack[root] = max(slack.get(root, 0), storage.slack)
                    spans[root] = Lifetime(start, ends[index], root.nbytes + slack[root])
        by_arena: dict[Hashable, list[Storage]] = {}
        for storage in spans:
            by_arena.setdefault(self._arena(storage), []).append(storage)
        sizes = {}
        for number, (user, storages) in enumerate(by_arena.items(), first):
            offsets, sizes[user] = lifetimes.pack([spans[storage] for storage in storages])
            self._memory.update((storage, (number, offset)) for storage, offset in zip(storages, offsets, strict=True))
        self._memory.update((storage, self._memory[root]) for storage, root in shared.items())
        return sizes

    def _arena(self, storage: Storage) -> Hashable:
        sessions = self._writers[storage] | self._readers.get(storage, set())
        return next(iter(sessions)) if len(sessions) == 1 else CROSSING

    def _shared(self) -> dict[Storage, Storage]:
        """Return results that reuse the memory of an operand that the op may overwrite and no later op reads."""
        last: dict[Storage, int] = {}  # the last op that reads or writes it
        for index, op in enumerate(self.ops):
            last.update(dict.fromkeys(op.storages, index))
        roots: dict[Storage, Storage] = {}
        for index, op in enumerate(self.ops):
            result = op.result.storage
            read = [source[0] for source in op.sources if source is not None]
            for at, source in enumerate(op.sources):
                is_written = op.result.storage.kind is not Kind.RESULT or op.number != self._first[result]
                if source is None or not op.node.in_place >> at & 1 or result in self._outputs or is_written:
                    continue
                storage = source[0].storage
                if (
                    storage.kind is Kind.RESULT
                    and storage not in self._outputs
                    and last[storage] == index
                    and sum(value.storage is storage for value in read) == 1
                    and source[0].view == op.result.view
                    and storage.nbytes == result.nbytes
                    and storage.gguf_type == result.gguf_type
                    and self._arena(storage) == self._arena(result)
                ):
                    roots[result] = roots.get(storage, storage)
                    break
        return roots

    # --- Pieces ---

    def _cut(self) -> list[Piece[S]]:
        """Return all ops in as few pieces as sessions and the contract's limits allow."""
        starts = [0] if self.ops else []
        buffers: set[Buffer | int] = set()
        n_tensors = 0  # an upper bound
        for index, op in enumerate(self.ops):
            sources = [source for source in op.sources if source is not None]
            own = {self._buffer_of(value.storage, part) for value, part, *_ in sources}
            own |= {self._buffer_of(value.storage, None) for value in op.results}
            n_own = len(op.results) + len(sources)
            if index in self._meetings:
                own.add(self._meetings_at)
                n_own += 1
            is_full = (
                index - starts[-1] == (1 if self._one_by_one else contract.MAX_OPS)
                or n_tensors + n_own > contract.MAX_TENSORS
                or len(buffers | own) > contract.MAX_BUFFERS
            )
            if op.session != self.ops[starts[-1]].session or is_full:
                starts.append(index)
                buffers, n_tensors = set(), 0
            buffers |= own
            n_tensors += n_own
        return [self.piece(first, end) for first, end in pairwise([*starts, len(self.ops)])]

    def piece(self, first: int, end: int) -> Piece[S]:
        """Return a range of ops of one session as a piece."""
        piece = Piece[S](self.ops[first].session, first, end, [], [], [])
        written = {value.storage for op in self.ops[first:end] for value in op.results}
        buffers: dict[Buffer | int, int] = {}
        tensors: dict[tuple[object, ...], int] = {}

        def index_of(operand: Operand) -> int:
            key = (operand.memory, *operand[2:])
            flags = self._flags(operand.storage, written, piece.session)
            if key not in tensors:
                tensors[key] = len(piece.tensors)
                buffer = buffers.setdefault(operand.memory, len(buffers))
                piece.tensors.append((operand, buffer, flags))
            else:  # an alias of another result: merge the flags
                first_one, buffer, others = piece.tensors[tensors[key]]
                piece.tensors[tensors[key]] = first_one, buffer, others | flags
            return tensors[key]

        for index, op in enumerate(self.ops[first:end], first):
            sources = tuple(
                contract.NONE if source is None else index_of(self._operand(*source)) for source in op.sources
            )
            meeting = self._meetings.get(index)
            if meeting is not None:
                sources += (len(piece.tensors),)
                buffer = buffers.setdefault(self._meetings_at, len(buffers))
                piece.tensors.append((_meeting_operand(meeting, self._meetings_at), buffer, 0))
                piece.meetings.append(meeting._replace(op=index - first))
            results = tuple(index_of(self._operand(value, None, 0, 0)) for value in op.results)
            piece.ops.append((op, sources, results))
        piece.buffers.extend(buffers)
        return piece

    def _flags(self, storage: Storage, written: Collection[Storage], session: S) -> int:
        """Return the coherency flags of a tensor; another session counts as the host."""
        if storage.kind is Kind.CONSTANT and tensor_of(storage).is_staging:
            return contract.HOST_WRITES | contract.HOST_READS
        if storage.kind is Kind.CONSTANT:
            tensor = tensor_of(storage)
            is_read = storage in written and not (tensor.is_cache or tensor.is_private)
            return contract.HOST_WROTE | (contract.HOST_READS if is_read else 0)
        if storage.kind is Kind.INPUT:
            return contract.HOST_WRITES
        flags = 0
        writers, sessions = self._writers[storage], self._readers.get(storage, set()) | self._writers[storage]
        if len(writers) > 1 or (storage not in written and session not in writers):
            flags |= contract.HOST_WRITES
        if storage in written and (storage in self._outputs or len(sessions) > 1):
            flags |= contract.HOST_READS
        return flags

    def _buffer_of(self, storage: Storage, part: Buffer | None) -> Buffer | int:
        """Return the buffer of a storage or of a weight's part; a number stands for one that a run supplies."""
        if part is not None:
            return part
        return tensor_of(storage).buffer if storage.kind is Kind.CONSTANT else self._memory[storage][0]

    def _operand(self, value: Value, part: Buffer | None, first: int, end: int) -> Operand:
        storage, view, memory = value.storage, value.view, self._buffer_of(value.storage, part)
        if part is not None:
            *matrices, _, k = storage.shape
            ne = (k, end - first, *matrices[::-1], 1, 1)[: contract.MAX_DIMS]
            return Operand(storage, memory, contract.LAYOUT_TILES, 0, ne, _NO_STRIDES)
        if value.is_cache:
            return Operand(storage, memory, contract.LAYOUT_CACHE, 0, (*storage.shape[::-1], 1), _NO_STRIDES)
        offset = 0 if storage.kind is Kind.CONSTANT else self._memory[storage][1]
        ne, nb = _dimensions(view, ALL_ELEMENTS[storage.gguf_type])
        return Operand(storage, memory, contract.LAYOUT_ROWS, offset + view.offset, ne, nb)


def _meeting_operand(meeting: Meeting, memory: int) -> Operand:
    n = meeting.nbytes // 4
    ne, nb = (n, 1, 1, 1), (4, meeting.nbytes, meeting.nbytes, meeting.nbytes)
    return Operand(Storage(Kind.RESULT, Q.I32, (n,)), memory, contract.LAYOUT_ROWS, meeting.offset, ne, nb)


def _fused_until(nodes: Sequence[Node]) -> list[int]:
    """Return for each op the last op of its fused group: until then, its operands' memory must not be reused."""
    ends = list(range(len(nodes)))
    for index in range(len(nodes) - 1, 0, -1):
        if nodes[index].fused:
            ends[index - 1] = ends[index]
    return ends


def _dimensions(view: View, element: Element) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return lengths and byte strides as in the contract, innermost first; a length of 1 gets its dense stride."""
    missing = contract.MAX_DIMS - len(view.shape)
    ne = (*view.shape[::-1], *(1,) * missing)
    nb, step = [], element.nbytes
    for n, stride in zip(ne, (*view.strides[::-1], *(0,) * missing), strict=True):
        nb.append(step if n == 1 else stride)
        step = nb[-1] * n
    return (ne[0] * element.n, *ne[1:]), tuple(nb)
