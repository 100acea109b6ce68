# SPDX-License-Identifier: MIT
"""The entry of every op: its cases and the limit on their errors.

The float64 function is in reference.py, under the op's name. An op of the kind UNARY or BINARY has its entry in
elementwise.py, with its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from pyhexagon._ffi import contract
from pyhexagon.op_cases import attention, copies, elementwise, layers, products, rows
from pyhexagon.op_cases.case import Case, CaseList


class OpEntry(NamedTuple):
    """An op's cases.

    Attributes:
        add: adds the cases: each type, each optional operand, each path of the kernels, and ggml's shapes.
        nmse: the limit on the normalised mean squared error, also for rows with outliers; 0 requires identical numbers.
    """

    add: Callable[[CaseList], None]
    nmse: float = 0.0


OPS: Final[dict[str, OpEntry]] = {
    "mul_mat": OpEntry(products.mul_mat, products.NMSE),
    "mul_mat_id": OpEntry(products.mul_mat_id, products.NMSE),
    "add_id": OpEntry(copies.add_id, 1e-14),
    "rms_norm": OpEntry(rows.rms_norm, 1e-8),
    "norm": OpEntry(rows.norm, 1e-8),
    "l2_norm": OpEntry(rows.l2_norm, 1e-8),
    "hadamard": OpEntry(rows.hadamard, 1e-11),
    "sum_rows": OpEntry(rows.sums, 1e-13),
    "mean": OpEntry(rows.sums, 1e-13),
    "concat": OpEntry(copies.concat),
    "repeat": OpEntry(copies.repeat),
    "argmax": OpEntry(rows.argmax),
    "gated_delta_net": OpEntry(layers.gated_delta_net, 1e-11),
    "ssm_conv": OpEntry(layers.ssm_conv, 1e-14),
    "top_k": OpEntry(rows.top_k),
    "argsort": OpEntry(rows.argsort),
    "rope": OpEntry(layers.rope, 1e-14),
    "soft_max": OpEntry(layers.soft_max, 5e-9),
    "get_rows": OpEntry(copies.get_rows),
    "set_rows": OpEntry(copies.set_rows),
    "cpy": OpEntry(copies.cpy),
    "flash_attn_ext": OpEntry(attention.flash_attn_ext),
    "cache_append": OpEntry(attention.cache_append),
    "cache_copy": OpEntry(attention.cache_copy),
}


def all_cases() -> Iterator[Case]:
    """Yield the cases of all ops of idl/ops.h, in its order.

    Raises:
        LookupError: an op has no entry.
    """
    for row in contract.OPS.values():
        yield from cases_of(row)


def recorded_cases() -> Iterator[Case]:
    """Yield the cases of the self test."""
    return (case for case in all_cases() if case.is_recorded)


def cases_of(row: contract.OpRow) -> list[Case]:
    """Return the cases of an op.

    Raises:
        LookupError: the op has no entry.
    """
    if row.kind in ("UNARY", "BINARY"):
        return elementwise.cases_of(row)
    if row.name not in OPS:
        raise LookupError(f"OPS in pyhexagon/op_cases/entries.py lacks {row.name!r}: its cases and error limit")
    cases = CaseList(row.name, OPS[row.name].nmse)
    OPS[row.name].add(cases)
    return cases.found
