# SPDX-License-Identifier: MIT
"""Operands with many magnitudes and special values, and programs whose results have the same bits everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ops.checks import kernels_of, recorded_as
from pyhexagon import Builder, Device, Value
from pyhexagon.op_cases.elementwise import TINY

F32 = npt.NDArray[np.float32]
Devices = tuple[Device, ...]
Build = Callable[..., Sequence[Value]]

SPECIALS = (np.nan, np.inf, -np.inf, 0.0, -0.0, TINY, -TINY, TINY / 4, -TINY / 4, 1.0, -1.0, 3.5, -20.0, 100.0, -100.0,
            np.finfo(np.float32).max, np.finfo(np.float32).min)  # fmt: skip
SIZES = (1, 2, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 160, 255, 263, 384, 997)


def results(devices: Devices, build: Build, *inputs: npt.NDArray[Any]) -> list[F32]:
    """Return all results of a program, after checking that every engine and set of kernels gives the same bits."""
    first: list[F32] = []
    for device in devices:
        p: Builder = device.program()
        p.output(*build(p, *(p.input(array.shape, array.dtype) for array in inputs)))
        program = p.compile()
        for kernels in kernels_of(device):
            device.kernels = kernels
            tensors, report = program.run_with_report(*inputs)
            assert {op.kernels for op in report.ops} == {recorded_as(device, kernels)}
            got = [tensor.numpy().copy() for tensor in tensors]
            for one, other in zip(first or got, got, strict=True):
                np.testing.assert_array_equal(one.view(np.uint32), other.view(np.uint32), f"{device}, {kernels}")
            first = first or got
        device.kernels = "hvx"
    return first


def numbers(*shape: int, seed: int = 0, spread: int = 12) -> F32:
    """Return normal numbers, half of them of very different sizes."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    sizes = np.where(rng.integers(0, 2, shape), 0, rng.integers(-spread, spread + 1, shape))
    return np.asarray(x * 2.0**sizes, np.float32)
