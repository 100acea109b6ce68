# SPDX-License-Identifier: MIT
"""Views: the same memory in another shape, described by an offset and a stride per dimension.

NumPy computes them on an array without elements: slicing, transposing and broadcasting never read an element.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import prod
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError

Index = int | slice | None | EllipsisType
_NOTHING = np.zeros(1, np.uint8)


class View(NamedTuple):
    """The layout of elements: NumPy's lengths and byte strides of each dimension, and an offset in bytes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    def _array(self) -> npt.NDArray[Any]:
        try:
            return np.lib.stride_tricks.as_strided(_NOTHING, self.shape, self.strides, writeable=False)
        except (ValueError, OverflowError):
            raise ArgumentError(f"a value of the shape {self.shape}: its bytes exceed the address space") from None

    def _of(self, before: npt.NDArray[Any], after: npt.NDArray[Any]) -> View:
        step = after.__array_interface__["data"][0] - before.__array_interface__["data"][0]
        return View(after.shape, after.strides, self.offset + step)

    def pick(self, index: Index | tuple[Index, ...]) -> View:
        """Return the indexed view. ArgumentError for index arrays and negative steps; IndexError as in NumPy."""
        parts = index if isinstance(index, tuple) else (index,)
        for part in parts:
            if isinstance(part, bool) or not isinstance(part, (int, np.integer, slice, EllipsisType, type(None))):
                raise ArgumentError(f"an index {part!r}: expected whole numbers, slices, None or ...")
            if isinstance(part, slice) and (part.step or 1) < 0:
                raise ArgumentError("a slice with a negative step: the DSP's strides only go forward")
        array = self._array()
        return self._of(array, array[parts if Ellipsis in parts else (*parts, ...)])

    def transpose(self, axes: tuple[int, ...]) -> View:
        array = self._array()
        return self._of(array, array.transpose(axes or None))

    def broadcast_to(self, shape: tuple[int, ...]) -> View:
        array = self._array()
        try:
            return self._of(array, np.broadcast_to(array, shape))
        except (ValueError, OverflowError) as error:
            raise ArgumentError(f"{self.shape} cannot be broadcast to {shape}: {error}") from None

    def reshape(self, shape: tuple[int, ...], itemsize: int) -> View:
        n = prod(self.shape)
        if shape.count(-1) == 1:
            others = -prod(shape)
            fits = others and n % others == 0
            shape = tuple(n // others if length == -1 else length for length in shape) if fits else shape
        if min(shape, default=0) < 0 or prod(shape) != n:
            raise ArgumentError(f"{self.shape} has {n} elements and cannot be reshaped to {shape}")
        if n == 0:
            return View(shape, contiguous(shape, itemsize), self.offset)
        strides = _reshaped(self.shape, self.strides, shape, itemsize)
        if strides is None:
            raise ArgumentError(f"{self.shape} with strides {self.strides} needs a copy to be reshaped to {shape}")
        return View(shape, strides, self.offset)

    def is_contiguous(self, itemsize: int) -> bool:
        """Return whether the elements are dense and in order."""
        steps = zip(self.shape, self.strides, contiguous(self.shape, itemsize), strict=True)
        return prod(self.shape) == 0 or all(n == 1 or stride == wanted for n, stride, wanted in steps)

    @property
    def reversed(self) -> View:
        """The view with its dimensions reversed."""
        return View(self.shape[::-1], self.strides[::-1], self.offset)


def contiguous(shape: Iterable[int], itemsize: int) -> tuple[int, ...]:
    """Return the strides of dense elements in order."""
    strides, step = [], itemsize
    for n in reversed(tuple(shape)):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def _reshaped(
    shape: tuple[int, ...], strides: tuple[int, ...], wanted: tuple[int, ...], itemsize: int
) -> tuple[int, ...] | None:
    """Return the strides for another shape of the same size; None if no strides describe it.

    Walks both shapes in parallel and matches groups of dimensions with equal products.
    """
    old = [(n, stride) for n, stride in zip(shape, strides, strict=True) if n != 1]
    result: list[int] = []
    while len(result) < len(wanted):
        if not old:
            result.append(itemsize)  # for a length of 1
            continue
        n_old, n_new, taken, end = old[0][0], wanted[len(result)], 1, len(result) + 1
        while n_old != n_new:
            if n_new < n_old:
                n_new *= wanted[end]
                end += 1
            else:
                n_old *= old[taken][0]
                taken += 1
        group, old = old[:taken], old[taken:]
        if any(outer != n * inner for (_, outer), (n, inner) in pairwise(group)):
            return None
        result += [group[-1][1] // itemsize * step for step in contiguous(wanted[len(result) : end], itemsize)]
    return tuple(result)
