# SPDX-License-Identifier: MIT
"""The operands of a case, and the program that reads them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon import cache, weights
from pyhexagon.cache import CacheTensor
from pyhexagon.device import Device
from pyhexagon.elements import ELEMENTS
from pyhexagon.op_cases import seeds
from pyhexagon.op_cases.case import Build, normal
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

LARGE_ROWS: Final = 251  # a prime: no two tiles of 32 rows are equal before 251 tiles


class CaseBuilder:
    """Operands, and the program that reads them.

    Attributes:
        p: the program under construction.
        inputs: the arguments of its run.
        seeded: everything derived from the seed, including the tiles of weights.
        read_back: tensors that are part of the result, besides the program's outputs.
    """

    def __init__(self, device: Device, name: str) -> None:
        self.device = device
        self.p = device.program()
        self.inputs: list[npt.NDArray[Any]] = []
        self.seeded: list[npt.NDArray[Any]] = []
        self.read_back: list[Tensor] = []
        self._name = name
        self._closed_at_end: list[Tensor] = []

    def floats(self, *shape: int) -> Value:
        """Return float32 of 2^-8 to 2^8."""
        return self.array(seeds.floats(shape, self._seed()))

    def normal(self, *shape: int, seed: int = 0) -> Value:
        """Return standard normal float32, from NumPy's generator."""
        return self.array(normal(*shape, seed=seed))

    def bits(self, *shape: int) -> Value:
        """Return float32 with random bits, including NaN, infinity and denormals."""
        return self.array(seeds.words(self._seed(), prod(shape)).reshape(shape).view(np.float32))

    def ids(self, *shape: int, below: int) -> Value:
        """Return int32 of 0 to below - 1."""
        return self.array((seeds.words(self._seed(), prod(shape)).reshape(shape) % np.uint32(below)).astype(np.int32))

    def rows(self, dtype: str, *shape: int) -> Value:
        """Return rows of any row type."""
        if dtype == "I32":
            return self.ids(*shape, below=1 << 31)
        *leading, k = shape
        raw = seeds.weight_bytes(Q[dtype], prod(leading), k, self._seed())
        array = raw.view(ELEMENTS[Q[dtype]].dtype).reshape(*leading, -1)
        return self.typed(array, dtype, shape)

    def typed(self, array: npt.NDArray[Any], dtype: str, shape: tuple[int, ...]) -> Value:
        """Return an array that holds rows of a type, in its host format, as an input."""
        self._keep(array)
        return self.p.input(shape, dtype)

    def array(self, array: npt.NDArray[Any]) -> Value:
        """Return an array as an input; it need not come from the seed."""
        self._keep(array)
        return self.p.input(array.shape, array.dtype)

    def weight(self, dtype: str, *shape: int, seed: int | None = None) -> Tensor:
        """Return a weight of any type that matmuls take."""
        *leading, k = shape
        raw = seeds.weight_bytes(Q[dtype], prod(leading), k, self._seed() if seed is None else seed)
        return self.packed(raw, dtype, shape)

    def packed(self, raw: npt.NDArray[np.uint8], dtype: str, shape: tuple[int, ...]) -> Tensor:
        """Return a weight with these GGUF bytes."""
        weight = self.device.pack(Q[dtype], raw, shape)
        self._closed_at_end.append(weight)
        self.seeded.append(weight.buffer.bytes[: weight.nbytes])
        return weight

    def large_product(self, x: npt.NDArray[np.float32], dtype: str, n: int, k: int) -> Any:
        """Return x (M, K) times a large weight (N, K) that repeats ``LARGE_ROWS`` rows, made while it is packed."""
        different = self._repeated(dtype, k)

        def rows(first: int, last: int) -> npt.NDArray[np.uint8]:
            return different[np.arange(first, last) % LARGE_ROWS]

        weight = weights.pack_rows(self.device, Q[dtype], rows, (n, k))
        self._closed_at_end.append(weight)
        return self.p.matmul(self.array(x), weight)

    def pages(self, kind: str, n_pages: int, n_heads: int, head_size: int) -> CacheTensor:
        """Return an empty KV cache."""
        tensor = cache.new_pages(self.device, n_pages, n_heads, head_size, kind=kind)
        self._closed_at_end.append(tensor)
        return tensor

    def pages_to_read(self, kind: str, n_pages: int, n_heads: int, head_size: int) -> CacheTensor:
        """Return an empty KV cache whose content after the run is part of the result."""
        tensor = self.pages(kind, n_pages, n_heads, head_size)
        tensor.is_staging = True
        self.read_back.append(tensor)
        return tensor

    def add(self, build: Build) -> None:
        """Add an op and its outputs to the program."""
        outputs = build(self)
        self.p.output(*(outputs if isinstance(outputs, Sequence) else [outputs]))

    def results(self, outputs: Sequence[Tensor]) -> list[npt.NDArray[Any]]:
        """Return copies of a run's outputs and of the caches to read back."""
        arrays = [np.array(output) for output in outputs]
        return arrays + [np.array(tensor.buffer.bytes[: tensor.nbytes]) for tensor in self.read_back]

    def close(self) -> None:
        """Free the memory of weights and caches."""
        for tensor in self._closed_at_end:
            tensor.close()

    def _keep(self, array: npt.NDArray[Any]) -> None:
        self.inputs.append(array)
        self.seeded.append(array)

    def _repeated(self, dtype: str, k: int) -> npt.NDArray[np.uint8]:
        """Return the GGUF bytes of the rows that a large weight repeats."""
        return seeds.weight_bytes(Q[dtype], LARGE_ROWS, k, zlib.crc32(f"{dtype}: {k}".encode()))

    def _seed(self) -> int:
        return zlib.crc32(f"{self._name}: {len(self.seeded)}".encode())
