# SPDX-License-Identifier: MIT
"""``pyhexagon ops --test``: compare the cases of all ops with their float64 results."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from gguf import GGMLQuantizationType as Q

from pyhexagon.bench import blocks
from pyhexagon.bench.accuracy import nmse
from pyhexagon.device import Device
from pyhexagon.errors import DspMemoryError, HexagonError
from pyhexagon.op_cases import reference
from pyhexagon.op_cases.case import Array, Case
from pyhexagon.op_cases.case_builder import LARGE_ROWS, CaseBuilder
from pyhexagon.op_cases.entries import all_cases
from pyhexagon.op_cases.reference import Rows
from pyhexagon.quants import TILE_ROWS


class Float64Builder(CaseBuilder):
    """Draws the operands of CaseBuilder as arrays, and computes in float64 instead of adding ops to a program."""

    def __init__(self, name: str) -> None:
        self.p: Any = reference
        self.inputs, self.seeded, self._name = [], [], name

    def array(self, array: Array) -> Any:
        self._keep(array)
        return array

    def typed(self, array: Array, dtype: str, shape: tuple[int, ...]) -> Any:
        self._keep(array)
        return array if Q[dtype] in (Q.F32, Q.F16) else Rows(Q[dtype], shape, array)

    def packed(self, raw: Array, dtype: str, shape: tuple[int, ...]) -> Any:
        self.seeded.append(raw)
        return blocks.dequantize(raw, Q[dtype]).reshape(shape)

    def large_product(self, x: Array, dtype: str, n: int, k: int) -> Any:
        different = blocks.dequantize(self._repeated(dtype, k), Q[dtype])
        return np.take(reference.matmul(x, different), np.arange(n) % LARGE_ROWS, -1)

    def pages(self, kind: str, n_pages: int, n_heads: int, head_size: int) -> Any:
        return None


class Verdict(NamedTuple):
    """The outcome of a case: its error, and the problem, or an empty string.

    Attributes:
        lacks_memory: why a large case did not run: the device has no room for its weight.
    """

    case: Case
    limit: float
    nmse: float | None
    seconds: float
    problem: str
    lacks_memory: str = ""


def title(case: Case) -> str:
    """Return a case's name as users see and filter it: MUL_MAT(Q4_K, weight 16x256, x 1x256)."""
    return f"{case.op.upper()}({case.type or 'F32'}, {case.name})"


def chosen(pattern: str) -> list[Case]:
    """Return the cases with a limit on their error whose titles match a regular expression."""
    return [case for case in all_cases() if case.limit is not None and re.search(pattern, title(case), re.IGNORECASE)]


def run(device: Device, cases: Iterable[Case]) -> Iterator[Verdict]:
    """Run the cases until the device is lost."""
    for case in cases:
        start = time.perf_counter()
        try:
            got = _results(device, case)
        except HexagonError as error:
            verdict = Verdict(case, case.limit or 0.0, None, time.perf_counter() - start, str(error))
            is_too_large = case.is_large and isinstance(error, DspMemoryError)
            yield verdict._replace(problem="", lacks_memory=str(error)) if is_too_large else verdict
            if device.lost:
                return
            continue
        yield judge(case, got, exact(case), time.perf_counter() - start)


def _results(device: Device, case: Case) -> list[Array]:
    builder = CaseBuilder(device, str(case))
    try:
        builder.add(case.build)
        return [np.array(output) for output in builder.p.compile().run(*builder.inputs)]
    finally:
        builder.close()


def exact(case: Case) -> list[Array]:
    """Return the results of a case in float64."""
    results = case.build(Float64Builder(str(case)))
    results = [results] if isinstance(results, (np.ndarray, Rows)) else results
    return [np.asarray(result.raw if isinstance(result, Rows) else result) for result in results]


def judge(case: Case, got: Sequence[Array], want: Sequence[Array], seconds: float) -> Verdict:
    """Compare results with the float64 results."""
    limit, errors = case.limit or 0.0, []
    for result, other in zip(got, want, strict=True):
        if result.shape != other.shape:
            problem = f"a result has the shape {result.shape}, expected {other.shape}"
            return Verdict(case, limit, None, seconds, problem)
        with np.errstate(over="ignore"):
            narrow = other.astype(result.dtype)
        odd = ~(np.isfinite(narrow) & np.isfinite(result))
        if not np.array_equal(result[odd], narrow[odd], equal_nan=True):
            return Verdict(case, limit, None, seconds, "NaN or infinity at other places than in float64")
        if not other[~odd].any():
            errors.append(float(np.abs(result[~odd].astype(np.float64)).max(initial=0)))
        elif case.is_large:
            errors.append(_worst_tile(result, other))
        else:
            errors.append(nmse(result[~odd], other[~odd].astype(np.float64)))
    error = max(errors)
    problem = "" if error <= limit else f"NMSE {error:.2g}, the limit is {limit:.2g}"
    return Verdict(case, limit, error, seconds, problem)


def _worst_tile(got: Array, want: Array) -> float:
    """Return the mean squared error of the worst tile, relative to the mean square of the whole product (M, N).

    The error of the whole would hide a wrong row among thousands.
    """
    squares = (got.astype(np.float64) - want) ** 2
    tiles = squares.reshape(len(squares), -1, TILE_ROWS).mean((0, 2))
    return float(tiles.max() / np.mean(want**2))
