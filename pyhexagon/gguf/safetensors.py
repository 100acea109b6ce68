# SPDX-License-Identifier: MIT
"""safetensors files: a JSON header with the tensors' shapes and offsets, followed by their numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.reading import OpenFile

_DTYPES: Final = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}  # of weights
_MAX_HEADER: Final = 100_000_000  # the format's limit


class SafetensorsFile:
    """A file whose rows are read on request.

    Attributes:
        shapes: shape and NumPy dtype of each tensor by name; the dtype is "" if weights cannot have it.

    Raises:
        ArgumentError: the file is missing, truncated, or not a safetensors file.
    """

    def __init__(self, path: str) -> None:
        self._file = OpenFile(path, ArgumentError)
        try:
            self._read_header()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            if isinstance(problem, ArgumentError):
                raise
            raise ArgumentError(f"{path}: its header is damaged: {problem}") from None

    def _read_header(self) -> None:
        if self._file.size < 8:
            raise ValueError(f"{self._file.size} bytes")
        length = int.from_bytes(self._bytes(0, 8), "little")
        if length > min(_MAX_HEADER, self._file.size - 8):
            raise ValueError(f"a length of {length} bytes, and {self._file.size - 8} bytes follow")
        header = json.loads(self._bytes(8, length))
        header.pop("__metadata__", None)
        self.shapes: dict[str, tuple[tuple[int, ...], str]] = {}
        self._places: dict[str, int] = {}
        for name, entry in header.items():
            shape, (begin, end) = tuple(entry["shape"]), entry["data_offsets"]
            if not all(isinstance(number, int) and 0 <= number <= self._file.size for number in (*shape, begin, end)):
                raise ValueError(f"shape {shape} or offsets {begin} to {end} of {name!r}")
            dtype = _DTYPES.get(entry["dtype"], "")
            if begin > end or 8 + length + end > self._file.size:
                raise ValueError(f"{name!r} lies at {begin} to {end}, beyond the end of the file")
            if dtype and prod(shape) * np.dtype(dtype).itemsize != end - begin:
                raise ValueError(f"{name!r} of shape {shape} has {end - begin} bytes")
            self.shapes[name] = shape, dtype
            self._places[name] = 8 + length + begin

    def _bytes(self, at: int, n_bytes: int) -> bytes:
        room = bytearray(n_bytes)
        self._file.read_into(memoryview(room), at)
        return bytes(room)

    def rows(self, name: str) -> Callable[[int, int], npt.NDArray[Any]]:
        """Return a function from a range of a tensor's rows to copies of them, (rows, K), on any thread.

        The function raises ArgumentError if the file was truncated.
        """
        shape, dtype = self.shapes[name]
        row_bytes = shape[-1] * np.dtype(dtype).itemsize
        return lambda first, last: self._file.rows(self._places[name], row_bytes, first, last).view(dtype)
