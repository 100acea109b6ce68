# SPDX-License-Identifier: MIT
"""The types that each op supports: runs a self-test case of each op with its first operand in each type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Final, NamedTuple

import numpy as np
from gguf import GGMLQuantizationType as Q

from pyhexagon import quants
from pyhexagon.cache import CacheTensor
from pyhexagon.device import Device
from pyhexagon.elements import ELEMENTS
from pyhexagon.errors import HexagonError
from pyhexagon.op_cases.case import Case
from pyhexagon.op_cases.case_builder import CaseBuilder
from pyhexagon.op_cases.entries import recorded_cases
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

TYPES: Final = tuple(dict.fromkeys([dtype.name for dtype in (*ELEMENTS, *quants.supported())]))
_VALUE: Final = re.compile(r"<Value \([^)]*\) (\w+)( weight)?>")
_WHOLE: Final = 256  # row length that is a multiple of every type's block


class Support(NamedTuple):
    """Whether an op supports a type, and the reason if not."""

    op: str
    type: str
    supported: bool
    reason: str


def try_types(device: Device, pattern: str = "") -> Iterator[Support]:
    """Run each op that matches a regular expression with each type on the device."""
    cases: dict[str, list[Case]] = {}
    for case in recorded_cases():
        cases.setdefault(case.op, []).append(case)
    for op, known in cases.items():
        if re.search(pattern, op, re.IGNORECASE):
            for dtype in TYPES:
                reason = _try(device, known, dtype)
                yield Support(op, dtype, not reason, reason)


def _try(device: Device, known: Sequence[Case], dtype: str) -> str:
    """Run an op with a type; return why it fails, or an empty string."""
    of_type = [case for case in known if case.type == dtype]
    builder = CaseBuilder(device, dtype) if of_type else _Retyped(device, dtype)
    try:
        builder.add(of_type[0].build if of_type else _OTHERS.get(known[0].op, known[0].build))
        builder.p.compile().run(*builder.inputs)
    except HexagonError as error:
        return _VALUE.sub(lambda match: f"a {match[1]} weight" if match[2] else match[1], str(error))
    finally:
        builder.close()
    return ""


class _Retyped(CaseBuilder):
    """Replaces the type of the first operand: rows if the type has them, else a weight."""

    def __init__(self, device: Device, dtype: str) -> None:
        super().__init__(device, dtype)
        self.dtype = dtype
        self._is_first = True
        self._k = 0  # its row length, which is replaced by _WHOLE in all operands

    def floats(self, *shape: int) -> Value:
        whole = self._whole(shape)
        return self._first(whole) if self._is_first else super().floats(*whole)

    def bits(self, *shape: int) -> Value:
        return self.floats(*shape)

    def rows(self, dtype: str, *shape: int) -> Value:
        whole = self._whole(shape)
        return self._first(whole) if self._is_first else super().rows(dtype, *whole)

    def weight(self, dtype: str, *shape: int, seed: int | None = None) -> Tensor:
        whole = self._whole(shape)
        type_name = self.dtype if self._is_first else dtype
        self._is_first = False
        if Q[type_name] not in quants.supported():
            self.device.pack(Q[type_name], np.zeros((prod(whole[:-1]), 1), np.uint8), whole)  # raises the reason
        return super().weight(type_name, *whole, seed=seed)

    def pages(self, kind: str, n_pages: int, n_heads: int, head_size: int) -> CacheTensor:
        return super().pages(self.dtype.lower(), n_pages, n_heads, head_size)

    def _whole(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        self._k = self._k or shape[-1]
        return tuple(_WHOLE if n == self._k else n for n in shape)

    def _first(self, shape: tuple[int, ...]) -> Value:
        self._is_first = False
        if Q[self.dtype] in ELEMENTS:
            return super().rows(self.dtype, *shape)
        return self.p.value(super().weight(self.dtype, *shape))


def _set_rows(g: CaseBuilder) -> Value:
    """Write into a tensor of the type: the table is the operand that has a type."""
    assert isinstance(g, _Retyped)
    table = g.device.empty((12, _WHOLE), dtype=g.dtype)
    return g.p.set_rows(table, g.p.input((20, _WHOLE)), g.ids(20, below=12))


def _mul_mat(g: CaseBuilder) -> Value:
    """Replace the type of the weight: it is the operand that has a type."""
    weight = g.weight("F32", 70, _WHOLE)
    return g.p.matmul(g.floats(3, _WHOLE), weight)


def _mul_mat_id(g: CaseBuilder) -> Value:
    """Replace the type of the weight: it is the operand that has a type."""
    weight = g.weight("F32", 5, 70, _WHOLE)
    return g.p.mul_mat_id(g.floats(3, 4, _WHOLE), weight, g.ids(3, 4, below=5))


_OTHERS: Final[dict[str, Callable[[CaseBuilder], Value]]] = {
    "set_rows": _set_rows,
    "mul_mat": _mul_mat,
    "mul_mat_id": _mul_mat_id,
}
