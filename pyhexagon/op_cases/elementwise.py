# SPDX-License-Identifier: MIT
"""The entries and cases of elementwise ops. pytest, the self test, and ``pyhexagon ops`` read them.

A new op of the kind UNARY or BINARY needs an entry in OPS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi import contract
from pyhexagon.op_cases.case import ROWS, Case, CaseList, K, normal, sizes

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

TINY: Final = np.finfo(np.float32).tiny
ULP: Final = 2.0**-23  # the largest distance of neighbours in float32, relative to their size


class Elementwise(NamedTuple):
    """An op with one set of parameters.

    Attributes:
        function: returns the result in float64, from float64 operands and the parameters as keywords.
        nmse: the limit on the normalised mean squared error for normal numbers; 0 requires identical numbers.
        worst: the limit on the relative error of each element.
        params: a value for each field of the op's parameter struct.
    """

    function: Callable[..., F64]
    nmse: float
    worst: float
    params: Mapping[str, float] = MappingProxyType({})

    def __str__(self) -> str:
        """Return the parameters, such as "scale 0.75, bias -2.5"."""
        return ", ".join(f"{name} {number:g}" for name, number in self.params.items())

    def exact(self, *sources: npt.NDArray[Any]) -> F64:
        """Return the result in float64; as in the op, parameters are float32."""
        params = {name: np.float64(np.float32(number)) for name, number in self.params.items()}
        with np.errstate(all="ignore"):
            return np.asarray(self.function(*(source.astype(np.float64) for source in sources), **params))


def flushed(x: npt.NDArray[Any]) -> F32:
    """Convert to float32 with denormals flushed to zeros of their sign."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        narrow = x.astype(np.float32)
    return np.where(np.abs(narrow) < TINY, np.copysign(np.float32(0), narrow), narrow).astype(np.float32)


def sigmoid(x: F64) -> F64:
    """Return 1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-x)))


def _silu(x: F64) -> F64:
    return x * sigmoid(x)


def _gelu(x: F64) -> F64:
    """Return GELU in ggml's tanh approximation, with all digits of its tail."""
    return x * sigmoid(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))


def _gated(gate: F64, up: F64) -> F64:
    """Return the product; a gate too small for float32 counts as 0 if up is infinite."""
    return np.where(np.isinf(up), flushed(gate), gate) * up


def _swiglu_oai(gate: F64, up: F64, alpha: float, limit: float) -> F64:
    x, y = np.minimum(gate, limit), np.clip(up, -limit, limit)
    return _gated(x * sigmoid(alpha * x), 1 + y)


def _scale(x: F64, scale: float, bias: float = 0.0) -> F64:
    """Return the sum; a bias of 0 leaves the sign of a zero."""
    return x * scale + bias if bias else x * scale


def _clamp(x: F64, min: float, max: float) -> F64:
    return np.clip(x, min, max)


# An op has an entry for each set of parameters. `ops --perf` and most cases of the self test take the first.
OPS: Final[dict[str, list[Elementwise]]] = {
    "neg": [Elementwise(np.negative, 0.0, 0.0)],
    "sqr": [Elementwise(np.square, 1e-14, 0.51 * ULP)],
    "sqrt": [Elementwise(np.sqrt, 1e-14, 0.55 * ULP)],
    "exp": [Elementwise(np.exp, 1e-14, 2e-7)],
    "sigmoid": [Elementwise(sigmoid, 1e-14, 2e-7)],
    "silu": [Elementwise(_silu, 5e-9, 1e-3)],
    "gelu": [Elementwise(_gelu, 5e-9, 1e-3)],
    "tanh": [Elementwise(np.tanh, 1e-14, 3e-7)],
    "softplus": [Elementwise(lambda x: np.logaddexp(0, x), 1e-14, 2e-7)],
    "scale": [
        Elementwise(_scale, 1e-14, np.inf, {"scale": 0.75, "bias": -2.5}),  # a sum may be near 0
        Elementwise(_scale, 1e-14, np.inf, {"scale": 1.7, "bias": -0.25}),
        Elementwise(_scale, 1e-14, 0.51 * ULP, {"scale": -0.37, "bias": 0.0}),
    ],
    "clamp": [
        Elementwise(_clamp, 0.0, 0.0, {"min": -1.5, "max": 2.0}),
        Elementwise(_clamp, 0.0, 0.0, {"min": -0.5, "max": 0.5}),
    ],
    "add": [Elementwise(np.add, 1e-14, 0.54 * ULP)],
    "sub": [Elementwise(np.subtract, 1e-14, 0.54 * ULP)],
    "mul": [Elementwise(np.multiply, 1e-14, 0.51 * ULP)],
    "div": [Elementwise(np.divide, 1e-14, 0.8 * ULP)],
    "swiglu": [Elementwise(lambda gate, up: _gated(_silu(gate), up), 5e-9, 1e-3)],
    "geglu": [Elementwise(lambda gate, up: _gated(_gelu(gate), up), 5e-9, 1e-3)],
    "swiglu_oai": [
        Elementwise(_swiglu_oai, 5e-9, np.inf, {"alpha": 1.702, "limit": 7.0}),  # 1 + up may be near 0
        Elementwise(_swiglu_oai, 5e-9, np.inf, {"alpha": 1.2, "limit": 2.0}),
    ],
}
GATED: Final = ("swiglu", "geglu", "swiglu_oai")  # also take one operand, whose rows hold the gate and up

# The shapes of ggml's test-backend-ops.
_SHAPES: Final = ((2, 2, 2, 128), (13, 11, 7, 5), (3, 5, 1, 7), (16, 10, 4, 260))
# The shape of the second operand, and how often each of its dimensions is repeated in the first.
_REPEATS: Final = (
    ((1, 8, 1, 1), (1, 1, 1, 1)), ((1, 1, 1, 1), (1, 1, 1, 32)), ((320, 32, 1, 1), (1, 1, 1, 1)),
    ((1, 1, 5, 10), (1, 1, 1, 1)), ((1, 4, 5, 10), (1, 1, 1, 1)), ((3, 4, 5, 10), (1, 1, 1, 1)),
    ((3, 4, 5, 10), (1, 1, 1, 2)), ((3, 4, 5, 1), (1, 1, 1, 2)), ((3, 4, 5, 10), (1, 1, 2, 1)),
    ((3, 4, 5, 10), (1, 2, 1, 1)), ((3, 4, 5, 10), (2, 1, 1, 1)), ((3, 4, 5, 10), (2, 2, 1, 1)),
    ((3, 4, 5, 10), (2, 2, 2, 1)), ((1, 1, 1, 16), (1, 1, 10, 1)), ((1, 1, 1, 1280), (1, 1, 1, 1)),
    ((1, 1, 1, 1280), (1, 16, 16, 1)), ((1, 16, 16, 1), (1, 1, 1, 33)), ((1, 1, 1, 4096), (1, 1, 7, 1)),
)  # fmt: skip


def entries(row: contract.OpRow) -> list[Elementwise]:
    """Return the entries of a UNARY or BINARY op.

    Raises:
        LookupError: the op has no entry, or one that lacks a parameter.
    """
    if row.name not in OPS:
        raise LookupError(f"OPS in pyhexagon/op_cases/elementwise.py lacks {row.name!r}: its function and error limits")
    for entry in OPS[row.name]:
        if {*entry.params} != {*row.fields}:
            raise LookupError(
                f"{row.name!r} in pyhexagon/op_cases/elementwise.py has values for {sorted(entry.params)}; "
                f"the fields of its parameter struct are {sorted(row.fields)}"
            )
    return OPS[row.name]


def cases_of(row: contract.OpRow) -> list[Case]:
    """Return the cases of a UNARY or BINARY op: recorded ones, and ggml's shapes with each set of parameters.

    Raises:
        LookupError: the op has no entry, or one that lacks a parameter.
    """
    n, (first, *others), cases = row.least, entries(row), CaseList(row.name, 0.0)

    def call(g: Any, *values: Any, entry: Elementwise = first) -> Any:
        return getattr(g.p, row.name)(*values, **entry.params)

    def record(name: str, *shapes: tuple[int, ...], part: Any = np.s_[...], entry: Elementwise = first) -> None:
        def build(g: Any) -> Any:
            *values, last = (g.floats(*shape) for shape in shapes)
            return call(g, *values, last[part], entry=entry)

        cases.record(name, build, limit=entry.nmse)

    record("5 rows of 130", *[(5, 130)] * n)
    cases.record_bits("1000 of any bits", lambda g: call(g, *(g.bits(1000) for _ in range(n))))
    if n == 1:
        record("a part of each row", (4, 3, 67), part=np.s_[:, 1:, 3:])
    else:
        record("a row for all", (4, 6, 140), (140,))
        record("one for each row", (4, 6, 140), (6, 1))
        record("one for all, first", (1,), (4, 6, 141), part=np.s_[..., 1:])
    for entry in others:
        record(f"5 rows of 130, {entry}", *[(5, 130)] * n, entry=entry)
    if row.name == "scale":
        cases.record("without a bias", lambda g: g.p.scale(g.floats(5, 130), scale=0.75), limit=first.nmse)
    if row.name == "swiglu_oai":
        endless = np.tile(np.array([np.inf, -np.inf, 1], np.float32), 50)
        name = "infinity, without a limit"
        cases.record_bits(name, lambda g: g.p.swiglu_oai(g.floats(150), g.array(endless), limit=np.inf))
    for entry in entries(row):
        _compare(cases, row, entry)
    cases.measure(f"{ROWS}x{K}", lambda g: call(g, *(g.floats(ROWS, K) for _ in range(n))))
    return cases.found


def _compare(cases: CaseList, row: contract.OpRow, entry: Elementwise) -> None:
    """Add ggml's shapes with one set of parameters."""

    def compare(words: str, *draws: Callable[[], F32], part: Any = np.s_[...]) -> None:
        def build(g: Any) -> Any:
            return getattr(g.p, row.name)(*(g.array(draw())[part] for draw in draws), **entry.params)

        cases.compare(f"{words}, {entry}" if entry.params else words, build, limit=entry.nmse)

    if row.kind == "UNARY":
        for shape in _SHAPES:
            draw = partial(_wide, 4, *shape)
            compare(sizes(shape), draw)
            compare(sizes(shape, "a part of each row"), draw, part=np.s_[..., 1:])
    elif row.name in GATED:
        for shape in _SHAPES:
            compare(sizes(shape, "two operands"), partial(_wide, 3, *shape), partial(normal, *shape, seed=1))
            both = (*shape[:-1], 2 * shape[-1])
            compare(sizes(both, "two halves"), partial(_wide, 3, *both))
    else:
        for shape, repeats in _REPEATS:
            whole = tuple(n * times for n, times in zip(shape, repeats, strict=True))
            times = tuple(n if m > 1 else 1 for n, m in zip(whole, repeats, strict=True))
            small = tuple(1 if m > 1 else n for n, m in zip(whole, repeats, strict=True))
            compare(sizes(whole, f"repeated {sizes(times)}"), partial(normal, *whole), partial(_away_from_0, *small))


def _wide(deviation: int, *shape: int) -> F32:
    return np.asarray(normal(*shape) * np.float32(deviation))


def _away_from_0(*shape: int) -> F32:
    """Return numbers of at least 0.5: a divisor near 0 would outweigh all others."""
    y = normal(*shape, seed=1)
    return np.asarray(y + np.copysign(np.float32(0.5), y))
