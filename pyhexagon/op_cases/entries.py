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
from pyhexagon.op_cases.case import Case, Cases


class Entry(NamedTuple):
    """An op's cases.

    Attributes:
        add: adds the cases: each type, each optional operand, each path of the kernels, and ggml's shapes.
        nmse: the limit on the normalised mean squared error, also for rows with outliers; 0 requires identical numbers.
    """

    add: Callable[[Cases], None]
    nmse: float = 0.0


OPS: Final[dict[str, Entry]] = {
    "mul_mat": Entry(products.mul_mat, products.NMSE),
    "mul_mat_id": Entry(products.mul_mat_id, products.NMSE),
    "add_id": Entry(copies.add_id, 1e-14),
    "rms_norm": Entry(rows.rms_norm, 1e-8),
    "norm": Entry(rows.norm, 1e-8),
    "l2_norm": Entry(rows.l2_norm, 1e-8),
    "hadamard": Entry(rows.hadamard, 1e-11),
    "sum_rows": Entry(rows.sums, 1e-13),
    "mean": Entry(rows.sums, 1e-13),
    "concat": Entry(copies.concat),
    "repeat": Entry(copies.repeat),
    "argmax": Entry(rows.argmax),
    "gated_delta_net": Entry(layers.gated_delta_net, 1e-11),
    "ssm_conv": Entry(layers.ssm_conv, 1e-14),
    "top_k": Entry(rows.top_k),
    "argsort": Entry(rows.argsort),
    "rope": Entry(layers.rope, 1e-14),
    "soft_max": Entry(layers.soft_max, 5e-9),
    "get_rows": Entry(copies.get_rows),
    "set_rows": Entry(copies.set_rows),
    "cpy": Entry(copies.cpy),
    "flash_attn_ext": Entry(attention.flash_attn_ext),
    "cache_append": Entry(attention.cache_append),
    "cache_copy": Entry(attention.cache_copy),
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
    cases = Cases(row.name, OPS[row.name].nmse)
    OPS[row.name].add(cases)
    return cases.found
