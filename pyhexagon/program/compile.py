# SPDX-License-Identifier: MIT
"""From ops to what sessions run: placed, their intermediates laid out, and cut into pieces.

An op runs where its weight lies; of two such places, where the op before it runs. One whose weight is cut over several
sessions becomes one op for each part, which writes its columns of the result. An op without a weight runs where the op
before it runs, or else the first weight lies: so only weights make a program change the session, and copies of pages,
which run where their cache is. Ops that follow each other in one session are a piece: one request.

Intermediates lie in an arena, one for each session. What crosses from one session to another has an arena of its own,
mapped in all of them. It is the same memory, and nothing is copied: the session that wrote it writes its caches back,
and the one that reads it drops what it has cached, as if the host stood on the other side.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Generic, NamedTuple, TypeVar

from pyhexagon._ffi import contract
from pyhexagon.elements import ELEMENTS, Element
from pyhexagon.errors import ClosedError
from pyhexagon.memory.buffer import Buffer
from pyhexagon.program import lifetimes
from pyhexagon.program.graph import Kind, Node, Port, Storage, Value
from pyhexagon.program.lifetimes import Lifetime
from pyhexagon.program.views import View
from pyhexagon.tensor import Tensor

S = TypeVar("S", bound=Hashable)  # a session; compiling needs no more of it than its name

_SPLIT: Final = ("mul_mat", "mul_mat_id")  # whose results have a column for each row of the weight
CROSSING: Final = "crossing"  # from one session to another
_NO_STRIDES: Final = (0,) * contract.MAX_DIMS


Source = tuple[Value, Buffer | None, int, int]  # of a weight also a part of it: its buffer, the first row, and the end


class Operand(NamedTuple):
    """A tensor as the wire has it, but for its memory: a buffer, or which of those that a run brings."""

    storage: Storage
    memory: Buffer | int
    layout: int
    offset: int
    ne: tuple[int, ...]
    nb: tuple[int, ...]


@dataclass(frozen=True)
class Op(Generic[S]):
    """An op in the session that runs it."""

    number: int  # in the program
    node: Node
    session: S
    sources: tuple[Source | None, ...]
    result: Value  # of the node, or some of its columns


@dataclass(frozen=True)
class Piece(Generic[S]):
    """Consecutive ops of one session.

    Attributes:
        first, end: which ops of the plan.
        buffers: that its tensors lie in; a number stands for one that a run brings.
        tensors: with the index of their buffer, and flags; those of weights depend on what the session has seen.
        ops: their sources and results as indices of tensors.
    """

    session: S
    first: int
    end: int
    buffers: list[Buffer | int]
    tensors: list[tuple[Operand, int, int]]
    ops: list[tuple[Op[S], tuple[int, ...], int]]


class Plan(Generic[S]):
    """Where everything runs and lies.

    Args:
        one_by_one: each op is a piece of its own.

    Attributes:
        ops: in order.
        pieces: all of them in as few as there can be.
        arenas: bytes of each, by the session that it is for, or ``CROSSING``. Runs bring buffers in this order: inputs,
            outputs, arenas.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        default: S,
        *,
        one_by_one: bool = False,
    ) -> None:
        self._one_by_one = one_by_one
        self.ops: list[Op[S]] = []
        self._first: dict[Storage, int] = {}  # the node that makes it; others write into it
        default = _first_home(nodes, default)
        for index, node in enumerate(nodes):
            if node.result.size == 0:
                continue  # there is nothing to compute
            self._first.setdefault(node.result.storage, index)
            self.ops += _place(index, node, self.ops[-1].session if self.ops else default)
        self._writers: dict[Storage, set[S]] = {}
        self._readers: dict[Storage, set[S]] = {}
        for op in self.ops:
            self._writers.setdefault(op.result.storage, set()).add(op.session)
            for source in op.sources:
                if source is not None:
                    self._readers.setdefault(source[0].storage, set()).add(op.session)
        self._outputs = {port.storage for port in outputs}
        self._memory: dict[Storage, tuple[int, int]] = {}  # which of the run's buffers, and where in it
        for number, port in enumerate([*inputs, *outputs]):
            self._memory[port.storage] = number, 0
        self.arenas = self._lay_out(len(inputs) + len(outputs))
        self.pieces = self._cut()

    # --- Memory ---

    def _lay_out(self, first: int) -> dict[Hashable, int]:
        """Places the intermediates; the sizes of the arenas, the first of which has this number."""
        shared = self._shared()
        ends = _joined_until([op.node for op in self.ops])
        spans: dict[Storage, Lifetime] = {}
        for index, op in enumerate(self.ops):
            reads = (source[0].storage for source in op.sources if source is not None)
            for storage in (*reads, op.result.storage):
                if storage.kind is Kind.RESULT and storage not in self._outputs:
                    root = shared.get(storage, storage)
                    start = spans[root].first if root in spans else index
                    spans[root] = Lifetime(start, ends[index], root.nbytes)
        by_arena: dict[Hashable, list[Storage]] = {}
        for storage in spans:
            by_arena.setdefault(self._arena(storage), []).append(storage)
        sizes = {}
        for number, (user, storages) in enumerate(by_arena.items(), first):
            offsets, sizes[user] = lifetimes.pack([spans[storage] for storage in storages])
            self._memory.update((one, (number, offset)) for one, offset in zip(storages, offsets, strict=True))
        self._memory.update((storage, self._memory[root]) for storage, root in shared.items())
        return sizes

    def _arena(self, storage: Storage) -> Hashable:
        sessions = self._writers[storage] | self._readers.get(storage, set())
        return next(iter(sessions)) if len(sessions) == 1 else CROSSING

    def _shared(self) -> dict[Storage, Storage]:
        """Results that take the memory of an operand, which the op may write over and nobody reads afterwards."""
        last: dict[Storage, int] = {}  # the last op that reads it, or writes to it
        for index, op in enumerate(self.ops):
            last[op.result.storage] = index
            last.update((source[0].storage, index) for source in op.sources if source is not None)
        roots: dict[Storage, Storage] = {}
        for index, op in enumerate(self.ops):
            result = op.result.storage
            read = [source[0] for source in op.sources if source is not None]
            for at, source in enumerate(op.sources):
                is_written = op.result.storage.kind is not Kind.RESULT or op.number != self._first[result]
                if source is None or not op.node.row.in_place >> at & 1 or result in self._outputs or is_written:
                    continue
                storage = source[0].storage
                if (
                    storage.kind is Kind.RESULT
                    and storage not in self._outputs
                    and last[storage] == index
                    and sum(value.storage is storage for value in read) == 1
                    and source[0].view == op.result.view
                    and storage.nbytes == result.nbytes
                    and self._arena(storage) == self._arena(result)
                ):
                    roots[result] = roots.get(storage, storage)
                    break
        return roots

    # --- Pieces ---

    def _cut(self) -> list[Piece[S]]:
        """All ops in as few pieces as sessions and the contract's limits allow."""
        starts = [0] if self.ops else []
        buffers: set[Buffer | int] = set()
        n_tensors = 0  # at most
        for index, op in enumerate(self.ops):
            sources = [source for source in op.sources if source is not None]
            own = {self._lies_in(value.storage, part) for value, part, *_ in sources}
            own.add(self._lies_in(op.result.storage, None))
            is_full = (
                index - starts[-1] == (1 if self._one_by_one else contract.MAX_OPS)
                or n_tensors + 1 + len(sources) > contract.MAX_TENSORS
                or len(buffers | own) > contract.MAX_BUFFERS
            )
            if op.session != self.ops[starts[-1]].session or is_full:
                starts.append(index)
                buffers, n_tensors = set(), 0
            buffers |= own
            n_tensors += 1 + len(sources)
        return [self.piece(first, end) for first, end in pairwise([*starts, len(self.ops)])]

    def piece(self, first: int, end: int) -> Piece[S]:
        """Some ops, of one session, as a piece."""
        piece = Piece[S](self.ops[first].session, first, end, [], [], [])
        written = {op.result.storage for op in self.ops[first:end]}
        buffers: dict[Buffer | int, int] = {}
        tensors: dict[tuple[object, ...], int] = {}

        def index_of(operand: Operand) -> int:
            key = (operand.memory, *operand[2:])
            flags = self._flags(operand.storage, written, piece.session)
            if key not in tensors:
                tensors[key] = len(piece.tensors)
                buffer = buffers.setdefault(operand.memory, len(buffers))
                piece.tensors.append((operand, buffer, flags))
            else:  # another result may lie in the same place: what either of them wants is done
                first_one, buffer, others = piece.tensors[tensors[key]]
                piece.tensors[tensors[key]] = first_one, buffer, others | flags
            return tensors[key]

        for op in self.ops[first:end]:
            sources = tuple(
                contract.NONE if source is None else index_of(self._operand(*source)) for source in op.sources
            )
            piece.ops.append((op, sources, index_of(self._operand(op.result, None, 0, 0))))
        piece.buffers.extend(buffers)
        return piece

    def _flags(self, storage: Storage, written: Collection[Storage], session: S) -> int:
        """What the host does with a tensor, or another session, which is the same to this one."""
        if storage.kind is Kind.CONSTANT and _tensor_of(storage).is_staging:
            return contract.HOST_WRITES | contract.HOST_READS
        if storage.kind is Kind.CONSTANT:
            tensor = _tensor_of(storage)
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

    def _lies_in(self, storage: Storage, part: Buffer | None) -> Buffer | int:
        """The buffer of a storage, or of a part of it; a number stands for one that a run brings."""
        if part is not None:
            return part
        return _tensor_of(storage).buffer if storage.kind is Kind.CONSTANT else self._memory[storage][0]

    def _operand(self, value: Value, part: Buffer | None, first: int, end: int) -> Operand:
        storage, view, memory = value.storage, value.view, self._lies_in(value.storage, part)
        if part is not None:
            *matrices, _, k = storage.shape
            ne = (k, end - first, *matrices[::-1], 1, 1)[: contract.MAX_DIMS]
            return Operand(storage, memory, contract.LAYOUT_TILES, 0, ne, _NO_STRIDES)
        if value.is_cache:
            return Operand(storage, memory, contract.LAYOUT_CACHE, 0, (*storage.shape[::-1], 1), _NO_STRIDES)
        offset = 0 if storage.kind is Kind.CONSTANT else self._memory[storage][1]
        ne, nb = _dimensions(view, ELEMENTS[storage.gguf_type])
        return Operand(storage, memory, contract.LAYOUT_ROWS, offset + view.offset, ne, nb)


def _place(index: int, node: Node, before: S) -> list[Op[S]]:
    """The op, or one for each part of its weight.

    Args:
        before: the session of the op before it.
    """
    weight = next((value for value in node.sources if value is not None and value.is_weight), None)
    if weight is None:
        session = _of_cache(node, before) if node.row.name == "cache_copy" else before
        return [Op(index, node, session, tuple(_whole(value) for value in node.sources), node.result)]
    parts = _tensor_of(weight.storage).parts
    result = []
    for buffer, first, end in parts:
        if buffer.home is None:
            raise ClosedError(f"{weight!r} of this program was closed")
        home: S = before if buffer.also is before else buffer.home  # type: ignore[assignment]
        columns = node.result[..., first:end] if node.row.name in _SPLIT and len(parts) > 1 else node.result
        part = buffer, first, end
        sources = tuple((weight, *part) if value is weight else _whole(value) for value in node.sources)
        result.append(Op(index, node, home, sources, columns))
    return result


def _of_cache(node: Node, before: S) -> S:
    """The session that has a cache mapped already, which need not be mapped in another one to be copied."""
    for value in (node.result, *node.sources):
        if value is not None and value.is_cache and not _tensor_of(value.storage).is_staging:
            mapped: set[S] = _tensor_of(value.storage).buffer.mapped  # type: ignore[assignment]
            return before if before in mapped else next(iter(mapped), before)
    return before


def _first_home(nodes: Sequence[Node], default: S) -> S:
    values = (value for node in nodes for value in node.sources if value is not None and value.is_weight)
    first = next(values, None)
    home: S | None = None if first is None else _tensor_of(first.storage).parts[0].buffer.home  # type: ignore[assignment]
    return default if home is None else home


def _whole(value: Value | None) -> Source | None:
    return None if value is None else (value, None, 0, 0)


def _tensor_of(storage: Storage) -> Tensor:
    tensor = storage.tensor
    if tensor is None or tensor.closed:
        raise ClosedError(f"a tensor {storage.shape} of this program was closed")
    return tensor


def _joined_until(nodes: Sequence[Node]) -> list[int]:
    """For each op, the last one that may run together with it: until then, nothing takes the place of what it uses."""
    ends = list(range(len(nodes)))
    for index in range(len(nodes) - 1, 0, -1):
        if nodes[index].joined:
            ends[index - 1] = ends[index]
    return ends


def _dimensions(view: View, element: Element) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Lengths and strides as the contract has them, innermost first. Strides of a length 1 are as if dense."""
    missing = contract.MAX_DIMS - len(view.shape)
    ne = (*view.shape[::-1], *(1,) * missing)
    nb, step = [], element.nbytes
    for n, stride in zip(ne, (*view.strides[::-1], *(0,) * missing), strict=True):
        nb.append(step if n == 1 else stride)
        step = nb[-1] * n
    return (ne[0] * element.n, *ne[1:]), tuple(nb)
