# SPDX-License-Identifier: MIT
"""The entries of elementwise ops. pytest, the self test, and ``pyhexagon ops`` read them.

A new op of the kind UNARY or BINARY needs an entry in OPS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi import contract

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


def _scale(x: F64, scale: float, bias: float) -> F64:
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
