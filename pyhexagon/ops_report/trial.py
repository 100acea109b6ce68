# SPDX-License-Identifier: MIT
"""A trial: an op on given operands, compared with its float64 result."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from gguf import GGMLQuantizationType as Q

from pyhexagon.bench import blocks
from pyhexagon.bench.accuracy import nmse
from pyhexagon.device import Device
from pyhexagon.errors import HexagonError
from pyhexagon.op_cases import reference
from pyhexagon.op_cases.reference import Array, Rows
from pyhexagon.selftest.case_builder import CaseBuilder


class Trial(NamedTuple):
    """An op with operands, and the error limit.

    Attributes:
        op: a name of idl/ops.h.
        type: of the weight, the rows or the cache.
        shape: the shape in the trial's name.
        build: draws the operands, adds the op to the builder's program, and returns its result.
        limit: on the normalised mean squared error; 0 requires identical numbers.
    """

    op: str
    type: str
    shape: str
    build: Callable[[Any], Any]
    limit: float

    def __str__(self) -> str:
        return f"{self.op.upper()}({self.type}, {self.shape})"


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

    def pages(self, kind: str, n_pages: int, n_heads: int, head_size: int) -> Any:
        return None


class Verdict(NamedTuple):
    """The outcome of a trial: its error, and the problem, or an empty string."""

    trial: Trial
    nmse: float | None
    seconds: float
    problem: str


def chosen(trials: Iterable[Trial], pattern: str) -> list[Trial]:
    """Return the trials that match a regular expression."""
    return [trial for trial in trials if re.search(pattern, str(trial), re.IGNORECASE)]


def run(device: Device, trials: Iterable[Trial]) -> Iterator[Verdict]:
    """Run the trials until the device is lost."""
    for trial in trials:
        start = time.perf_counter()
        try:
            got = _result(device, trial)
        except HexagonError as error:
            yield Verdict(trial, None, time.perf_counter() - start, str(error))
            if device.lost:
                return
            continue
        yield judge(trial, got, _wanted(trial), time.perf_counter() - start)


def _result(device: Device, trial: Trial) -> Array:
    builder = CaseBuilder(device, str(trial))
    try:
        builder.p.output(trial.build(builder))
        return np.array(builder.p.compile()(*builder.inputs))
    finally:
        builder.close()


def _wanted(trial: Trial) -> Array:
    want = trial.build(Float64Builder(str(trial)))
    return np.asarray(want.raw if isinstance(want, Rows) else want)


def judge(trial: Trial, got: Array, want: Array, seconds: float) -> Verdict:
    """Compare a result with the float64 result."""
    if got.shape != want.shape:
        return Verdict(trial, None, seconds, f"the result has the shape {got.shape}, expected {want.shape}")
    odd = ~(np.isfinite(want.astype(np.float64)) & np.isfinite(got))
    if not np.array_equal(got[odd], want[odd], equal_nan=True):
        return Verdict(trial, None, seconds, "NaN or infinity at other places than in float64")
    if not want[~odd].any():
        error = float(np.abs(got[~odd].astype(np.float64)).max(initial=0))
    else:
        error = nmse(got[~odd], want[~odd].astype(np.float64))
    problem = "" if error <= trial.limit else f"NMSE {error:.2g}, the limit is {trial.limit:.2g}"
    return Verdict(trial, error, seconds, problem)
