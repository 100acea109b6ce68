# SPDX-License-Identifier: MIT
"""The element types of rows, and their representation on the host.

Types without a NumPy dtype are represented by GGUF's bytes: uint8, whose last dimension has the bytes of a row.
"""

from __future__ import annotations

from enum import IntEnum
from math import prod
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon.errors import ArgumentError


class Element(NamedTuple):
    """The unit of storage: one element, or a block of a quantised type.

    Attributes:
        n: the number of elements in it.
        nbytes: its size in bytes.
        dtype: of arrays on the host.
    """

    n: int
    nbytes: int
    dtype: np.dtype[Any]


_BYTES: Final = np.dtype(np.uint8)
ELEMENTS: Final = {
    Type.F32: Element(1, 4, np.dtype(np.float32)),
    Type.F16: Element(1, 2, np.dtype(np.float16)),
    Type.I32: Element(1, 4, np.dtype(np.int32)),
    Type.BF16: Element(1, 2, _BYTES),
    Type.Q8_0: Element(32, 34, _BYTES),
    Type.Q4_0: Element(32, 18, _BYTES),
}


class _Unsigned(IntEnum):
    """Integers that GGUF has no type for."""

    U8 = 128
    U16 = 129


U8: Final = cast(Type, _Unsigned.U8)
U16: Final = cast(Type, _Unsigned.U16)
# Only user kernels take these.
KERNEL_ELEMENTS: Final = {
    Type.I8: Element(1, 1, np.dtype(np.int8)),
    Type.I16: Element(1, 2, np.dtype(np.int16)),
    U8: Element(1, 1, _BYTES),
    U16: Element(1, 2, np.dtype(np.uint16)),
}
ALL_ELEMENTS: Final = {**ELEMENTS, **KERNEL_ELEMENTS}
_BY_DTYPE: Final = {one.dtype: gguf_type for gguf_type, one in ALL_ELEMENTS.items() if one.dtype != _BYTES}
_BY_DTYPE[_BYTES] = U8
_BY_NAME: Final = {gguf_type.name: gguf_type for gguf_type in ALL_ELEMENTS}


def element_type(dtype: npt.DTypeLike | Type | str, what: str) -> Type:
    """Return the type for a NumPy dtype or GGUF's name.

    Raises:
        ArgumentError: rows cannot have this type.
    """
    if isinstance(dtype, Type | _Unsigned) and dtype in ALL_ELEMENTS:
        return dtype
    if isinstance(dtype, str) and dtype.upper() in _BY_NAME:
        return _BY_NAME[dtype.upper()]
    try:
        return _BY_DTYPE[np.dtype(dtype)]  # type: ignore[arg-type]
    except (KeyError, TypeError):
        raise ArgumentError(
            f"{what} of dtype {dtype!r}: expected float32, float16, int32 for ids, BF16, Q8_0 or Q4_0; or int8, uint8, "
            "int16 or uint16, for kernels of yours"
        ) from None


def nbytes(gguf_type: Type, shape: tuple[int, ...]) -> int:
    """Return the bytes of rows of this shape.

    Raises:
        ArgumentError: the rows are not a whole number of blocks.
    """
    count, size, _ = ALL_ELEMENTS[gguf_type]
    if count > 1 and (not shape or shape[-1] % count):
        what = f"a tensor of {gguf_type.name} of the shape {shape}"
        raise ArgumentError(f"{what}: expected rows of a multiple of {count} elements")
    return prod(shape) // count * size


def host_shape(gguf_type: Type, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the host's array."""
    count, size, dtype = ALL_ELEMENTS[gguf_type]
    return shape if dtype != _BYTES or not shape else (*shape[:-1], shape[-1] // count * size)
