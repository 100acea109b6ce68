# SPDX-License-Identifier: MIT
"""The choice of types that matrices of floats get when they are uploaded: their own, or Q8_0."""

from __future__ import annotations

from typing import Final, Literal, get_args

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Type

from pyhexagon import quants
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.reading import Rows

WeightType = Literal["file", "q8_0"]
WEIGHT_TYPES: Final[tuple[WeightType, ...]] = get_args(WeightType)
FLOATS: Final = frozenset({Type.F32, Type.F16, Type.BF16})


def type_of(weights: str, name: str = "weights") -> Type | None:
    """Return the type that matrices of floats get; None: they keep theirs.

    Args:
        weights: a ``WeightType``.
        name: of the argument, for the message.

    Raises:
        ArgumentError: it is none.
    """
    if weights not in WEIGHT_TYPES:
        raise ArgumentError(f"{name} is {weights!r}: expected {' or '.join(map(repr, WEIGHT_TYPES))}")
    return Type.Q8_0 if weights == "q8_0" else None


def has_whole_blocks(shape: tuple[int, ...], dtype: Type) -> bool:
    """Return whether a tensor is a matrix (N, K) whose rows are whole blocks of a type."""
    return len(shape) == 2 and shape[1] % GGML_QUANT_SIZES[dtype][0] == 0


def converted(read: Rows, source: Type, dtype: Type, name: str) -> Rows:
    """Return a function that gives GGUF bytes of rows in another type; it raises ArgumentError for NaN and infinity.

    Args:
        read: gives the bytes of rows in their own type, ``source``.
        dtype: the other type; K is a multiple of its block.
        name: of the tensor, for messages.
    """

    def rows(first: int, last: int) -> npt.NDArray[np.uint8]:
        numbers = np.asarray(gguf.dequantize(read(first, last), source), np.float32)
        try:
            return quants.quantise(numbers, dtype)
        except ArgumentError as problem:
            raise ArgumentError(f"{name}: {problem}", hint="the types of the file can be kept") from None

    return rows
