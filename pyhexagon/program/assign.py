# SPDX-License-Identifier: MIT
"""Assign the ops of a graph to sessions.

An op runs in the session that holds its weight; if two sessions hold it, in the one where the op before it runs. An op
whose weight is split over several sessions becomes one op per part, each of which writes its columns of the result. An
op without a weight runs where the op before it runs, or else in the session of the first weight. So only weights make a
program change the session, and page copies, which run where their cache is mapped.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pyhexagon.errors import ClosedError
from pyhexagon.memory.buffer import Buffer
from pyhexagon.program.graph import Node, Storage, Value
from pyhexagon.tensor import Tensor

S = TypeVar("S", bound=Hashable)  # a session; compiling only needs its identity

_SPLIT: Final = ("mul_mat", "mul_mat_id")  # their results have one column per weight row

Source = tuple[Value, Buffer | None, int, int]  # with a weight's part: buffer, first row, end row


@dataclass(frozen=True)
class Op(Generic[S]):
    """An op with the session that runs it."""

    number: int  # in the program
    node: Node
    session: S
    sources: tuple[Source | None, ...]
    result: Value  # the node's result, or some of its columns

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result, *self.node.results[1:])

    @property
    def storages(self) -> Iterator[Storage]:
        """What the op reads, then what it writes."""
        yield from (source[0].storage for source in self.sources if source is not None)
        yield from (value.storage for value in self.results)


def assign(nodes: Sequence[Node], default: S) -> list[Op[S]]:
    """Return the ops of all nodes that have something to compute, each with its session.

    Args:
        default: the session of a program without weights.

    Raises:
        ClosedError: a weight was closed.
    """
    ops: list[Op[S]] = []
    default = _first_home(nodes, default)
    for index, node in enumerate(nodes):
        if node.result.size:
            ops += _place(index, node, ops[-1].session if ops else default)
    return ops


def _place(index: int, node: Node, before: S) -> list[Op[S]]:
    """Return the op, or one op per part of its weight.

    Args:
        before: the session of the op before it.
    """
    weight = next((value for value in node.sources if value is not None and value.is_weight), None)
    if weight is None:
        session = _of_cache(node, before) if node.row.name == "cache_copy" else before
        return [Op(index, node, session, tuple(_whole(value) for value in node.sources), node.result)]
    parts = tensor_of(weight.storage).parts
    result = []
    for buffer, first, end in parts:
        if buffer.home is None:
            raise ClosedError(f"{weight!r} of this program was closed")
        home: S = before if buffer.second_home is before else buffer.home  # type: ignore[assignment]
        columns = node.result[..., first:end] if node.row.name in _SPLIT and len(parts) > 1 else node.result
        part = buffer, first, end
        sources = tuple((weight, *part) if value is weight else _whole(value) for value in node.sources)
        result.append(Op(index, node, home, sources, columns))
    return result


def _of_cache(node: Node, before: S) -> S:
    """Return a session that has the cache mapped, so that a copy need not map it elsewhere."""
    for value in (node.result, *node.sources):
        if value is not None and value.is_cache and not tensor_of(value.storage).is_staging:
            mapped: set[S] = tensor_of(value.storage).buffer.mapped  # type: ignore[assignment]
            return before if before in mapped else next(iter(mapped), before)
    return before


def _first_home(nodes: Sequence[Node], default: S) -> S:
    values = (value for node in nodes for value in node.sources if value is not None and value.is_weight)
    first = next(values, None)
    home: S | None = None if first is None else tensor_of(first.storage).parts[0].buffer.home  # type: ignore[assignment]
    return default if home is None else home


def _whole(value: Value | None) -> Source | None:
    return None if value is None else (value, None, 0, 0)


def tensor_of(storage: Storage) -> Tensor:
    """Return the tensor of a constant."""
    tensor = storage.tensor
    if tensor is None or tensor.closed:
        raise ClosedError(f"a tensor {storage.shape} of this program was closed")
    return tensor
