# SPDX-License-Identifier: MIT
"""Checks and conversions of arguments from users."""

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
    """Describe a value for an error message."""
    if isinstance(value, np.ndarray):
        return f"an array {value.shape} of {value.dtype}"
    if _is_torch(value):
        return f"a tensor of PyTorch's {tuple(value.shape)} of {value.dtype}"
    return "None" if value is None else f"{value!r} ({type(value).__name__})"[:200]


def whole_number(name: str, value: object, least: int, most: int, meaning: str) -> None:
    """Raise unless the value is an integer within bounds; ``meaning`` describes the least one."""
    if not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ArgumentError(f"{name} is {value!r}: expected a whole number, {meaning} to {most}")


def checked_shape(value: Shape) -> tuple[int, ...]:
    """Return a shape given as one integer or several, as NumPy takes it."""
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
    """Return the dtype of activations, results or ids: float32 or int32."""
    try:
        dtype = None if value is None else np.dtype(value)
    except TypeError:
        dtype = None
    if dtype not in (F32, I32):
        what = dtype or described(value)
        raise ArgumentError(f"a tensor of dtype {what}: expected numpy.float32, or numpy.int32 for ids of experts")
    return dtype


def numbers(value: object, what: str, expected: str = "float32") -> npt.NDArray[Any]:
    """Return an array-like of real numbers as an array."""
    try:
        array = _of_torch(value) if _is_torch(value) else np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:  # a ragged list, a tensor of PyTorch's on a GPU
        raise ArgumentError(f"{what}: {error}", hint="make them an array of float32 first") from None
    if value is None or array.dtype.kind in "OSUMmc":
        raise ArgumentError(f"{what} are {described(value)}: expected {expected}, as an array or a tensor")
    return array


def _is_torch(value: object) -> TypeGuard[Any]:
    """Whether it is a PyTorch tensor; PyTorch need not be installed."""
    return type(getattr(value, "dtype", None)).__module__ == "torch"


def _of_torch(value: Any) -> npt.NDArray[Any]:
    """Return a PyTorch tensor or parameter as an array over the same memory; bfloat16 needs ml_dtypes."""
    value = value.detach()
    if str(value.dtype) != "torch.bfloat16":
        return np.asarray(value)
    with extras.needed("tensors of bfloat16", "safetensors"):
        from ml_dtypes import bfloat16
    return np.asarray(value.view(sys.modules["torch"].int16)).view(bfloat16)


def float32_array(x: object, what: str = "activations") -> npt.NDArray[np.float32]:
    """Return the argument as a float32 array; refuse other dtypes, as a conversion could lose bits."""
    array = numbers(x, what)
    if array.dtype != F32:
        raise ArgumentError(
            f"{what} of dtype {array.dtype}: expected float32",
            hint=f'device.tensor(x, dtype="float32") converts them, or {_converting(x, "float32")}',
        )
    return array


def _converting(value: object, dtype: str) -> str:
    """Return the expression that converts a value: lists and numbers have no method for it."""
    return f'x.astype("{dtype}")' if hasattr(value, "astype") else f'np.asarray(x, "{dtype}")'


def array_of(value: object, dtype: np.dtype[Any], what: str) -> npt.NDArray[Any]:
    """Return the argument as an array of this dtype; refuse other dtypes, as a conversion could lose bits."""
    if dtype == F32:
        return float32_array(value, what)
    array = numbers(value, what, str(dtype))
    if array.dtype != dtype:
        hint = f"{_converting(value, str(dtype))} converts it"
        raise ArgumentError(f"{what} of dtype {array.dtype}: expected {dtype}", hint=hint)
    return array


def row_array(value: object, dtype: npt.DTypeLike | None) -> npt.NDArray[Any]:
    """Return the elements of a tensor as float32, or int32 for ids; convert them only if a dtype is given.

    A conversion to float32 may lose bits, one to int32 must not.
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
    """Return the GGUF type of a weight, given as a type or as its GGUF name."""
    if isinstance(value, GGMLQuantizationType):
        return value
    known = {dtype.name: dtype for dtype in quants.supported()}
    if not isinstance(value, str) or value.upper() not in known:
        raise ArgumentError(f"no type {described(value)}: the DSP takes {', '.join(known)}")
    return known[value.upper()]


def weight_shape(value: Shape) -> tuple[int, ...]:
    """Return the shape of a weight, (N, K), (A, N, K) or (B, A, N, K)."""
    shape = checked_shape(value)
    if not 2 <= len(shape) <= MAX_DIMS or not prod(shape):
        raise ArgumentError(f"a weight has the shape (N, K), (A, N, K) or (B, A, N, K), none of them 0, not {shape}")
    return shape


def gguf_rows(
    dtype: GGMLQuantizationType, blocks: object, shape: Shape
) -> tuple[npt.NDArray[np.uint8], tuple[int, ...]]:
    """Return the GGUF bytes of a weight (..., N, K) as an array (rows, bytes of a row), and the shape."""
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
