# SPDX-License-Identifier: MIT
"""What users hand in: checked, and brought into the form that the rest of the package takes."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from math import prod
from typing import Any, Final, SupportsIndex, TypeGuard

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import extras, quants
from pyhexagon._ffi.contract import MAX_DIMS
from pyhexagon.errors import ArgumentError

F32: Final = np.dtype(np.float32)
I32: Final = np.dtype(np.int32)
Shape = SupportsIndex | Sequence[SupportsIndex]


def described(value: object) -> str:
    """A value in the words of an error message."""
    if isinstance(value, np.ndarray):
        return f"an array {value.shape} of {value.dtype}"
    if _is_torch(value):
        return f"a tensor of PyTorch's {tuple(value.shape)} of {value.dtype}"
    return "None" if value is None else f"{value!r} ({type(value).__name__})"[:200]


def whole_number(name: str, value: object, least: int, most: int, meaning: str) -> None:
    """Raises unless the value is a whole number within bounds; ``meaning`` is the least one in words."""
    if not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ArgumentError(f"{name} is {value!r}: expected a whole number, {meaning} to {most}")


def checked_shape(value: Shape) -> tuple[int, ...]:
    """A shape as NumPy takes it, one number or several."""
    try:
        shape = _lengths(value)
    except TypeError:
        raise ArgumentError(f"a shape of {described(value)}: expected whole numbers, such as (4, 512)") from None
    if min(shape, default=0) < 0:
        raise ArgumentError(f"a tensor of the shape {shape}: no length can be negative")
    return shape


def _lengths(value: Any) -> tuple[int, ...]:
    try:
        return (operator.index(value),)
    except TypeError:
        return tuple(map(operator.index, value))


def row_dtype(value: npt.DTypeLike) -> np.dtype[Any]:
    """The dtype of activations, results or ids."""
    try:
        dtype = None if value is None else np.dtype(value)
    except TypeError:
        dtype = None
    if dtype not in (F32, I32):
        what = dtype or described(value)
        raise ArgumentError(f"a tensor of dtype {what}: expected numpy.float32, or numpy.int32 for ids of experts")
    return dtype


def numbers(value: object, what: str, expected: str = "float32") -> npt.NDArray[Any]:
    """Any array-like of real numbers as an array."""
    try:
        array = _of_torch(value) if _is_torch(value) else np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:  # a ragged list, a tensor of PyTorch's on a GPU
        raise ArgumentError(f"{what}: {error}", hint="make them an array of float32 first") from None
    if value is None or array.dtype.kind in "OSUMmc":
        raise ArgumentError(f"{what} are {described(value)}: expected {expected}, as an array or a tensor")
    return array


def _is_torch(value: object) -> TypeGuard[Any]:
    """Whether it is a tensor of PyTorch's, which need not be installed."""
    return type(getattr(value, "dtype", None)).__module__ == "torch"


def _of_torch(value: Any) -> npt.NDArray[Any]:
    """A tensor of PyTorch's as an array over the same memory: a parameter too, and of bfloat16, which NumPy has from
    ml_dtypes."""
    value = value.detach()
    if str(value.dtype) != "torch.bfloat16":
        return np.asarray(value)
    with extras.needed("tensors of bfloat16", "safetensors"):
        from ml_dtypes import bfloat16
    return np.asarray(value.view(sys.modules["torch"].int16)).view(bfloat16)


def float32_array(x: object, what: str = "activations") -> npt.NDArray[np.float32]:
    """The argument as an array of float32; anything else is refused, as a conversion could lose bits."""
    array = numbers(x, what)
    if array.dtype != F32:
        raise ArgumentError(
            f"{what} of dtype {array.dtype}: expected float32",
            hint='device.tensor(x, dtype="float32") converts them, or x.astype("float32")',
        )
    return array


def array_of(value: object, dtype: np.dtype[Any], what: str) -> npt.NDArray[Any]:
    """The argument as an array of this dtype; anything else is refused, as a conversion could lose bits."""
    if dtype == F32:
        return float32_array(value, what)
    array = numbers(value, what, str(dtype))
    if array.dtype != dtype:
        raise ArgumentError(f"{what} of dtype {array.dtype}: expected {dtype}", hint=f'x.astype("{dtype}") converts it')
    return array


def row_array(value: object, dtype: npt.DTypeLike | None) -> npt.NDArray[Any]:
    """What a tensor is made of: float32, or int32 for ids; converted only if a dtype is given.

    float32 may lose bits, int32 must not.
    """
    array = numbers(value, "the elements of a tensor")
    if dtype is None:
        if array.dtype.kind in "iu" and array.dtype != I32:
            raise ArgumentError(
                f"a tensor of dtype {array.dtype}: expected float32, or int32 for ids of experts",
                hint='device.tensor(x, dtype="int32") converts ids, dtype="float32" activations',
            )
        return array if array.dtype == I32 else float32_array(array, "a tensor")
    wanted = row_dtype(dtype)
    converted: npt.NDArray[Any] = array.astype(wanted, copy=False)
    if wanted == I32 and not np.array_equal(converted, array):
        raise ArgumentError(f"{described(value)} does not fit into int32", hint="ids are whole numbers")
    return converted


def weight_type(value: GGMLQuantizationType | str) -> GGMLQuantizationType:
    """A GGUF type, or its name as GGUF spells it, that the DSP takes as a weight's."""
    if isinstance(value, GGMLQuantizationType):
        return value
    known = {dtype.name: dtype for dtype in quants.supported()}
    if not isinstance(value, str) or value.upper() not in known:
        raise ArgumentError(f"no type {described(value)}: the DSP takes {', '.join(known)}")
    return known[value.upper()]


def weight_shape(value: Shape) -> tuple[int, ...]:
    """The shape of a weight."""
    shape = checked_shape(value)
    if not 2 <= len(shape) <= MAX_DIMS or not prod(shape):
        raise ArgumentError(f"a weight has the shape (N, K), (A, N, K) or (B, A, N, K), none of them 0, not {shape}")
    return shape


def gguf_rows(
    dtype: GGMLQuantizationType, blocks: object, shape: Shape
) -> tuple[npt.NDArray[np.uint8], tuple[int, ...]]:
    """GGUF's bytes of a weight (..., N, K) as (rows, bytes of a row), and the shape."""
    shape = weight_shape(shape)
    quants.tile_bytes(dtype, *shape[-2:])  # raises unless the DSP takes such rows
    info = quants.dtype_info(dtype)
    rows, row_bytes = prod(shape[:-1]), shape[-1] // info.block_size * info.block_bytes
    array = numbers(blocks, "GGUF's bytes", "uint8")
    if array.dtype != np.uint8 or array.size != rows * row_bytes:
        raise ArgumentError(
            f"{described(array)} for a {dtype.name} weight {shape}: expected uint8, "
            f"{rows} rows of {row_bytes} bytes, {rows * row_bytes} in all"
        )
    return array.reshape(rows, row_bytes), shape
