# SPDX-License-Identifier: MIT
"""Calls of user kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon.arguments import Shape
from pyhexagon.errors import ArgumentError
from pyhexagon.program.graph import Graph, UserKernel, Value
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.device import Device


class CallableKernel(UserKernel, Protocol):
    """What ``call`` needs of a kernel."""

    def prepare(
        self, p: Graph, sources: Sequence[Value], shape: Any, dtype: Any, params: dict[str, float]
    ) -> tuple[Sequence[Value], Sequence[tuple[tuple[int, ...], Type]], bytes]:
        """Return the sources as the kernel takes them, the shapes and types of the results, and the parameters."""

    def try_out(
        self, sources: Sequence[Value], results: Sequence[tuple[tuple[int, ...], Type]], params: dict[str, float]
    ) -> None:
        """Run the call once where a fault of the kernel does no harm."""

    def shaped(self, result: Value, sources: Sequence[Value]) -> Value:
        """Return a result in the shape that users expect."""

    @property
    def home(self) -> Device:
        """The device that it is loaded into."""


def call(
    p: Graph,
    kernel: CallableKernel,
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
        if tensor is not None and tensor.buffer.size - tensor.nbytes < kernel.slack:
            raise ArgumentError(
                f"{kernel!r} reads up to {kernel.slack} bytes behind {tensor!r}, which fills its memory",
                hint="pass it as an input of the program",
            )
    kernel.try_out(values, results, params)
    made = [kernel.shaped(value, values) for value in p.op_call(kernel, prepared, results, words)]
    return made[0] if len(made) == 1 else tuple(made)
