# SPDX-License-Identifier: MIT
"""Tensors in memory that the DSP reads and writes.

There are two kinds. *Rows*: float32 activations and results, and int32 ids of experts, laid out as NumPy has them; they
come back as arrays without a copy. *Weights*: matrices of N rows and K columns, repacked into the tiles the DSP reads;
they can be multiplied with, and not be read back.

With w of shape (N, K), as NumPy shows a GGUF weight:

    device.matmul(x, w)    x (..., K) -> (..., N)    also written  x @ w.T
    w @ x                  x (K,) -> (N,), x (K, M) -> (N, M)
"""

from __future__ import annotations

from math import prod
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon.buffer import Buffer
from pyhexagon.errors import ArgumentError, BusyError, ClosedError
from pyhexagon.unique import Unique

if TYPE_CHECKING:
    from pyhexagon.device import Device
    from pyhexagon.plan import Plan

F32: Final = np.dtype(np.float32)
I32: Final = np.dtype(np.int32)


def float32_array(x: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """The argument as an array of float32; anything else is refused, as a conversion could lose bits."""
    array = np.asarray(x)
    if array.dtype != F32:
        raise ArgumentError(
            f"activations of dtype {array.dtype}: expected float32", hint="convert them, e.g. x.astype(numpy.float32)"
        )
    return array


class Part(NamedTuple):
    """Rows ``first`` to ``end`` of a weight, of each of its matrices, in a buffer of their own."""

    buffer: Buffer
    first: int
    end: int


class Tensor(Unique):
    """A tensor on a device; made by ``Device.tensor``, ``weight``, ``load`` and by operations.

    It is memory, like an array: when the last reference goes, so does the memory. ``close`` gives it back at once.

    Attributes:
        device: where it lies.
        shape: as NumPy has it.
        dtype: its type in GGUF's terms.
        numpy_dtype: of its elements, if it is not a weight.
        nbytes: what it takes in DSP memory.
        is_weight: whether it is packed for the DSP.
        parts: of a weight: where its rows lie. It has several parts when no session could take it as a whole.
    """

    instead = "numpy.array(tensor) copies what is in it"
    __array_ufunc__ = None  # so that ndarray @ tensor asks the tensor, and no ufunc computes on the CPU unasked
    _buffer: Buffer | None = None

    def __init__(
        self,
        device: Device,
        buffer: Buffer,
        dtype: GGMLQuantizationType,
        shape: tuple[int, ...],
        nbytes: int,
        *,
        parts: tuple[Part, ...] = (),
        column_major: bool = False,
    ) -> None:
        self.device = device
        self.dtype = dtype
        self.numpy_dtype = I32 if dtype == GGMLQuantizationType.I32 else F32
        self.shape = shape
        self.nbytes = nbytes
        self.parts = parts
        self.is_weight = bool(parts)
        self.plans: dict[tuple[int, ...], Plan] = {}  # of products with it, by the shape of the other operand
        self.pending = ""  # why its content is not there yet
        self._column_major = column_major
        self._buffer = buffer

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def closed(self) -> bool:
        return self._buffer is None

    @property
    def buffer(self) -> Buffer:
        """The memory. Hold ``device.memory.lock`` to be sure that it stays this tensor's."""
        if self._buffer is None:
            raise ClosedError(f"{self!r} cannot be used")
        return self._buffer

    def row_shape(self, *, transposed: bool = False) -> tuple[int, int]:
        """How its elements lie in memory, as (rows, elements of a row); that of the transposed matrix if so asked."""
        shape = self.shape[::-1] if transposed else self.shape
        if self.ndim < 2 or self._column_major == transposed:
            return prod(shape[:-1]), shape[-1]
        raise ArgumentError(
            f"{self!r} lies in memory by the other axis", hint="copy it: device.tensor(numpy.ascontiguousarray(t))"
        )

    # --- To NumPy and others ---

    def numpy(self) -> npt.NDArray[Any]:
        """An array (float32; int32 of ids) over the tensor's own memory: nothing is copied, writing to it writes there.

        While it or anything made from it lives, ``close`` raises BusyError.
        """
        self.device.check()
        if self.is_weight:
            raise ArgumentError(
                f"{self!r} is packed for the DSP and cannot be read back",
                hint="take the values from their source, e.g. gguf.dequantize",
            )
        if self.pending:
            raise ClosedError(f"{self!r} has no content: {self.pending}")
        with self.device.memory.lock:
            return self.buffer.array(self.numpy_dtype, self.shape, "F" if self._column_major else "C")

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        array = self.numpy()
        wanted = self.numpy_dtype if dtype is None else np.dtype(dtype)
        if wanted != self.numpy_dtype:
            if copy is False:
                raise ValueError(f"a tensor of {self.numpy_dtype} cannot become {wanted} without a copy")
            return array.astype(wanted)
        return array.copy() if copy else array

    def __dlpack__(self, **options: Any) -> Any:
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self.numpy().__dlpack_device__()
        return int(kind), number

    def __buffer__(self, flags: int) -> memoryview:
        return self.numpy().data

    # --- Products ---

    @property
    def T(self) -> Transposed:
        """The transposed weight, for ``x @ w.T``."""
        if not self.is_weight:
            raise ArgumentError(f"{self!r} is not a weight", hint="use tensor.numpy().T")
        if self.ndim != 2:
            raise ArgumentError(f"{self!r} has no .T: it is many matrices", hint="use device.matmul(x, w)")
        return Transposed(self)

    def __matmul__(self, other: npt.ArrayLike | Tensor | Transposed) -> Tensor:
        if isinstance(other, Transposed):
            return self.device.matmul(self, other.T)
        if not self.is_weight:
            raise ArgumentError(f"the right side of a product must be a weight: x @ w.T, not {other!r}")
        return self.device.weight_matmul(self, other)

    def __rmatmul__(self, other: object) -> Tensor:
        raise ArgumentError(
            f"x @ w has no meaning here, as weights are stored (N, K): this one is {self.shape}",
            hint="write x @ w.T or device.matmul(x, w)",
        )

    # --- Life ---

    def close(self) -> None:
        """Gives the memory back. Again is a no-op.

        Raises:
            BusyError: NumPy views of it live, or the DSP may still use it.
        """
        if self._buffer is None or not self.device.usable:
            return
        with self.device.memory.lock:
            buffers = self._buffers()
            if busy := next((buffer.busy for buffer in buffers if buffer.busy), ""):
                raise BusyError(f"{self!r} cannot be closed: {busy}")
            self._buffer = None
        for buffer in buffers:
            self.device.memory.release(buffer)

    def drop(self) -> None:
        """Gives the memory back as soon as nothing uses it any more."""
        buffers, self._buffer = self._buffers(), None
        if buffers:
            self.device.memory.dropped.extend(buffers)

    def _buffers(self) -> list[Buffer]:
        """All its memory; none when it is closed."""
        if self._buffer is None:
            return []
        return [part.buffer for part in self.parts] or [self._buffer]

    def __del__(self) -> None:
        self.drop()

    def __enter__(self) -> Tensor:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self.drop()  # a BusyError would take the place of the error: after Ctrl-C the DSP is still at work

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a tensor without dimensions")
        return self.shape[0]

    def __repr__(self) -> str:
        kind = "weight " if self.is_weight else ""
        state = " closed" if self.closed else ""
        return f"<Tensor {kind}{self.shape} {self.dtype.name} on {self.device.name} {self.nbytes} bytes{state}>"


class Transposed:
    """``w.T``: stands on the right of ``x @ w.T``, and nowhere else."""

    __array_ufunc__ = None

    def __init__(self, weight: Tensor) -> None:
        self.T = weight
        self.shape = weight.shape[::-1]

    def __rmatmul__(self, other: npt.ArrayLike) -> Tensor:
        return self.T.device.matmul(other, self.T)

    def __repr__(self) -> str:
        return f"<transposed {self.T!r}>"
