# SPDX-License-Identifier: MIT
"""Kernels from expressions: the C source around them, and broadcasting."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from pyhexagon.errors import ArgumentError
from pyhexagon.kernels.signature import Operand, kernel_type
from pyhexagon.program.graph import Value

C_TYPES: Final = {
    "float32": "float", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "uint16": "uint16_t",
    "int32": "int32_t", "uint32": "uint32_t",
}  # fmt: skip
_MOST_VARIANTS: Final = 3  # sources; more of them share one loop for broadcast rows
_LEAST_ROW, _MOST_ROW = 1024, 16384  # elements of a row that flattened arrays are cut into


class Declared(NamedTuple):
    """A name and its dtype."""

    dtype: str
    name: str


class ElementwiseCode:
    """A kernel of one expression.

    Args:
        arrays, results: declarations, as for ``Device.elementwise``.
        body: C statements.

    Attributes:
        sources, outputs, params: what they declare.
    """

    def __init__(self, arrays: str, results: str, body: str) -> None:
        self.declared = [arrays, results, body]
        first, _, explicit = arrays.partition(";")
        found = _parse(first)
        self.params = _parse(explicit) if explicit else []
        if not explicit:
            words = [arg for arg in found if arg.dtype in ("int32", "uint32", "float32")]
            if len(words) < len(found):
                self.params, found = words, [arg for arg in found if arg not in words]
        self.sources, self.outputs, self.body = found, _parse(results), body
        names = [arg.name for arg in (*self.sources, *self.outputs, *self.params)]
        if not self.sources or not self.outputs or len(set(names)) < len(names):
            raise ArgumentError(f"elementwise of {arrays!r} to {results!r}: expected distinct names")
        for arg in self.outputs:
            if not re.search(rf"\b{arg.name}\b", body):
                raise ArgumentError(f"elementwise of {body!r}: expected {arg.name} = ...")

    def dtype(self, i: int) -> np.dtype[Any] | None:
        """Return the dtype of a source; None if there are fewer."""
        return np.dtype(self.sources[i].dtype) if i < len(self.sources) else None

    def prepare(self, what: str, sources: Sequence[Value]) -> tuple[Sequence[Value], list[Operand]]:
        """Return the sources broadcast to one shape except along rows, and the shapes and types of the results."""
        for value, (dtype, name) in zip(sources, self.sources, strict=True):
            if value.dtype != np.dtype(dtype):
                raise ArgumentError(f"{what} with {name} of {value.dtype}: expected {dtype}")
        try:
            shape = np.broadcast_shapes(*(value.shape for value in sources))
        except ValueError:
            shapes = ", ".join(str(value.shape) for value in sources)
            raise ArgumentError(f"{what} of the shapes {shapes}: they cannot be broadcast to one") from None
        flat = flat_shape(shape) if all(_is_whole(value, shape) for value in sources) else None
        if flat is not None:
            sources = [value.reshape(flat) for value in sources]
        elif shape:
            sources = [_rows(value, shape) for value in sources]
        else:
            sources = [value.reshape(1) for value in sources]
        results = [(flat or shape or (1,), kernel_type(arg.dtype, what)) for arg in self.outputs]
        return sources, results

    def source(self, name: str) -> str:
        """Return the C source."""
        n = len(self.sources)
        every = list(product((1, 0), repeat=n)) if n <= _MOST_VARIANTS else [(1,) * n]
        functions = "".join(self._function(steps) for steps in every)
        general = "" if n <= _MOST_VARIANTS else self._function(None)
        params = "".join(f", PHX_PARAM({C_TYPES[arg.dtype]}, {i})" if arg.dtype in ("float32", "int32", "uint32")
                         else f", ({C_TYPES[arg.dtype]})PHX_PARAM(int32_t, {i})"
                         for i, arg in enumerate(self.params))  # fmt: skip
        rows = ", ".join(
            [*(f"PHX_ROW(void, call->src[{i}], row)" for i in range(n)),
             *(f"PHX_ROW(void, call->dst[{i}], row)" for i in range(len(self.outputs)))]
        )  # fmt: skip
        steps = " | ".join(f"(n > 1 && call->src[{i}].ne[0] == 1 ? {1 << i}u : 0u)" for i in range(n))
        cases = "".join(f"        case {_mask(arg)}u: {_name(arg)}({rows}{params}, n); break;\n" for arg in every)
        others = ", ".join(f"!(repeated & {1 << i}u)" for i in range(n))
        default = f"        default: elements_any({rows}{params}, n, {others}); break;\n" if general else ""
        head = f".n_src = {n}, .n_dst = {len(self.outputs)}, .n_params = {len(self.params)}"
        return (
            f"#include <pyhexagon_kernel.h>\n\n{self._element()}{functions}{general}"
            f"PHX_KERNEL({name}, {head}) {{\n"
            f"    int32_t n = (int32_t)call->dst[0].ne[0];\n"
            f"    uint32_t repeated = {steps};\n"
            f"    for (uint32_t row = call->first; row < call->end; row++) {{\n"
            f"        switch (repeated) {{\n{cases}{default}        }}\n    }}\n    return 0;\n}}\n"
        )

    def _function(self, steps: tuple[int, ...] | None) -> str:
        """Return the function of a row whose sources step by 1, or by 0 where they are broadcast; None: by arguments.

        It is a function of its own: ``restrict`` and a length in a register are what the compiler needs.
        """
        arguments = [f"const {C_TYPES[arg.dtype]} *restrict at_{arg.name}" for arg in self.sources]
        arguments += [f"{C_TYPES[arg.dtype]} *restrict to_{arg.name}" for arg in self.outputs]
        arguments += [f"{C_TYPES[arg.dtype]} {arg.name}" for arg in self.params]
        arguments.append("int32_t n")
        if steps is None:
            arguments += [f"int32_t step_{arg.name}" for arg in self.sources]
        loads, before = "", ""
        for i, arg in enumerate(self.sources):
            declared = f"{C_TYPES[arg.dtype]} {arg.name}"
            if steps is not None and not steps[i]:
                before += f"    {declared} = at_{arg.name}[0];\n"
            else:
                index = "i" if steps is not None else f"i * step_{arg.name}"
                loads += f"        {declared} = at_{arg.name}[{index}];\n"
        given = [arg.name for arg in (*self.sources, *self.params)] + [f"to_{arg.name} + i" for arg in self.outputs]
        return (
            f"static void {'elements_any' if steps is None else _name(steps)}({', '.join(arguments)}) {{\n{before}"
            f"    for (int32_t i = 0; i < n; i++) {{\n{loads}        element({', '.join(given)});\n    }}\n}}\n\n"
        )

    def _element(self) -> str:
        """Return the function of one element, which the others inline: so the compiler shows its mistakes once."""
        arguments = [f"{C_TYPES[arg.dtype]} {arg.name}" for arg in (*self.sources, *self.params)]
        arguments += [f"{C_TYPES[arg.dtype]} *to_{arg.name}" for arg in self.outputs]
        outputs = "".join(f"    {C_TYPES[arg.dtype]} {arg.name};\n" for arg in self.outputs)
        stores = "".join(f"    *to_{arg.name} = {arg.name};\n" for arg in self.outputs)
        return (
            f"static inline __attribute__((always_inline)) void element({', '.join(arguments)}) {{\n{outputs}"
            f'#line 1 "<expression>"\n    {self.body};\n#line 1 "<generated>"\n{stores}}}\n\n'
        )


def flat_shape(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return two dimensions of as many elements, in rows that threads can share; None to keep the shape."""
    n = prod(shape)
    if not n:
        return None
    for row in range(_MOST_ROW, _LEAST_ROW - 1, -1):
        if n % row == 0:
            return (n // row, row)
    return None if len(shape) <= 4 and shape[-1:] and shape[-1] >= 128 else (1, n)


def _parse(text: str) -> list[Declared]:
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        words = part.split()
        if len(words) != 2 or words[0] not in C_TYPES or not re.fullmatch(r"[A-Za-z_]\w*", words[1]):
            raise ArgumentError(f"{part!r}: expected a dtype ({', '.join(C_TYPES)}) and a name")
        found.append(Declared(*words))
    return found


def _is_whole(value: Value, shape: tuple[int, ...]) -> bool:
    return value.shape == shape and value.view.is_contiguous(value.storage.itemsize)


def _rows(value: Value, shape: tuple[int, ...]) -> Value:
    """Return a value broadcast along all dimensions but the last one."""
    last = value.shape[-1] if value.ndim else 1
    arg = value if value.ndim else value.reshape(1)
    return arg.broadcast_to((*shape[:-1], last))


def _mask(steps: tuple[int, ...]) -> int:
    return sum(1 << i for i, step in enumerate(steps) if not step)


def _name(steps: tuple[int, ...]) -> str:
    return "elements_" + "".join(map(str, steps))
