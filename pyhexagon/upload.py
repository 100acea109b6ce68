# SPDX-License-Identifier: MIT
"""Weights on their way into DSP memory: a place first, in as many sessions as it takes, then the content."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import quants
from pyhexagon.buffer import PAGE
from pyhexagon.capacity import ADDRESS_SPACE, available
from pyhexagon.errors import ArgumentError, DspMemoryError, UnsupportedError
from pyhexagon.sources import Source
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
        raise device.memory.refused(f"a {dtype.name} weight {shape}", _tile_bytes(dtype, shape), error) from None


def load_all(
    device: Device, source: Source, names: Iterable[str] | None, progress: Progress | None
) -> dict[str, Tensor]:
    """See ``Device.load_all``.

    The plan is the allocation itself: every weight gets its place before the first is repacked, which takes far longer.
    A sum of what could be had, measured beforehand, would promise less: pieces do not fit as well as their sum, and
    others use the same memory. What cannot fit in any case is refused without touching any.
    """
    if isinstance(names, str):
        raise ArgumentError(f"names is {names!r}: expected several names, such as [{names!r}]")
    infos = [source.info(name) for name in (source.names() if names is None else names)]
    infos = [info for info in infos if names is not None or len(info.shape) > 1]
    for info in infos:
        if info.unsupported:
            raise UnsupportedError(f"{source.path}: {info.name!r} cannot go to the DSP: {info.unsupported}")
    total = sum(-(-_tile_bytes(info.gguf_type, info.shape) // PAGE) * PAGE for info in infos)
    what = f"{source.path}, {len(infos)} weights,"
    if total > min(available(), device.memory.placement.max_sessions * ADDRESS_SPACE):
        raise device.memory.refused(what, total, DspMemoryError())
    tensors: dict[str, Tensor] = {}
    try:
        for info in infos:
            tensors[info.name] = _reserve(device, info.gguf_type, info.shape)
        done, size = 0, sum(info.n_bytes for info in infos)
        for info in infos:
            count = None if progress is None else partial(_count, progress, done, size)
            with device.span("upload", tensor=info.name, type=info.gguf_type.name, shape=list(info.shape)):
                fill(tensors[info.name], source.raw(info.name), count)
            done += info.n_bytes
    except BaseException as error:
        for tensor in tensors.values():
            tensor.close()
        if isinstance(error, DspMemoryError):
            raise device.memory.refused(what, total, error) from None
        raise
    return tensors


def _count(progress: Progress, before: int, size: int, done: int, _: int) -> None:
    progress(before + done, size)


def _tile_bytes(dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> int:
    return prod(shape[:-2]) * quants.tile_bytes(dtype, *shape[-2:])


def _reserve(device: Device, dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> Tensor:
    n = shape[-2]
    size = _tile_bytes(dtype, shape)
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
        size = quants.tile_bytes(tensor.gguf_type, n, k)
        tiles = part.buffer.bytes[: size * len(matrices)].reshape(len(matrices), size)
        for matrix, out in zip(matrices, tiles, strict=True):
            quants.repack(tensor.gguf_type, matrix[part.first : part.end], n, k, out, progress=count)
