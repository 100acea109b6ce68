# SPDX-License-Identifier: MIT
"""Convert arrays to GGUF's bytes; the gguf package does the arithmetic."""

from __future__ import annotations

from typing import Any, Final

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.quants.layouts import LAYOUTS

_OF_NUMPY: Final = {
    "float32": GGMLQuantizationType.F32,
    "float16": GGMLQuantizationType.F16,
    "bfloat16": GGMLQuantizationType.BF16,  # of the ml_dtypes package
}


def from_numpy(dtype: npt.DTypeLike) -> GGMLQuantizationType:
    """Return the GGUF type that holds a NumPy dtype's numbers unchanged."""
    name = np.dtype(dtype).name
    if name not in _OF_NUMPY:
        raise ArgumentError(
            f"weights of dtype {name}: expected {', '.join(_OF_NUMPY)}",
            hint='dtype="F32" or dtype="Q8_0", for example, converts them',
        )
    return _OF_NUMPY[name]


def quantise(array: npt.NDArray[Any], dtype: GGMLQuantizationType) -> npt.NDArray[np.uint8]:
    """Return GGUF's bytes of a weight (..., K) as (rows, bytes per row). Numbers that have the type already are viewed.

    Args:
        array: real numbers; K is a multiple of the type's block size.

    Raises:
        UnsupportedError: the gguf package cannot quantise to this type.
        ArgumentError: the type is quantised, and a weight is NaN or infinite.
    """
    rows = np.ascontiguousarray(array).reshape(-1, array.shape[-1])
    if _OF_NUMPY.get(rows.dtype.name) == dtype:
        return rows.view(np.uint8)
    numbers = rows.astype(np.float32, copy=False)
    if GGML_QUANT_SIZES[dtype][0] > 1 and not np.isfinite(numbers).all():
        raise ArgumentError(f"weights with NaN or infinity cannot be quantised to {dtype.name}")
    try:
        return gguf.quantize(numbers, dtype).view(np.uint8)
    except NotImplementedError:
        possible = ", ".join(known.name for known in sorted(LAYOUTS) if _can_make(known))
        raise UnsupportedError(
            f"the gguf package does not quantise to {dtype.name}, but to {possible}",
            hint="llama.cpp's llama-quantize writes a GGUF file with it, which device.load reads",
        ) from None


def _can_make(dtype: GGMLQuantizationType) -> bool:
    try:
        gguf.quantize(np.zeros((1, GGML_QUANT_SIZES[dtype][0]), np.float32), dtype)
    except NotImplementedError:
        return False
    return True
