# SPDX-License-Identifier: MIT
"""A case: an op on given operands. The self test, ``pyhexagon ops --test`` and pytest run the same ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Build = Callable[[Any], Any]

MASKED: Final = -np.inf
# Shapes of measured cases.
ROWS: Final = 32
K: Final = 4096
VOCABULARY: Final = 128256


class Case(NamedTuple):
    """An op with operands.

    Attributes:
        op: a name of idl/ops.h.
        type: of the weight, the rows or the cache; empty if there is only one.
        name: distinguishes the case from others of its op and type; the operands' seed.
        build: draws the operands from a CaseBuilder, adds the op to its program, and returns the results.
        limit: on the normalised mean squared error against float64; 0 requires identical numbers; None: not compared.
        is_recorded: whether the self test runs the case; selftest.json has a hash of its result.
        is_measured: whether ``pyhexagon ops --perf`` counts its packets.
        is_large: whether its weight takes up to 1 GiB of the device's memory.
    """

    op: str
    type: str
    name: str
    build: Build
    limit: float | None = None
    is_recorded: bool = False
    is_measured: bool = False
    is_large: bool = False

    def __str__(self) -> str:
        return ", ".join(part for part in self[:3] if part)


class CaseList:
    """Collects the cases of an op.

    Attributes:
        found: the cases.
        nmse: the limit on the normalised mean squared error of cases that have none of their own.
    """

    def __init__(self, op: str, nmse: float) -> None:
        self.op, self.nmse = op, nmse
        self.found: list[Case] = []

    def record(self, name: str, build: Build, dtype: str = "", *, limit: float | None = None) -> None:
        """Add a case for the self test and for the comparison with float64."""
        self.found.append(Case(self.op, dtype, name, build, self.nmse if limit is None else limit, is_recorded=True))

    def record_bits(self, name: str, build: Build, dtype: str = "") -> None:
        """Add a case for the self test alone, because no limit holds for its operands (any bits, huge logits)."""
        self.found.append(Case(self.op, dtype, name, build, is_recorded=True))

    def compare(
        self, name: str, build: Build, dtype: str = "F32", *, limit: float | None = None, is_large: bool = False
    ) -> None:
        """Add a case for the comparison with float64."""
        limit = self.nmse if limit is None else limit
        self.found.append(Case(self.op, dtype, name, build, limit, is_large=is_large))

    def measure(self, name: str, build: Build, dtype: str = "F32") -> None:
        """Add a case to count packets of, with shapes of language models; its name begins with the result's shape."""
        self.found.append(Case(self.op, dtype, name, build, is_measured=True))


def normal(*shape: int, seed: int = 0) -> npt.NDArray[np.float32]:
    """Return standard normal numbers."""
    return np.random.default_rng([seed, *shape]).standard_normal(shape, dtype=np.float32)


def sizes(shape: tuple[int, ...], *more: str) -> str:
    """Return a name such as "3x4x64, a weight"."""
    return ", ".join(("x".join(map(str, shape)), *more))
