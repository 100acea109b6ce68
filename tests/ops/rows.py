# SPDX-License-Identifier: MIT
"""Run an op on every set of kernels that a skel has, and check that the bits are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ops.checks import kernels_of, recorded_as
from pyhexagon import Builder, Device, Value

F32 = npt.NDArray[np.float32]


def run(
    device: Device, build: Callable[..., Value], *inputs: npt.NDArray[Any], n_ops: int = 1, typed: bool = False
) -> npt.NDArray[Any]:
    """Return the result of an op, or of n_ops ops, built from the builder and the inputs as values.

    With `typed`, the build function makes its own inputs.
    """
    p: Builder = device.program()
    p.output(build(p, *((array if typed else p.input(array.shape, array.dtype)) for array in inputs)))
    program = p.compile()
    results: list[npt.NDArray[Any]] = []
    for kernels in kernels_of(device):
        device.kernels = kernels
        (y,), report = program.run_with_report(*inputs)
        assert [op.kernels for op in report.ops] == [recorded_as(device, kernels)] * n_ops
        results.append(y.numpy().copy())
    device.kernels = "hvx"
    for result in results[1:]:
        np.testing.assert_array_equal(result.view(np.uint8), results[0].view(np.uint8))
    return results[0]


def numbers(*shape: int, seed: int = 0) -> F32:
    """Return normal numbers of very different sizes."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape) * 2.0 ** rng.integers(-20, 20, shape)
    return values.astype(np.float32)
