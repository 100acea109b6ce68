# SPDX-License-Identifier: MIT
"""Checks of a run's arguments: inputs that need conversion, and the tensor for the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from pyhexagon.arguments import array_of, described
from pyhexagon.elements import host_shape
from pyhexagon.errors import ArgumentError
from pyhexagon.program.graph import Port
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.device import Device


def checked_input(owner: Device, what: str, port: Port, x: object) -> npt.NDArray[Any] | Tensor:
    """Return an input as an array, or as a tensor with the expected layout.

    Args:
        what: the input's name, for messages.

    Raises:
        ArgumentError: the type, shape or device does not match.
    """
    dtype = port.storage.dtype
    if isinstance(x, Tensor):
        if x.device is not owner:
            raise ArgumentError(f"{x!r} lies on another device")
        if x.is_weight or x.gguf_type != port.storage.gguf_type or x.shape != port.shape:
            raise ArgumentError(f"{what} is {x!r}: expected {port.shape} of {dtype}")
        has_room = not port.storage.slack or x.buffer.size - x.nbytes >= port.storage.slack
        return x if has_room and (x.order == port.order or x.ndim < 2) else x.numpy()
    array = array_of(x, dtype, what)
    shape = host_shape(port.storage.gguf_type, port.shape)
    if array.shape != shape:
        raise ArgumentError(f"{what} has the shape {array.shape}: expected {shape}")
    return array


def check_out(owner: Device, port: Port, out: object) -> None:
    """Raise ArgumentError unless the output can be written into ``out``."""
    good = isinstance(out, Tensor) and out.device is owner and out.shape == port.shape
    gguf_type = port.storage.gguf_type
    hint = f"device.empty({port.shape})"
    if not isinstance(out, Tensor) or not good or out.is_weight or out.gguf_type != gguf_type:
        what = repr(out) if isinstance(out, Tensor) else described(out)
        kind = "float32" if gguf_type.name == "F32" else gguf_type.name
        raise ArgumentError(f"out is {what}: expected a {kind} tensor {port.shape} on this device", hint=hint)
    if out.order != port.order and out.ndim > 1:
        raise ArgumentError(f"{out!r} has the other memory order", hint=hint)
