# SPDX-License-Identifier: MIT
"""What a case of the self test builds its program with: operands of its own seed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon import cache
from pyhexagon.cache import CacheTensor
from pyhexagon.device import Device
from pyhexagon.elements import ELEMENTS
from pyhexagon.program.graph import Value
from pyhexagon.selftest import seeds
from pyhexagon.tensor import Tensor


class Given:
    """Operands, and the program that takes them.

    Attributes:
        p: the program to be built.
        inputs: what it is run with.
        made_from: everything that comes from the seed, tiles of weights included.
        read_back: tensors that belong to the result, beside the program's outputs.
    """

    def __init__(self, device: Device, name: str) -> None:
        self.device = device
        self.p = device.program()
        self.inputs: list[npt.NDArray[Any]] = []
        self.made_from: list[npt.NDArray[Any]] = []
        self.read_back: list[Tensor] = []
        self._name = name
        self._closed_at_end: list[Tensor] = []

    def floats(self, *shape: int) -> Value:
        """float32 of 2^-8 to 2^8."""
        return self.given(seeds.floats(shape, self._seed()))

    def bits(self, *shape: int) -> Value:
        """float32 of any bits: NaN, infinity and denormals among them."""
        return self.given(seeds.words(self._seed(), prod(shape)).reshape(shape).view(np.float32))

    def ids(self, *shape: int, below: int) -> Value:
        """int32 of 0 to below - 1."""
        return self.given((seeds.words(self._seed(), prod(shape)).reshape(shape) % np.uint32(below)).astype(np.int32))

    def rows(self, dtype: str, *shape: int) -> Value:
        """Rows of any type that rows have."""
        if dtype == "I32":
            return self.ids(*shape, below=1 << 31)
        *leading, k = shape
        raw = seeds.weight_bytes(Q[dtype], prod(leading), k, self._seed())
        array = raw.view(ELEMENTS[Q[dtype]].dtype).reshape(*leading, -1)
        self._keep(array)
        return self.p.input(shape, dtype)

    def given(self, array: npt.NDArray[Any]) -> Value:
        """An array that does not come from the seed, or not only."""
        self._keep(array)
        return self.p.input(array.shape, array.dtype)

    def weight(self, dtype: str, *shape: int, seed: int | None = None) -> Tensor:
        """A weight of any type that products take."""
        *leading, k = shape
        raw = seeds.weight_bytes(Q[dtype], prod(leading), k, self._seed() if seed is None else seed)
        weight = self.device.pack(Q[dtype], raw, shape)
        self._closed_at_end.append(weight)
        self.made_from.append(weight.buffer.bytes[: weight.nbytes])
        return weight

    def pages(self, kind: str, n_pages: int, n_heads: int, head_size: int) -> CacheTensor:
        """A cache with nothing in it."""
        tensor = cache.new_pages(self.device, n_pages, n_heads, head_size, kind=kind)
        self._closed_at_end.append(tensor)
        return tensor

    def pages_to_read(self, kind: str, n_pages: int, n_heads: int, head_size: int) -> CacheTensor:
        """The same; what ends up there belongs to the result."""
        tensor = self.pages(kind, n_pages, n_heads, head_size)
        tensor.is_staging = True
        self.read_back.append(tensor)
        return tensor

    def results(self, outputs: Sequence[Tensor]) -> list[npt.NDArray[Any]]:
        """Copies of what a run has left."""
        arrays = [np.array(one) for one in outputs]
        return arrays + [np.array(one.buffer.bytes[: one.nbytes]) for one in self.read_back]

    def close(self) -> None:
        """Gives the memory of weights and caches back."""
        for tensor in self._closed_at_end:
            tensor.close()

    def _keep(self, array: npt.NDArray[Any]) -> None:
        self.inputs.append(array)
        self.made_from.append(array)

    def _seed(self) -> int:
        return zlib.crc32(f"{self._name}: {len(self.made_from)}".encode())


class Recipe(NamedTuple):
    """How a case is made.

    Attributes:
        op: a name of idl/ops.h.
        type: of the weight, the rows or the cache; empty where there is only one.
        name: tells it from the others of its op and type.
        build: adds the op to the program, and returns what shall be its outputs.
    """

    op: str
    type: str
    name: str
    build: Callable[[Given], Value | Sequence[Value]]

    def __str__(self) -> str:
        return ", ".join(part for part in (self.op, self.type, self.name) if part)
