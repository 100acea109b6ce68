# SPDX-License-Identifier: MIT
"""Calls of user kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from pyhexagon.arguments import Shape
from pyhexagon.errors import ArgumentError
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.kernels.kernel import Kernel


def call(
    p: Graph,
    kernel: Kernel,
    *sources: Value | Tensor,
    shape: Shape | Sequence[Shape] | None = None,
    dtype: npt.DTypeLike | Sequence[npt.DTypeLike] | None = None,
    **params: float,
) -> Any:
    """Call a kernel of yours, made by ``Device.kernel`` or ``Device.elementwise``.

    Args:
        sources: as many as the kernel has, in at most 4 dimensions, the last one contiguous: float32, float16, int8,
            uint8, int16, uint16 or int32.
        shape, dtype: of the result, or a sequence with those of several; by default those that the kernel declares, or
            else those of the first source.
        params: the kernel's parameters by name.

    Returns:
        The result, or a tuple of several.

    Accuracy: that of the kernel, with the same bits on CPU and DSP. No op of ggml's.
    """
    if kernel.home is not p.owner:
        raise ArgumentError(f"{kernel!r} is loaded into another device")
    values = [p.value(source, f"source {i} of {kernel!r}") for i, source in enumerate(sources)]
    for value in values:
        if value.is_weight or value.is_cache:
            raise ArgumentError(f"{kernel!r} of {value!r}: kernels take rows")
    prepared, results, words = kernel.prepare(p, values, shape, dtype, params)
    for value in prepared:
        tensor = value.storage.tensor
        if tensor is not None and tensor.buffer.size - tensor.nbytes < kernel.descriptor.slack:
            raise ArgumentError(
                f"{kernel!r} reads up to {kernel.descriptor.slack} bytes behind {tensor!r}, which fills its memory",
                hint="pass it as an input of the program",
            )
    kernel.try_out(values, results, params)
    made = [kernel.shaped(value, values) for value in p.op_call(kernel, prepared, results, words)]
    return made[0] if len(made) == 1 else tuple(made)
