# SPDX-License-Identifier: MIT
"""Sources of many weights: a GGUF file, a safetensors file, or arrays by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any, Final, Protocol

import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import arguments, extras, quants
from pyhexagon.errors import ArgumentError, HexagonError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile, UnknownTensorError
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.gguf.reading import Rows
from pyhexagon.gguf.safetensors import SafetensorsFile

Weights = str | os.PathLike[str] | GGUFFile | Mapping[str, npt.ArrayLike]

_SAFETENSORS: Final = ".safetensors"


class Source(Protocol):
    """Weights by name, whose bytes are produced on request."""

    @property
    def path(self) -> str:
        """The source's name in messages."""

    def names(self) -> list[str]:
        """Return the names of all tensors, weights or not."""

    def info(self, name: str) -> TensorInfo:
        """Return a tensor's description."""

    def rows(self, name: str) -> Rows:
        """Return a function that gives GGUF bytes of a tensor's rows, on any thread."""


class _Arrays:
    """Arrays by name.

    Args:
        path: their name in messages.
        shapes: shape and dtype of each.
        read: returns a function from a range of rows of a name to the rows, (rows, K).
        dtype: the GGUF type to convert to; None keeps each array's type.
    """

    def __init__(
        self,
        path: str,
        shapes: Mapping[str, tuple[tuple[int, ...], str]],
        read: Callable[[str], Callable[[int, int], npt.NDArray[Any]]],
        dtype: GGMLQuantizationType | None,
    ) -> None:
        self.path = path
        self._shapes, self._read, self._dtype = shapes, read, dtype

    def names(self) -> list[str]:
        return list(self._shapes)

    def info(self, name: str) -> TensorInfo:
        if name not in self._shapes:
            raise UnknownTensorError(f"{self.path}: none of the {len(self._shapes)} tensors is {name!r}")
        shape, dtype = self._shapes[name]
        gguf_type, reason = self._dtype or GGMLQuantizationType.F32, ""
        try:
            gguf_type = self._dtype or quants.from_numpy(dtype)
            if len(shape) < 2 or not prod(shape):
                raise ArgumentError(f"its shape is {shape}, a weight's is (..., N, K)")
            quants.tile_bytes(gguf_type, *shape[-2:])
        except HexagonError as error:
            reason = str(error)
        info = quants.dtype_info(gguf_type)
        return TensorInfo(name, shape, gguf_type, prod(shape) * info.block_bytes // info.block_size, 0, reason)

    def rows(self, name: str) -> Rows:
        info = self.info(name)
        if info.unsupported:
            raise UnsupportedError(f"{self.path}: {name!r} cannot go to the DSP: {info.unsupported}")
        read = self._read(name)
        return lambda first, last: quants.quantise(read(first, last), info.gguf_type)


@contextmanager
def opened(weights: Weights, dtype: GGMLQuantizationType | str | None) -> Iterator[Source]:
    """Open the source that a user gave: an open file, the path of one, or arrays by name.

    Args:
        dtype: the GGUF type to convert arrays to; not for GGUF files.

    Raises:
        UnsupportedError: the ml_dtypes package is missing.
        ArgumentError: it is none of these, or the file is not a safetensors file.
        GGUFError: the file is not a usable GGUF file.
    """
    gguf_type = None if dtype is None else arguments.weight_type(dtype)
    if isinstance(weights, Mapping) and not isinstance(weights, GGUFFile):
        arrays = {name: arguments.numbers(array, f"the elements of {name!r}") for name, array in weights.items()}
        shapes = {name: (array.shape, array.dtype.name) for name, array in arrays.items()}

        def read(name: str) -> Callable[[int, int], npt.NDArray[Any]]:
            rows = arrays[name].reshape(-1, arrays[name].shape[-1])
            return lambda first, last: rows[first:last]

        yield _Arrays("a dictionary", shapes, read, gguf_type)
        return
    if isinstance(weights, (str, os.PathLike)) and os.fspath(weights).lower().endswith(_SAFETENSORS):
        yield _safetensors(os.fspath(weights), gguf_type)
        return
    if dtype is not None:
        raise ArgumentError(f"dtype={dtype!r} converts arrays and safetensors; a GGUF file's tensors have their types")
    if isinstance(weights, GGUFFile):
        yield weights
    elif isinstance(weights, (str, os.PathLike)):
        with GGUFFile(weights) as file:
            yield file
    else:
        raise ArgumentError(
            f"weights from {arguments.described(weights)}: expected a GGUFFile, the path of a GGUF or "
            "safetensors file, or a dictionary of arrays"
        )


def _safetensors(path: str, dtype: GGMLQuantizationType | None) -> Source:
    with extras.needed("safetensors files", "safetensors"):
        import ml_dtypes  # noqa: F401 - registers bfloat16 with NumPy
    file = SafetensorsFile(path)
    return _Arrays(path, file.shapes, file.rows, dtype)
