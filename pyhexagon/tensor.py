# SPDX-License-Identifier: MIT
"""Tensors in memory that the DSP reads and writes.

There are two kinds. *Rows* are float32 activations and results, and int32 expert ids, in NumPy's layout; the host sees
them as arrays without a copy. *Weights* are matrices of N rows and K columns, repacked into the tiles that the DSP
reads; matmuls take them, and the host cannot read them.

With w of shape (N, K), as NumPy shows a GGUF weight:

    device.matmul(x, w)    x (..., K) -> (..., N)    also written  x @ w.T
    w @ x                  x (K,) -> (N,), x (K, M) -> (N, M)
"""

from __future__ import annotations

from math import prod
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import interrupts, quants
from pyhexagon.arguments import F32, described
from pyhexagon.elements import ALL_ELEMENTS, host_shape
from pyhexagon.errors import ArgumentError, BusyError, ClosedError
from pyhexagon.memory.buffer import Buffer
from pyhexagon.operators import NoArray
from pyhexagon.unique import Unique

if TYPE_CHECKING:
    from pyhexagon.device import Device

Order = Literal["C", "F"]

_MAKE_ONE: Final = "make one with device.weight(array) or device.load(file, name)"


class TensorPart(NamedTuple):
    """Rows ``first`` to ``end`` of each matrix of a weight, in their own buffer."""

    buffer: Buffer
    first: int
    end: int


class Tensor(NoArray, Unique):
    """A tensor on a device; made by ``Device.tensor``, ``weight``, ``load`` and by operations.

    A tensor owns memory, as an array does: it frees the memory with its last reference, or at once by ``close``.
    """

    _instead = "numpy.array(tensor) copies what is in it"
    is_staging = False  # whether the host reads and writes a KV cache between runs
    is_private = False  # whether the host never reads what ops write
    hidden = frozenset({
        "as_array", "buffer", "buffers", "drop", "hidden", "is_private", "is_staging", "let_go", "order",
        "parts", "programs",
    })  # fmt: skip
    _buffer: Buffer | None = None

    def __init__(
        self,
        device: Device,
        buffer: Buffer,
        gguf_type: GGMLQuantizationType,
        shape: tuple[int, ...],
        nbytes: int,
        *,
        parts: tuple[TensorPart, ...] = (),
        order: Order = "C",
    ) -> None:
        self._device = device
        self._gguf_type = gguf_type
        self._shape = shape
        self._nbytes = nbytes
        self.parts = parts  # a weight's buffers; several if no session could take all of it
        self.order = order  # NumPy's memory layout of the rows
        if parts:
            self.as_array = "w.dequantize()"
            self.programs: dict[object, Any] = {}  # of matmuls with it
        self._buffer = buffer

    @property
    def device(self) -> Device:
        """The device that owns its memory."""
        return self._device

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape, as NumPy's."""
        return self._shape

    @property
    def gguf_type(self) -> GGMLQuantizationType:
        """The GGUF type of its elements: ``w.gguf_type.name`` is "Q4_0", for example."""
        return self._gguf_type

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of its elements: float32, float16, int32 for ids, or uint8 for types that NumPy lacks.

        The dtype of every weight is float32, as ``dequantize`` returns it.
        """
        return F32 if self.is_weight else ALL_ELEMENTS[self._gguf_type].dtype

    @property
    def nbytes(self) -> int:
        """Its size in DSP memory in bytes."""
        return self._nbytes

    @property
    def is_weight(self) -> bool:
        """Whether it is packed for the DSP."""
        return bool(self.parts)

    @property
    def is_cache(self) -> bool:
        """Whether it is a cache of keys and values: pages, KV heads, dims of a head."""
        return False

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self._shape)

    @property
    def closed(self) -> bool:
        """Whether its memory was freed."""
        return self._buffer is None

    @property
    def buffer(self) -> Buffer:
        """Its buffer. Hold the lock of the device's memory so that the tensor keeps it."""
        if self._buffer is None:
            raise ClosedError(f"{self!r} cannot be used")
        return self._buffer

    # --- To NumPy and others ---

    def numpy(self) -> npt.NDArray[Any]:
        """Return an array over the tensor's memory; nothing is copied, and writes go to the tensor.

        Its dtype is float32, float16, or int32 for ids. BF16, Q8_0 and Q4_0 give GGUF bytes: uint8, with the bytes of a
        row as the last dimension. ``close`` raises BusyError while the array or a view of it exists.
        """
        device = self._device
        device._check()
        if self.parts:
            raise ArgumentError(
                f"{self!r} is packed for the DSP and cannot be read back",
                hint="w.dequantize() gives its values",
            )
        with device._memory.lock:
            dtype = ALL_ELEMENTS[self._gguf_type].dtype
            return self.buffer.array(dtype, host_shape(self._gguf_type, self._shape), self.order)

    def dequantize(self) -> npt.NDArray[np.float32]:
        """Return the values of a weight that the DSP multiplies with, as float32 in its shape.

        The tiles have scales of 16 bits, and float weights of 12 bits: values differ from ``gguf.dequantize``'s
        by at most 2**-12 of the largest value of their row (2**-13 for quantized types). Rows with NaN or infinity are
        NaN.
        """
        self.device._check()
        if not self.is_weight:
            raise ArgumentError(f"{self!r} is not a weight", hint="y.numpy() is an array over its memory")
        with self.device._memory.lock:
            self.buffer  # noqa: B018 - raises when closed
            views = [part.buffer.array(np.uint8, (part.buffer.size,), "C") for part in self.parts]
        *leading, n, k = self.shape
        values = np.empty((prod(leading), n, k), np.float32)
        for part, view in zip(self.parts, views, strict=True):
            size = quants.tile_bytes(self.gguf_type, part.end - part.first, k)
            for tiles, matrix in zip(view[: size * len(values)].reshape(-1, size), values, strict=True):
                quants.dequantise(self.gguf_type, tiles, matrix[part.first : part.end])
        return values.reshape(self.shape)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        array = self.numpy()
        wanted = self.dtype if dtype is None else np.dtype(dtype)
        if wanted != self.dtype:
            if copy is False:
                raise ValueError(f"a tensor of {self.dtype} cannot become {wanted} without a copy")
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
            hint = "y.numpy().T is a view of it; device.weight(y.numpy()) makes a weight"
            raise ArgumentError(f"{self!r} is not a weight", hint=hint)
        if self.ndim != 2:
            raise ArgumentError(f"{self!r} has no .T: it is many matrices", hint="use device.matmul(x, w)")
        return Transposed(self)

    def __matmul__(self, other: npt.ArrayLike | Tensor | Transposed) -> Tensor:
        if isinstance(other, Transposed):
            return self.device.matmul(self, other.T)
        if not self.is_weight:
            raise ArgumentError(
                f"one side of a product must be a weight: neither {self!r} nor {described(other)} is", hint=_MAKE_ONE
            )
        return self.device.weight_matmul(self, other)

    def __rmatmul__(self, other: object) -> Tensor:
        if not self.is_weight:
            raise ArgumentError(f"one side of a product must be a weight: {self!r} is none", hint=_MAKE_ONE)
        raise ArgumentError(
            f"x @ w has no meaning here, as weights are stored (N, K): this one is {self.shape}",
            hint="write x @ w.T or device.matmul(x, w)",
        )

    # --- Life ---

    def close(self) -> None:
        """Free the memory. A second call does nothing.

        Raises:
            BusyError: NumPy views of it exist, or the DSP may still use it.
        """
        if self._buffer is None or not self.device._usable:
            return
        with self.device._memory.lock:
            buffers = self.buffers()
            if busy := next((buffer.busy for buffer in buffers if buffer.busy), ""):
                raise BusyError(f"{self!r} cannot be closed: {busy}")
            self._buffer = None
        for buffer in buffers:
            self.device._memory.release(buffer)

    def let_go(self) -> None:
        """Free the memory now if it is not busy, else when it is idle."""
        try:
            self.close()
        except BusyError:
            self.drop()

    def drop(self) -> None:
        """Free the memory as soon as nothing uses it."""
        buffer, self._buffer = self._buffer, None
        if buffer is not None:
            parts = self.parts
            self._device._memory.dropped.extend([part.buffer for part in parts] if parts else (buffer,))

    def buffers(self) -> list[Buffer]:
        """Return all its buffers; none if it is closed."""
        if self._buffer is None:
            return []
        return [part.buffer for part in self.parts] or [self._buffer]

    def __del__(self) -> None:
        try:
            self.drop()
        except KeyboardInterrupt:
            self.__del__()
            interrupts.raise_again()

    def __enter__(self) -> Tensor:
        self.buffer  # noqa: B018 - raises when closed
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self.drop()  # a BusyError would hide the error: after Ctrl-C the DSP still works

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a tensor without dimensions")
        return self.shape[0]

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.hidden]

    def __repr__(self) -> str:
        kind = "weight " if self.is_weight else ""
        state = " closed" if self.closed else ""
        return f"<Tensor {kind}{self.shape} {self.gguf_type.name} on {self.device.name} {self.nbytes} bytes{state}>"


class Transposed(NoArray):
    """``w.T``, which is only valid on the right of ``x @ w.T``."""

    as_array = "w.dequantize().T"

    def __init__(self, weight: Tensor) -> None:
        self._weight = weight

    @property
    def T(self) -> Tensor:
        """The weight."""
        return self._weight

    @property
    def shape(self) -> tuple[int, int]:
        """(K, N) of a weight (N, K)."""
        n, k = self._weight.shape
        return k, n

    @property
    def ndim(self) -> int:
        """2."""
        return 2

    @property
    def dtype(self) -> np.dtype[Any]:
        """The weight's."""
        return self._weight.dtype

    def __matmul__(self, other: object) -> Tensor:
        raise ArgumentError(f"{self!r} stands on the right of a product only", hint="write x @ w.T, or w @ x")

    def __rmatmul__(self, other: npt.ArrayLike) -> Tensor:
        return self.T.device.matmul(other, self.T)

    def __repr__(self) -> str:
        return f"<transposed {self.T!r}>"


def weight_operand(w: object) -> Tensor:
    """Return the weight of a matmul.

    Raises:
        ArgumentError: the operand is not a weight; the hint says what to pass.
    """
    if isinstance(w, Transposed):
        raise ArgumentError(f"the weight of a product is {w!r}", hint="pass w: matmul(x, w) is x @ w.T")
    if not isinstance(w, Tensor):
        raise ArgumentError(f"the weight of a product is {described(w)}", hint=_MAKE_ONE)
    if not w.is_weight:
        raise ArgumentError(f"the weight of a product is {w!r}, which is none", hint=_MAKE_ONE)
    return w
