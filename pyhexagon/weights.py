# SPDX-License-Identifier: MIT
"""Weights on their way into DSP memory: ``Device.weight``, ``load``, ``load_all`` and ``pack``.

Each gets a place first, in as many sessions as it takes, and then its content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import prod

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import arguments, quants, sources
from pyhexagon._ffi.rpcmem import PAGE
from pyhexagon.arguments import Shape
from pyhexagon.errors import ArgumentError, DspMemoryError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.memory.buffer import Buffer
from pyhexagon.memory.capacity import ADDRESS_SPACE, available
from pyhexagon.packing import Packers
from pyhexagon.reading import Rows
from pyhexagon.sources import Source, Weights
from pyhexagon.tensor import Home, Tensor, TensorPart

Progress = Callable[[int, int], None]  # bytes of GGUF done, and in all


def weight(
    device: Home,
    array: npt.ArrayLike,
    *,
    dtype: GGMLQuantizationType | str | None = None,
    progress: Progress | None = None,
) -> Tensor:
    """Packs a weight matrix and uploads it.

    Args:
        array: (N, K) numbers, also a tensor or parameter of PyTorch's; with leading dimensions, (A, N, K) or
            (B, A, N, K), that many matrices.
        dtype: the GGUF type to convert them to, "Q4_0" for example, of those that the gguf package makes: F32, F16,
            BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 and, in newer versions, MXFP4. By default the array's own, which is
            float32, float16 or bfloat16 then.
        progress: called now and then with the bytes done and the bytes in all.

    Raises:
        ArgumentError: the array has another shape or dtype, or K is no multiple of the type's block.
        UnsupportedError: the gguf package cannot make the type; the message tells which it can.
    """
    array = arguments.numbers(array, "the elements of a weight")
    shape = arguments.weight_shape(array.shape)
    gguf_type = quants.from_numpy(array.dtype) if dtype is None else arguments.weight_type(dtype)
    quants.tile_bytes(gguf_type, *shape[-2:])
    return pack(device, gguf_type, quants.quantise(array, gguf_type), shape, progress)


def load(
    device: Home,
    file: Weights,
    name: str,
    *,
    dtype: GGMLQuantizationType | str | None = None,
    progress: Progress | None = None,
) -> Tensor:
    """Packs a tensor of a file and uploads it.

    Args:
        file: an open GGUFFile, or the path of a GGUF file or of a safetensors file (``pyhexagon[safetensors]``).
        name: of a tensor with two to four dimensions and a type the DSP takes.
        dtype: for safetensors, the GGUF type to convert it to; see ``weight``.
        progress: called now and then with the bytes done and the bytes in all.

    Raises:
        GGUFError: the file is not usable, or has no such tensor (the message gives near names).
        UnsupportedError: the DSP does not take the tensor's type.
    """
    with sources.opened(file, dtype) as source:
        info = source.info(name)
        if quants.dtype_info(info.gguf_type).supported and len(info.shape) < 2:
            raise ArgumentError(
                f"{source.path}: tensor {name!r} has the shape {info.shape}, a weight is (..., N, K)"
            )
        shape = (1, *info.shape)[-max(2, len(info.shape)) :]
        quants.tile_bytes(info.gguf_type, *shape[-2:])  # raises unless the DSP takes such rows
        return _pack(device, info.gguf_type, source.rows(name), shape, progress)


def load_all(
    device: Home,
    file: Weights,
    names: Iterable[str] | None = None,
    *,
    dtype: GGMLQuantizationType | str | None = None,
    progress: Progress | None = None,
) -> dict[str, Tensor]:
    """Packs many tensors and uploads them, to as many sessions as they need.

    All of them get their memory before the first is packed, so a model that does not fit is refused at once.

    Args:
        file: an open GGUFFile, the path of a GGUF file or of a safetensors file (``pyhexagon[safetensors]``), or a
            dictionary of arrays.
        names: of the tensors; by default all with at least two dimensions.
        dtype: for arrays and safetensors, the GGUF type to convert them to; see ``weight``.
        progress: called now and then with the bytes done and the bytes in all.

    Returns:
        The weights by name, in the order of the names.

    Raises:
        DspMemoryError: they do not fit together, and none stays loaded; the message tells how much they need, what
            each session can take, and how many sessions there are.
        GGUFError, UnsupportedError: as ``load``, for any of them.
    """
    with sources.opened(file, dtype) as source:
        return _load_all(device, source, names, progress)


def load_in_order(
    device: Home,
    file: GGUFFile,
    names: Iterable[str],
    rooms: Mapping[str, int],
    progress: Progress | None = None,
    *,
    again: str | None = None,
) -> dict[str, Tensor]:
    """As ``load_all``, but none lies in a session before that of the one named before it, as far as can be.

    Args:
        rooms: bytes for which there shall be room in the session of the weight with this name, or after it. They are
            free when this returns.
        again: the name of a weight that also lies in the last one's session, if there is room.
    """
    return _load_all(device, file, names, progress, rooms=rooms, again=again)


def pack(
    device: Home,
    dtype: GGMLQuantizationType | str,
    blocks: npt.NDArray[np.uint8],
    shape: Shape,
    progress: Progress | None = None,
) -> Tensor:
    """Packs a weight given as GGUF's bytes, and uploads it.

    Args:
        dtype: a GGUF type or its name, "Q4_0" for example.
        blocks: uint8, the bytes of all rows; of any shape that has as many.
        shape: of the weight: (N, K), (A, N, K) or (B, A, N, K).
        progress: called now and then with the bytes done and the bytes in all.

    Raises:
        ArgumentError: there are too many or too few bytes, or K is no multiple of the type's block.
        UnsupportedError: the DSP does not take the type.
    """
    gguf_type = arguments.weight_type(dtype)
    rows, shape = arguments.gguf_rows(gguf_type, blocks, shape)
    return _pack(device, gguf_type, lambda first, last: rows[first:last], shape, progress)


def _pack(
    device: Home,
    dtype: GGMLQuantizationType,
    rows: Rows,
    shape: tuple[int, ...],
    progress: Progress | None,
) -> Tensor:
    info = quants.dtype_info(dtype)
    n_bytes = prod(shape) // info.block_size * info.block_bytes
    with device.span("upload", type=dtype.name, shape=list(shape)):
        tensor = reserve(device, dtype, shape)
        try:
            with Packers() as packers:
                packers.fill(tensor, rows, partial(_count, progress, 0, n_bytes))
        except BaseException:
            tensor.let_go()
            raise
        return tensor


def reserve(device: Home, dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> Tensor:
    """A weight (..., N, K) without content.

    Raises:
        DspMemoryError: it does not fit; the message has the numbers.
    """
    try:
        return _reserve(device, dtype, shape)
    except DspMemoryError as error:
        raise device.memory.refused(f"a {dtype.name} weight {shape}", _tile_bytes(dtype, shape), error) from None


def _load_all(
    device: Home,
    source: Source,
    names: Iterable[str] | None,
    progress: Progress | None,
    *,
    rooms: Mapping[str, int] | None = None,
    again: str | None = None,
) -> dict[str, Tensor]:
    """Packs what is asked for of an open source.

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
    total += sum((rooms or {}).values())
    what = f"{source.path}, {len(infos)} weights{' with room beside them' if rooms else ''},"
    if total > min(available(), device.memory.placement.max_sessions * ADDRESS_SPACE):
        raise device.memory.refused(what, total, DspMemoryError())
    tensors: dict[str, Tensor] = {}
    kept: list[Buffer] = []  # for rooms
    try:
        for info in infos:
            tensors[info.name] = _reserve(device, info.gguf_type, info.shape, in_order=rooms is not None)
            if rooms and info.name in rooms:
                room = device.memory.allocate_weight(1, rooms[info.name], in_order=True)
                kept += [extent.buffer for extent in room]
        if again is not None:
            _share(device, tensors[again], tensors[infos[-1].name])
        done, size = 0, sum(info.n_bytes for info in infos)
        with Packers() as packers:
            for info in infos:
                with device.span("upload", tensor=info.name, type=info.gguf_type.name, shape=list(info.shape)):
                    count = partial(_count, progress, done, size)
                    packers.fill(tensors[info.name], source.rows(info.name), count)
                done += info.n_bytes
    except BaseException as error:
        for tensor in tensors.values():
            tensor.let_go()
        if isinstance(error, DspMemoryError):
            raise device.memory.refused(what, total, error) from None
        raise
    finally:
        device.memory.dropped.extend(kept)
    return tensors


def _share(device: Home, weight: Tensor, last: Tensor) -> None:
    """Has a weight lie in the session of the last one, too. Where there is no room, another session is no help: an op
    that runs there, or where it lies, needs a message of its own."""
    (*others, part), session = weight.parts, last.parts[-1].buffer.home
    if not others and session is not None and not part.buffer.lies_in(session):
        device.memory.placement.share(part.buffer, session)


def _count(progress: Progress | None, before: int, size: int, done: int) -> None:
    if progress is not None:
        progress(before + done, size)


def _tile_bytes(dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> int:
    return prod(shape[:-2]) * quants.tile_bytes(dtype, *shape[-2:])


def _reserve(
    device: Home, dtype: GGMLQuantizationType, shape: tuple[int, ...], *, in_order: bool = False
) -> Tensor:
    n = shape[-2]
    size = _tile_bytes(dtype, shape)
    rows, n_tiles = quants.TILE_ROWS, -(-n // quants.TILE_ROWS)
    # A unit is that tile of every matrix.
    extents = device.memory.allocate_weight(n_tiles, size // n_tiles, in_order=in_order)
    parts = [TensorPart(at.buffer, at.first * rows, min(n, (at.first + at.n_units) * rows)) for at in extents]
    return Tensor(device, parts[0].buffer, dtype, shape, size, parts=tuple(parts))
