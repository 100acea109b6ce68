# SPDX-License-Identifier: MIT
"""Human-readable descriptions of ops."""

from __future__ import annotations

from pyhexagon._ffi import contract
from pyhexagon.elements import nbytes
from pyhexagon.process.session import Session
from pyhexagon.program.compile import Operand, Piece


def describe(piece: Piece[Session], index: int) -> dict[str, object]:
    """Return an op's operands and first result for a timeline, and the bytes of their rows; 0 for packed ones.

    "slot_bytes" are those of the state slots that its sequences read from a table, and write there. The last source of
    such an op has an id for each sequence.
    """
    found = [operand for operand in _operands(piece, index) if operand is not None]
    *operands, result = map(_shape, found)
    op, _, (_, *others) = piece.ops[index]
    tables = (piece.tensors[at][0] for at in others if op.node.table is not None)
    return {
        "operands": operands,
        "result": result,
        "row_bytes": [_row_bytes(operand) for operand in found],
        "slot_bytes": sum(_row_bytes(table) // table.ne[2] * found[-2].ne[0] for table in tables),
    }


def line(piece: Piece[Session], index: int, kernels: str) -> str:
    """Describe an op in one line: number, name, operands with byte strides, kernels, session."""
    op, *_ = piece.ops[index]
    *sources, result = ["-" if operand is None else _with_strides(operand) for operand in _operands(piece, index)]
    name, where = op.node.title, f"session {piece.session.index}"
    return f"{op.number} {name} {', '.join(sources)} -> {result} {kernels} {where}"


def _with_strides(operand: Operand) -> str:
    strides = "x".join(map(str, operand.nb[::-1])) if operand.layout == contract.LAYOUT_ROWS else "packed"
    return f"{_shape(operand)} ({strides})"


def _operands(piece: Piece[Session], index: int) -> list[Operand | None]:
    """Return the sources, None for an omitted one, and the first result."""
    _, sources, (result, *_) = piece.ops[index]
    return [None if at == contract.NONE else piece.tensors[at][0] for at in (*sources, result)]


def _row_bytes(operand: Operand) -> int:
    """Return the bytes of all rows."""
    if operand.layout != contract.LAYOUT_ROWS:
        return 0
    return nbytes(operand.storage.gguf_type, operand.ne[::-1])


def _shape(operand: Operand) -> str:
    return f"{operand.storage.gguf_type.name} {'x'.join(map(str, operand.ne[::-1]))}"
