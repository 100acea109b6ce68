# SPDX-License-Identifier: MIT
"""A trial: an op on given operands, compared with its float64 result."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon import cache
from pyhexagon.bench import blocks
from pyhexagon.bench.accuracy import nmse
from pyhexagon.device import Device
from pyhexagon.errors import HexagonError
from pyhexagon.op_cases import reference
from pyhexagon.op_cases.reference import Array, Rows
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

F64 = npt.NDArray[np.float64]


class Weight(NamedTuple):
    """GGUF bytes of matrices (..., N, K), uploaded as a weight."""

    dtype: Q
    shape: tuple[int, ...]
    raw: npt.NDArray[np.uint8]

    @staticmethod
    def random(dtype: Q, *shape: int, seed: int = 0) -> Weight:
        """Return a weight with random codes and ordinary scales."""
        n = int(np.prod(shape[:-1]))
        return Weight(dtype, shape, blocks.random_blocks(dtype, n, shape[-1], seed))

    def exact(self) -> F64:
        """Return the dequantised numbers."""
        return blocks.dequantize(self.raw, self.dtype).reshape(self.shape)


class Pages(NamedTuple):
    """An empty KV cache."""

    kind: str
    n_pages: int
    n_heads: int
    head_size: int


Operand = Array | Weight | Rows | Pages


class Trial(NamedTuple):
    """An op with operands, and the error limit.

    Attributes:
        op: a name of idl/ops.h.
        type: of the weight, the rows or the cache.
        shape: the shape in the trial's name.
        operands: arrays and rows become inputs of the program; weights and caches are uploaded before.
        build: adds the op to a program, from the operands as values and tensors; with pyhexagon.op_cases.reference in
            place of the program, it returns the result in float64 from the operands as arrays.
        limit: on the normalised mean squared error; 0 requires identical numbers.
    """

    op: str
    type: str
    shape: str
    operands: tuple[Operand, ...]
    build: Callable[..., Any]
    limit: float

    def __str__(self) -> str:
        return f"{self.op.upper()}({self.type}, {self.shape})"


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
    on_device: list[Tensor] = []
    try:
        p = device.program()
        operands = [_operand(device, p, x, on_device) for x in trial.operands]
        p.output(trial.build(p, *operands))
        arrays = (x.raw if isinstance(x, Rows) else x for x in trial.operands)
        return np.array(p.compile()(*(x for x in arrays if isinstance(x, np.ndarray))))
    finally:
        for tensor in on_device:
            tensor.close()


def _wanted(trial: Trial) -> Array:
    want = trial.build(reference, *(x.exact() if isinstance(x, Weight) else x for x in trial.operands))
    return np.asarray(want.raw if isinstance(want, Rows) else want)


def _operand(device: Device, p: Builder, x: Operand, made: list[Tensor]) -> Value | Tensor:
    if isinstance(x, np.ndarray):
        return p.input(x.shape, x.dtype)
    if isinstance(x, Rows):
        return p.input(x.shape, x.dtype.name)
    if isinstance(x, Weight):
        made.append(device.pack(x.dtype, x.raw, x.shape))
    else:
        made.append(cache.new_pages(device, x.n_pages, x.n_heads, x.head_size, kind=x.kind))
    return made[-1]


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
