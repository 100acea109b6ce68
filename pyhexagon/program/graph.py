# SPDX-License-Identifier: MIT
"""The user's builder: values, views of them, and ops. It computes and allocates nothing.

A value is a storage or a view of one. A storage is an input, which the host writes before a run; a constant, which is a
tensor or weight on the device; or the result of an op.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from enum import Enum
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from weakref import ref

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon._ffi import contract
from pyhexagon.arguments import Shape, checked_shape, described
from pyhexagon.elements import ALL_ELEMENTS, element_type, nbytes
from pyhexagon.errors import ArgumentError, OperandError
from pyhexagon.program.limits import check_view
from pyhexagon.program.views import Index, View, contiguous
from pyhexagon.tensor import Order, Tensor

if TYPE_CHECKING:
    from pyhexagon.device import Device
    from pyhexagon.kernels.kernel import Kernel


class Kind(Enum):
    INPUT = 0
    CONSTANT = 1
    RESULT = 2


class Storage:
    """Memory of one tensor, with its elements in order.

    Attributes:
        shape: of a weight, the shape of its matrices; else of the elements as they lie in memory.
        nbytes: of the elements; 0 for a weight whose type has no row layout.
        slack: bytes behind the elements that a user kernel may read.
        tensor: a constant's tensor, or None once it is gone; the program decides whether to keep it alive.
    """

    __slots__ = ("_tensor", "gguf_type", "kind", "nbytes", "shape", "slack")

    def __init__(self, kind: Kind, gguf_type: Type, shape: tuple[int, ...], tensor: Tensor | None = None) -> None:
        self.kind = kind
        self.gguf_type = gguf_type
        self.shape = shape
        self.slack = 0
        self._tensor = None if tensor is None else ref(tensor)
        self.nbytes = nbytes(gguf_type, shape) if gguf_type in ALL_ELEMENTS else 0

    @property
    def tensor(self) -> Tensor | None:
        return None if self._tensor is None else self._tensor()

    @property
    def itemsize(self) -> int:
        return ALL_ELEMENTS[self.gguf_type].nbytes

    @property
    def dtype(self) -> np.dtype[Any]:
        return ALL_ELEMENTS[self.gguf_type].dtype


def _refused(op: str) -> Callable[..., NoReturn]:
    """Return the method of an operator that raises OperandError and points to the program's op."""

    def refuse(value: Value, *_: object) -> NoReturn:
        raise OperandError(f"{value!r} has no content before a run", hint=f"write {op} with the program p")

    return refuse


class Value:
    """A tensor that a program reads or computes; made by a program's ``input``, its ops, and views of other values.

    Views are free: ``reshape``, ``transpose``, ``T``, ``v[1:, ..., ::2]`` and ``broadcast_to`` describe the same memory
    in another shape, as NumPy's do. A view that strides cannot describe raises ArgumentError. The last dimension of a
    quantized value stays the last one, and whole.

    Attributes:
        view: shape and strides of its elements, or of the blocks of a quantized type.
    """

    __slots__ = ("storage", "view")

    def __init__(self, storage: Storage, view: View) -> None:
        self.storage = storage
        self.view = view

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape, as NumPy's."""
        *leading, last = self.view.shape or (1,)
        return (*leading, last * self._count) if self._count > 1 else self.view.shape

    @property
    def gguf_type(self) -> Type:
        """The GGUF type of its elements."""
        return self.storage.gguf_type

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of its elements, or uint8 for types that NumPy lacks; float32 for a weight."""
        return np.dtype(np.float32) if self.is_weight else ALL_ELEMENTS[self.gguf_type].dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.view.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def is_weight(self) -> bool:
        """Whether it is packed for the DSP; a weight has no views."""
        tensor = self.storage.tensor
        return tensor is not None and tensor.is_weight

    @property
    def is_cache(self) -> bool:
        """Whether it is a KV cache, which has no views either."""
        tensor = self.storage.tensor
        return tensor is not None and tensor.is_cache

    def reshape(self, *shape: Any) -> Value:
        """Return the same elements in another shape; one length may be -1."""
        wanted = shape[0] if len(shape) == 1 else shape
        lengths = (int(wanted),) if isinstance(wanted, (int, np.integer)) else tuple(map(int, wanted))
        rows = self._rows()
        if self._count > 1:
            if lengths.count(-1) == 1 and (others := -prod(lengths)):
                lengths = tuple(self.size // others if length == -1 else length for length in lengths)
            if not lengths or lengths[-1] % self._count:
                raise ArgumentError(f"{self!r} cannot be reshaped to {lengths}: blocks of {self._count} stay whole")
            lengths = (*lengths[:-1], lengths[-1] // self._count)
        return Value(self.storage, rows.reshape(lengths, self.storage.itemsize))

    def transpose(self, *axes: int) -> Value:
        """Return it with its dimensions in another order, reversed by default."""
        if axes and sorted(axis % self.ndim for axis in axes) != list(range(self.ndim)):
            raise ArgumentError(f"axes {axes} of {self!r}: expected each of its {self.ndim} once")
        return self._seen(self._rows().transpose(axes))

    @property
    def T(self) -> Value:
        """The value with its dimensions reversed."""
        return self.transpose()

    def broadcast_to(self, *shape: Any) -> Value:
        """Return it repeated along new dimensions and along dimensions of length 1."""
        return self._seen(self._rows().broadcast_to(checked_shape(shape[0] if len(shape) == 1 else shape)))

    def __getitem__(self, index: Index | tuple[Index, ...]) -> Value:
        return self._seen(self._rows().pick(index))

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> NoReturn:
        raise ArgumentError(f"{self!r} has no content before a run", hint="its program's ops take it: p.add(x, y)")

    __array_ufunc__ = None
    __iter__ = None
    if not TYPE_CHECKING:  # type checkers refuse them, too
        __add__ = __radd__ = _refused("p.add(x, y)")
        __sub__ = __rsub__ = _refused("p.sub(x, y)")
        __mul__ = __rmul__ = _refused("p.mul(x, y)")
        __truediv__ = __rtruediv__ = _refused("p.div(x, y)")
        __matmul__ = __rmatmul__ = _refused("p.matmul(x, w)")
        __neg__ = _refused("p.neg(x)")

    def _rows(self) -> View:
        if self.is_weight or self.is_cache:
            what = "a weight, packed for the DSP" if self.is_weight else "a cache of keys and values"
            raise ArgumentError(f"{self!r} is {what}: it has no views")
        return self.view

    @property
    def _count(self) -> int:
        return 1 if self.is_weight or self.is_cache else ALL_ELEMENTS[self.gguf_type].n

    def _seen(self, view: View) -> Value:
        if self._count > 1 and (view.shape[-1:], view.strides[-1:]) != (self.view.shape[-1:], self.view.strides[-1:]):
            raise ArgumentError(f"a view of {self!r} that its blocks do not allow: its rows stay whole")
        return Value(self.storage, view)

    def __repr__(self) -> str:
        kind = " weight" if self.is_weight else " cache" if self.is_cache else ""
        return f"<Value {self.shape} {self.gguf_type.name}{kind}>"


class Port(NamedTuple):
    """An input or an output: its storage, and its shape on the host.

    Attributes:
        order: how the storage holds that shape: row-major ("C") or column-major ("F").
    """

    storage: Storage
    shape: tuple[int, ...]
    order: Order


class Node(NamedTuple):
    """An op with its operands (None if omitted), result, and parameters as 32-bit words.

    Attributes:
        fused: it may be fused with the op before it; see program/fusions.py.
        table: a second result, of which the op reads and writes some rows.
        others: the results of a user kernel after the first.
        kernel: the user kernel that a CALL runs.
    """

    row: contract.OpRow
    sources: tuple[Value | None, ...]
    result: Value
    params: tuple[int, ...]
    fused: bool = False
    table: Value | None = None
    others: tuple[Value, ...] = ()
    kernel: Kernel | None = None

    @property
    def results(self) -> tuple[Value, ...]:
        """What the op writes."""
        return (self.result, *self.others) if self.table is None else (self.result, self.table)

    @property
    def title(self) -> str:
        """The op's name in messages and reports."""
        return self.row.name.upper() if self.kernel is None else f"CALL {self.kernel.name}"

    @property
    def in_place(self) -> int:
        """One bit per source whose memory the first result may take."""
        return self.row.in_place if self.kernel is None else self.kernel.descriptor.in_place


class Graph:
    """Ops in execution order.

    Args:
        owner: the device that tensors must belong to.
    """

    hidden = frozenset({
        "hidden", "inputs", "nodes", "op", "op_call", "op_into", "outputs", "owner", "tensors", "value",
    })  # fmt: skip

    def __init__(self, owner: Device) -> None:
        self.owner = owner
        self.inputs: list[Port] = []
        self.outputs: list[Port] = []
        self.nodes: list[Node] = []
        self.tensors: list[Tensor] = []  # constants
        self._constants: dict[int, Value] = {}  # by the tensor's id
        self._storages: set[Storage] = set()

    def input(self, shape: Shape, dtype: npt.DTypeLike | Type | str = np.float32, *, order: Order = "C") -> Value:
        """Add an input, which the host passes at each run in the order of these calls.

        Args:
            shape: of the array or tensor.
            dtype: float32, float16, or int32 for ids; or GGUF's name of one of them, or BF16, Q8_0 or Q4_0, which are
                passed as GGUF's bytes: a uint8 array whose last dimension holds the bytes of a row.
            order: "F" for a column-major matrix.
        """
        shape = checked_shape(shape)
        gguf_type = element_type(dtype, "an input")
        if order == "F" and ALL_ELEMENTS[gguf_type].n > 1:
            raise ArgumentError(f"an input of {gguf_type.name} cannot be column-major: its blocks run along rows")
        storage = self._new(Kind.INPUT, gguf_type, shape if order == "C" else shape[::-1])
        self.inputs.append(Port(storage, shape, order))
        value = _whole(storage)
        return value if order == "C" else value.transpose()

    def value(self, operand: object, what: str = "an operand") -> Value:
        """Return a value of this program unchanged, or a tensor of the device as a constant.

        Raises:
            ArgumentError: the operand is neither.
        """
        if isinstance(operand, Value):
            if operand.storage not in self._storages:
                raise ArgumentError(f"{what} is {operand!r} of another program")
            return operand
        if not isinstance(operand, Tensor):
            raise ArgumentError(
                f"{what} is {described(operand)}: expected a value of the program or a tensor",
                hint="use p.input(shape) for data that changes at each run, device.tensor(array) for constants",
            )
        if operand.device is not self.owner:
            raise ArgumentError(f"{operand!r} lies on another device")
        if id(operand) not in self._constants:  # the id stays unique, as the tensor is kept
            shape = operand.shape if operand.order == "C" else operand.shape[::-1]
            value = _whole(self._new(Kind.CONSTANT, operand.gguf_type, shape, operand))
            self._constants[id(operand)] = value if operand.order == "C" else value.transpose()
            self.tensors.append(operand)
        return self._constants[id(operand)]

    def output(self, *values: Value) -> None:
        """Mark values as outputs; each must be the whole result of an op, perhaps reshaped or transposed."""
        for value in values:
            storage = self.value(value, "an output").storage
            if storage.kind is not Kind.RESULT:
                raise ArgumentError(f"{value!r} is not the result of an op")
            if any(port.storage is storage for port in self.outputs):
                raise ArgumentError(f"{value!r} is an output already")
            order = next((order for order, view in _orders(value.view) if view.is_contiguous(storage.itemsize)), None)
            if order is None or value.size != prod(storage.shape):
                raise ArgumentError(f"{value!r} is a part of a result, or has another order: output the whole result")
            self.outputs.append(Port(storage, value.shape, order))

    def op(
        self,
        name: str,
        sources: Sequence[Value | None],
        shape: tuple[int, ...],
        gguf_type: Type = Type.F32,
        table: Value | None = None,
        /,
        **params: float,
    ) -> Value:
        """Add an op of idl/ops.h with a result of this type; the ops' own modules check the operands.

        Args:
            table: a constant, or an op's result, that the op also writes into.
        """
        return self._add(name, sources, _whole(self._new(Kind.RESULT, gguf_type, shape)), params, table)

    def op_into(self, name: str, sources: Sequence[Value | None], target: Value) -> Value:
        """Add an op that writes into a constant or into an op's result; later ops see the new content."""
        _require_writable(name, target)
        return self._add(name, sources, target, {})

    def op_call(
        self,
        kernel: Kernel,
        sources: Sequence[Value],
        results: Sequence[tuple[tuple[int, ...], Type]],
        words: bytes,
        targets: Sequence[Value] | None = None,
    ) -> tuple[Value, ...]:
        """Add a call of a user kernel.

        Args:
            results: their shapes and types.
            words: its packed parameters.
            targets: views of constants that it writes its results into; by default they are new.
        """
        values = tuple(targets or (_whole(self._new(Kind.RESULT, gguf_type, shape)) for shape, gguf_type in results))
        for value in (*sources, *values):
            if value.ndim > contract.MAX_DIMS:
                raise ArgumentError(f"{kernel!r} of {value!r}: at most {contract.MAX_DIMS} dimensions")
            check_view(kernel.name, value.shape)
            value.storage.slack = max(value.storage.slack, kernel.descriptor.slack)
        packed = contract.CALL_PARAMS.pack(kernel.number, *np.frombuffer(words.ljust(60, b"\0"), "<u4").tolist())
        params = tuple(np.frombuffer(packed, "<u4").tolist())
        self.nodes.append(Node(contract.CALL, tuple(sources), values[0], params, others=values[1:], kernel=kernel))
        return values

    def _add(
        self,
        name: str,
        sources: Sequence[Value | None],
        result: Value,
        params: dict[str, float],
        table: Value | None = None,
    ) -> Value:
        row = contract.OPS[name]
        if table is not None:
            _require_writable(name, table)
        if not row.least <= len(sources) <= row.most or set(params) != set(row.fields):
            raise ArgumentError(f"{name} takes {row.least} to {row.most} operands and {row.fields}")
        for value in sources:
            if value is not None and value.ndim > contract.MAX_DIMS:
                raise ArgumentError(f"{name} of {value!r}: at most {contract.MAX_DIMS} dimensions")
        for value in (*sources, result, table):
            if value is not None and not value.is_weight and not value.is_cache:
                check_view(name, value.shape)
        try:
            words = b"" if row.params is None else row.params.pack(*(params[field] for field in row.fields))
        except (OverflowError, struct.error) as problem:
            raise ArgumentError(f"{name} with {params}: {problem}") from None
        padded = np.frombuffer(words.ljust(4 * contract.MAX_PARAMS, b"\0"), "<u4")
        self.nodes.append(Node(row, tuple(sources), result, tuple(padded.tolist()), table=table))
        return result

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.hidden]

    def _new(self, kind: Kind, gguf_type: Type, shape: tuple[int, ...], tensor: Tensor | None = None) -> Storage:
        storage = Storage(kind, gguf_type, shape, tensor)
        self._storages.add(storage)
        return storage


def _require_writable(name: str, target: Value) -> None:
    if target.storage.kind is Kind.INPUT or target.is_weight:
        raise ArgumentError(f"{name} into {target!r}: expected a tensor, or the result of an op")


def _whole(storage: Storage) -> Value:
    tensor = storage.tensor
    if tensor is not None and (tensor.is_weight or tensor.is_cache):
        return Value(storage, View(storage.shape, contiguous(storage.shape, 0)))  # its strides are meaningless
    storage.nbytes  # noqa: B018 - raises unless rows are whole blocks
    count, size, _ = ALL_ELEMENTS[storage.gguf_type]
    shape = (*storage.shape[:-1], storage.shape[-1] // count) if count > 1 else storage.shape
    return Value(storage, View(shape, contiguous(shape, size)))


def _orders(view: View) -> tuple[tuple[Order, View], tuple[Order, View]]:
    return ("C", view), ("F", view.reversed)
