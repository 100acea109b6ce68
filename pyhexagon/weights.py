# SPDX-License-Identifier: MIT
"""Uploads of weights to DSP memory: ``Device.weight``, ``load``, ``load_all`` and ``pack``.

All weights get their memory first, in as many sessions as needed, and then their content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import arguments, quants
from pyhexagon._ffi.rpcmem import PAGE
from pyhexagon.arguments import Shape
from pyhexagon.errors import ArgumentError, DspMemoryError, UnsupportedError
from pyhexagon.gguf import sources
from pyhexagon.gguf.reading import Rows
from pyhexagon.gguf.sources import Source, Weights
from pyhexagon.memory.buffer import Buffer
from pyhexagon.memory.capacity import ADDRESS_SPACE, available
from pyhexagon.models.store import resolve
from pyhexagon.packing import Packers
from pyhexagon.tensor import Tensor, TensorPart

if TYPE_CHECKING:
    from pyhexagon.device import Device

Progress = Callable[[int, int], None]  # GGUF bytes done, and in total


def weight(
    device: Device,
    array: npt.ArrayLike,
    *,
    dtype: GGMLQuantizationType | str | None = None,
    progress: Progress | None = None,
) -> Tensor:
    """Pack a weight matrix and upload it.

    Args:
        array: (N, K) numbers, also a tensor or parameter of PyTorch's; with leading dimensions, (A, N, K) or
            (B, A, N, K), a stack of matrices.
        dtype: the GGUF type to convert to, "Q4_0" for example, if the gguf package can quantise to it: F32, F16, BF16,
            Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 and, in newer versions, MXFP4. By default the array's own type, which must be
            float32, float16 or bfloat16.
        progress: called repeatedly with the bytes done and the total bytes.

    Raises:
        ArgumentError: the array has another shape or dtype, or K is not a multiple of the type's block.
        UnsupportedError: the gguf package cannot quantise to the type; the message lists the types that it can.
    """
    array = arguments.numbers(array, "the elements of a weight")
    shape = arguments.weight_shape(array.shape)
    gguf_type = quants.from_numpy(array.dtype) if dtype is None else arguments.weight_type(dtype)
    quants.tile_bytes(gguf_type, *shape[-2:])
    return pack(device, gguf_type, quants.quantise(array, gguf_type), shape, progress)


def load(
    device: Device,
    file: Weights,
    name: str,
    *,
    dtype: GGMLQuantizationType | str | None = None,
    progress: Progress | None = None,
) -> Tensor:
    """Pack a tensor of a file and upload it.

    Args:
        file: an open GGUFFile, the path of a GGUF file or of a safetensors file (``pyhexagon[safetensors]``), or the
            name of a pulled model.
        name: the name of a tensor with two to four dimensions and a type that the DSP supports.
        dtype: for safetensors, the GGUF type to convert to; see ``weight``.
        progress: called repeatedly with the bytes done and the total bytes.

    Raises:
        GGUFError: the file is unusable, or has no such tensor (the message suggests similar names).
        UnsupportedError: the DSP does not support the tensor's type.
    """
    with sources.opened(_found(file), dtype) as source:
        info = source.info(name)
        if quants.dtype_info(info.gguf_type).supported and len(info.shape) < 2:
            raise ArgumentError(
                f"{source.path}: tensor {name!r} has the shape {info.shape}, a weight is (..., N, K)"
            )
        shape = (1, *info.shape)[-max(2, len(info.shape)) :]
        quants.tile_bytes(info.gguf_type, *shape[-2:])  # raises unless the DSP supports such rows
        return pack_rows(device, info.gguf_type, source.rows(name), shape, progress)


def load_all(
    device: Device,
    file: Weights,
    names: Iterable[str] | None = None,
    *,
    dtype: GGMLQuantizationType | str | None = None,
    progress: Progress | None = None,
) -> dict[str, Tensor]:
    """Pack many tensors and upload them, to as many sessions as they need.

    All of them get their memory before the first is packed, so a model that does not fit is refused at once.

    Args:
        file: an open GGUFFile, the path of a GGUF file or of a safetensors file (``pyhexagon[safetensors]``), the
            name of a pulled model, or a dictionary of arrays.
        names: of the tensors; by default all with at least two dimensions.
        dtype: for arrays and safetensors, the GGUF type to convert to; see ``weight``.
        progress: called repeatedly with the bytes done and the total bytes.

    Returns:
        The weights by name, in the order of the names.

    Raises:
        DspMemoryError: the tensors do not fit together, and none stays loaded; the message has the bytes needed, the
            bytes that each session can map, and the number of sessions.
        GGUFError, UnsupportedError: as ``load``, for any of them.
    """
    with sources.opened(_found(file), dtype) as source:
        return _load_all(device, source, names, progress)


def _found(file: Weights) -> Weights:
    """Return the path of a pulled model for its name; other sources as they are."""
    return resolve(file) if isinstance(file, str) and not file.endswith(".safetensors") else file


def load_in_order(
    device: Device,
    file: Source,
    names: Iterable[str],
    rooms: Mapping[str, int],
    progress: Progress | None = None,
    *,
    again: str | None = None,
) -> dict[str, Tensor]:
    """Like ``load_all``, but place each weight in the session of the weight named before it, or in a later one.

    Args:
        rooms: bytes to reserve in the session of the weight with this name, or after it. They are free when this
            returns.
        again: the name of a weight to map into the last weight's session too, if there is room.
    """
    return _load_all(device, file, names, progress, rooms=rooms, again=again)


def pack(
    device: Device,
    dtype: GGMLQuantizationType | str,
    blocks: npt.NDArray[np.uint8],
    shape: Shape,
    progress: Progress | None = None,
) -> Tensor:
    """Pack a weight given as GGUF bytes, and upload it.

    Args:
        dtype: a GGUF type or its name, "Q4_0" for example.
        blocks: uint8, the bytes of all rows; of any shape with that size.
        shape: of the weight: (N, K), (A, N, K) or (B, A, N, K).
        progress: called repeatedly with the bytes done and the total bytes.

    Raises:
        ArgumentError: there are too many or too few bytes, or K is not a multiple of the type's block.
        UnsupportedError: the DSP does not support the type.
    """
    gguf_type = arguments.weight_type(dtype)
    rows, shape = arguments.gguf_rows(gguf_type, blocks, shape)
    return pack_rows(device, gguf_type, lambda first, last: rows[first:last], shape, progress)


def pack_rows(
    device: Device,
    dtype: GGMLQuantizationType,
    rows: Rows,
    shape: tuple[int, ...],
    progress: Progress | None = None,
) -> Tensor:
    """Pack a weight whose GGUF bytes are produced while it is packed, and upload it.

    Args:
        rows: called on several threads, with ranges that together are all rows.
        shape: of the weight, (..., N, K), of whole blocks.
    """
    info = quants.dtype_info(dtype)
    n_bytes = prod(shape) // info.block_size * info.block_bytes
    with device._span("upload", type=dtype.name, shape=list(shape)):
        tensor = reserve(device, dtype, shape)
        try:
            with Packers() as packers:
                packers.fill(tensor, rows, partial(_count, progress, 0, n_bytes))
        except BaseException:
            tensor.let_go()
            raise
        return tensor


def reserve(device: Device, dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> Tensor:
    """Allocate a weight (..., N, K) without content.

    Raises:
        DspMemoryError: the weight does not fit; the message has the sizes.
    """
    try:
        return _reserve(device, dtype, shape)
    except DspMemoryError as error:
        raise device._memory.out_of_memory(f"a {dtype.name} weight {shape}", _tile_bytes(dtype, shape), error) from None


def _load_all(
    device: Device,
    source: Source,
    names: Iterable[str] | None,
    progress: Progress | None,
    *,
    rooms: Mapping[str, int] | None = None,
    again: str | None = None,
) -> dict[str, Tensor]:
    """Pack tensors of an open source.

    The allocation itself is the check: every weight gets its memory before the first is repacked, which takes far
    longer. Comparing with measured free memory would be less reliable: buffers do not fit as well as their sum, and
    other processes use the same memory. A total that can never fit is refused without any allocation.
    """
    if isinstance(names, str):
        raise ArgumentError(f"names is {names!r}: expected several names, such as [{names!r}]")
    infos = [source.info(name) for name in (source.names() if names is None else names)]
    infos = [info for info in infos if names is not None or len(info.shape) > 1]
    for info in infos:
        if info.unsupported:
            raise UnsupportedError(f"{source.path}: {info.name!r} cannot go to the DSP: {info.unsupported}")
    total = sum(-(-_tile_bytes(info.gguf_type, info.shape) // PAGE) * PAGE for info in infos)
    total += sum((rooms or {}).values())
    what = f"{source.path}, {len(infos)} weights{' with reserved room' if rooms else ''},"
    if total > min(available(), device._memory.placement.max_sessions * ADDRESS_SPACE):
        raise device._memory.out_of_memory(what, total, DspMemoryError())
    tensors: dict[str, Tensor] = {}
    kept: list[Buffer] = []  # reserve the rooms
    try:
        for info in infos:
            tensors[info.name] = _reserve(device, info.gguf_type, info.shape, in_order=rooms is not None)
            if rooms and info.name in rooms:
                room = device._memory.allocate_weight(1, rooms[info.name], in_order=True)
                kept += [extent.buffer for extent in room]
        if again is not None:
            _share(device, tensors[again], tensors[infos[-1].name])
        done, size = 0, sum(info.n_bytes for info in infos)
        with Packers() as packers:
            for info in infos:
                with device._span("upload", tensor=info.name, type=info.gguf_type.name, shape=list(info.shape)):
                    count = partial(_count, progress, done, size)
                    packers.fill(tensors[info.name], source.rows(info.name), count)
                done += info.n_bytes
    except BaseException as error:
        for tensor in tensors.values():
            tensor.let_go()
        if isinstance(error, DspMemoryError):
            raise device._memory.out_of_memory(what, total, error) from None
        raise
    finally:
        device._memory.dropped.extend(kept)
    return tensors


def _share(device: Device, weight: Tensor, last: Tensor) -> None:
    """Map a weight into the session of the last one too. If that is full, another session would not help: an op that
    runs there, or in the weight's session, needs a separate message."""
    (*others, part), session = weight.parts, last.parts[-1].buffer.home
    if not others and session is not None and not part.buffer.is_resident_in(session):
        device._memory.placement.share(part.buffer, session)


def _count(progress: Progress | None, before: int, size: int, done: int) -> None:
    if progress is not None:
        progress(before + done, size)


def _tile_bytes(dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> int:
    return prod(shape[:-2]) * quants.tile_bytes(dtype, *shape[-2:])


def _reserve(
    device: Device, dtype: GGMLQuantizationType, shape: tuple[int, ...], *, in_order: bool = False
) -> Tensor:
    n = shape[-2]
    size = _tile_bytes(dtype, shape)
    rows, n_tiles = quants.TILE_ROWS, -(-n // quants.TILE_ROWS)
    # A unit is one tile of every matrix of the stack.
    extents = device._memory.allocate_weight(n_tiles, size // n_tiles, in_order=in_order)
    parts = [TensorPart(at.buffer, at.first * rows, min(n, (at.first + at.n_units) * rows)) for at in extents]
    return Tensor(device, parts[0].buffer, dtype, shape, size, parts=tuple(parts))
