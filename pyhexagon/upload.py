# SPDX-License-Identifier: MIT
"""Weights on their way into DSP memory: a place first, in as many sessions as it takes, then the content."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import quants
from pyhexagon.errors import DspMemoryError
from pyhexagon.tensor import Part, Tensor

if TYPE_CHECKING:
    from pyhexagon.device import Device

Progress = Callable[[int, int], None]  # bytes of GGUF done, and in all


def reserve(device: Device, dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> Tensor:
    """A weight (..., N, K) without content.

    Raises:
        DspMemoryError: it does not fit; the message has the numbers.
    """
    try:
        return _reserve(device, dtype, shape)
    except DspMemoryError as error:
        size = quants.tile_bytes(dtype, *shape[-2:]) * prod(shape[:-2])
        raise device.memory.refused(f"a {dtype.name} weight {shape}", size, error) from None


def _reserve(device: Device, dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> Tensor:
    *leading, n, k = shape
    size = prod(leading) * quants.tile_bytes(dtype, n, k)
    rows, n_tiles = quants.TILE_ROWS, -(-n // quants.TILE_ROWS)
    extents = device.memory.allocate_weight(n_tiles, size // n_tiles)  # a unit: that tile of every matrix
    parts = [Part(at.buffer, at.first * rows, min(n, (at.first + at.n_units) * rows)) for at in extents]
    return Tensor(device, parts[0].buffer, dtype, shape, size, parts=tuple(parts))


def fill(tensor: Tensor, blocks: npt.NDArray[np.uint8], progress: Progress | None) -> None:
    """Repacks rows of GGUF's bytes into a weight."""
    done = 0

    def count(n_bytes: int) -> None:
        nonlocal done
        done += n_bytes
        if progress is not None:
            progress(done, blocks.nbytes)

    *leading, rows, k = tensor.shape
    matrices = blocks.reshape(prod(leading), rows, -1)
    for part in tensor.parts:
        n = part.end - part.first
        size = quants.tile_bytes(tensor.dtype, n, k)
        tiles = part.buffer.bytes[: size * len(matrices)].reshape(len(matrices), size)
        for matrix, out in zip(matrices, tiles, strict=True):
            quants.repack(tensor.dtype, matrix[part.first : part.end], n, k, out, progress=count)
