# SPDX-License-Identifier: MIT
"""Copies, also into other types."""

from __future__ import annotations

import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon.elements import element_type
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor


def cpy(p: Graph, x: Value | Tensor, dtype: npt.DTypeLike | Type | str | None = None) -> Value:
    """Return a dense copy of ``x``, optionally converted to another type.

    Args:
        x: float32, float16, BF16, Q8_0, Q4_0 or int32, in at most 4 dimensions, with any strides (transposed, say).
        dtype: float32, float16, or GGUF's name of one of x's types; int32 only of int32. By default x's own.

    Returns:
        The requested type, of the same shape, whose last length is a multiple of 32 for Q8_0 and Q4_0.

    Accuracy: docs/math.md, 14: to float32 exact; to float16 and BF16 the nearest, ties to even; Q8_0 and Q4_0 give the
    bits of gguf's quantiser, except blocks below 2^-110 (zero) and with NaN or infinity (NaN). ggml's CPY and CONT.
    """
    x = p.value(x, "x")
    if x.is_weight or x.is_cache:
        raise ArgumentError(f"a copy of {x!r}, which has no rows", hint="p.get_rows(w, ids) gives rows of it")
    gguf_type = x.gguf_type if dtype is None else element_type(dtype, "a copy")
    if gguf_type != x.gguf_type and Type.I32 in (gguf_type, x.gguf_type):
        raise UnsupportedError(f"a copy of {x!r} as {gguf_type.name}: integers cannot be converted")
    return p.op("cpy", [x], x.shape, gguf_type)
