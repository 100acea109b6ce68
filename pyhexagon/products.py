# SPDX-License-Identifier: MIT
"""The matmuls of a device: ``Device.matmul``, ``weight_matmul`` and ``mul_mat_id``.

Each runs a program of one op, which the first matmul of a shape compiles and the weight keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pyhexagon.arguments import F32, I32, float32_array
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.mul_mat_id import checked_ids
from pyhexagon.program.graph import Value
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor, weight_operand

if TYPE_CHECKING:
    from pyhexagon.device import Device

_MAX_PROGRAMS: Final = 16  # kept for one weight


def matmul(
    device: Device, x: npt.ArrayLike | Tensor, w: Tensor, *, out: Tensor | None = None, timeout: float | None = None
) -> Tensor:
    """``x @ w.T`` on the DSP.

    A weight (A, N, K) or (B, A, N, K) is many matrices, and x (..., b, a, M, K) is matched with them as ggml's
    mul_mat does: a must be a multiple of A and b one of B (a missing dimension counts as 1), and matrix [i, j] of x
    meets matrix [i // (b / B), j // (a / A)] of w. Where the dimensions are equal, or the weight's is 1, NumPy's
    matmul does the same. Where x has more, a / A of its matrices in a row share one of w, as query heads share a
    key head; NumPy refuses that. A dimension of 1 in x is not stretched to the weight's, as NumPy would do.

    Args:
        x: (..., K) float32; an array is copied, a tensor is not. Rows with NaN or infinity give rows of NaN.
        w: (N, K), (A, N, K) or (B, A, N, K), from ``weight`` or ``load``.
        out: a float32 tensor (..., N) of this device, other than x, for the result; by default a new one. Its content
            is undefined if the DSP fails.
        timeout: in seconds; by default the device's.

    Returns:
        (..., N) float32; ``out`` if it was given.

    Accuracy: docs/arithmetic.md; the same bits on every device.

    Raises:
        ArgumentError: shapes or dtypes do not fit; the message gives both.
        DspTimeoutError: no answer in time; the device needs ``reopen``.
        DeviceLostError: the DSP process died; the device needs ``reopen``.
    """
    if type(x) is not np.ndarray or x.dtype != F32:
        x = _activations(x)
    programs = w.programs if type(w) is Tensor and w.parts else weight_operand(w).programs
    program: Program | None = programs.get((device, x.shape))
    if program is None:
        program = _keep(device, w, (device, x.shape), lambda p: p.matmul(p.input(x.shape), w))
    return program(x, out=out, timeout=timeout)


def weight_matmul(device: Device, w: Tensor, x: npt.ArrayLike | Tensor, *, timeout: float | None = None) -> Tensor:
    """``w @ x`` on the DSP: x (K,) gives (N,), x (K, M) gives (N, M). Otherwise as ``matmul``."""
    if weight_operand(w).ndim != 2:
        raise ArgumentError(f"w @ x with w {w.shape}: expected one matrix (N, K)", hint="use device.matmul(x, w)")
    x, k = _activations(x), w.shape[1]
    if x.ndim not in (1, 2) or x.shape[0] != k:
        raise ArgumentError(f"w @ x with w {w.shape} and x {x.shape}: expected x ({k},) or ({k}, M)")
    key = device, "weight_matmul", x.shape
    program: Program | None = w.programs.get(key)
    if program is None:
        program = _keep(device, w, key, lambda p: p.matmul(p.input(x.shape, order="F").T, w).T)
    return program(x, timeout=timeout)


def mul_mat_id(
    device: Device,
    x: npt.ArrayLike | Tensor,
    experts: Tensor,
    ids: npt.ArrayLike | Tensor,
    *,
    timeout: float | None = None,
) -> Tensor:
    """Multiply each token's activations with its selected experts, on the DSP (mixture of experts).

    ``y[..., u, :] = x[..., u, :] @ experts[ids[..., u]].T``, as ggml's mul_mat_id.

    Args:
        x: float32: (..., K) or (..., 1, K), shared by all experts of a token, or (..., U, K).
        experts: a weight (E, N, K) of at most 4096 experts, from ``weight`` or ``load``.
        ids: (..., U) integers of 0 to E - 1. An array may have any integer dtype and is checked here; a tensor has
            int32 (``tensor(array)``), and the DSP checks its content.
        timeout: in seconds; by default the device's.

    Returns:
        (..., U, N) float32.

    Raises:
        ArgumentError: shapes or dtypes do not fit, or an id is out of range.
        ProgramError: an id in a tensor is out of range.
        DspTimeoutError, DeviceLostError: as ``matmul``.
    """
    if weight_operand(experts).ndim != 3:
        raise ArgumentError(f"experts {experts.shape}: expected a weight (E, N, K)")
    x = _activations(x)
    if not isinstance(ids, Tensor):
        ids = checked_ids(ids, experts.shape[0])
    elif ids.is_weight or ids.dtype != I32:
        raise ArgumentError(f"{ids!r}: ids of experts are arrays or tensors of int32")
    key = device, "mul_mat_id", x.shape, ids.shape
    program: Program | None = experts.programs.get(key)
    if program is None:
        program = _keep(
            device, experts, key, lambda p: p.mul_mat_id(p.input(x.shape), experts, p.input(ids.shape, np.int32))
        )
    return program(x, ids, timeout=timeout)


def _keep(device: Device, w: Tensor, key: object, build: Callable[[Builder], Value]) -> Program:
    """Compile the program of a matmul; it lives as long as its weight."""
    builder = Builder(device, device._runner)
    builder.output(build(builder))
    program = Program(builder, device._runner, keep=False)
    if len(w.programs) >= _MAX_PROGRAMS:
        w.programs.clear()
    w.programs[key] = program
    return program


def _activations(x: object) -> npt.NDArray[np.float32] | Tensor:
    """Return the activations as a float32 array or tensor."""
    if not isinstance(x, Tensor):
        return float32_array(x)
    if x.is_weight:
        raise ArgumentError(f"{x!r} is a weight; activations are arrays or tensors of float32")
    if x.dtype != F32:
        raise ArgumentError(f"{x!r}: activations are arrays or tensors of float32")
    return x
