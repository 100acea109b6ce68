# SPDX-License-Identifier: MIT
"""Run a kernel with its tensors at the edges of their memory, and values around them that differ from run to run.

A result that depends on what lies outside of the tensors differs between these runs, an access past the slack faults,
and an element that the kernel does not write keeps what was there before each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi import contract
from pyhexagon.errors import DeviceLostError, KernelError
from pyhexagon.kernels.kernel import Kernel
from pyhexagon.kernels.signature import dtype_of, kernel_type
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor

Array = npt.NDArray[Any]


class _Layout(NamedTuple):
    """How a run places tensors.

    Attributes:
        edge: of the memory of each tensor: "end" or "start".
        fill: what lies around them, and in results before the run.
        value: returns an element of it.
        is_spread: whether it lies between rows, too.
    """

    edge: str
    fill: str
    value: Callable[[np.dtype[Any]], Any]
    is_spread: bool

    @property
    def what(self) -> str:
        spread = ", rows apart" if self.is_spread else ""
        return f"with tensors at the {self.edge} of their memory and {self.fill} around them{spread}"


def _limits(dtype: np.dtype[Any]) -> Any:
    return np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)


def _ones(dtype: np.dtype[Any]) -> Any:
    return np.frombuffer(b"\xff" * dtype.itemsize, dtype)[0]


def _least(dtype: np.dtype[Any]) -> Any:
    return _limits(dtype).min


def _greatest(dtype: np.dtype[Any]) -> Any:
    return _limits(dtype).max


# Sums, products and comparisons depend on one of these, bits on one of two; bytes of 255 are NaN to floats.
_TOUCHING: Final = (
    _Layout("end", "bytes of 255", _ones, is_spread=False),
    _Layout("start", "the least values", _least, is_spread=False),
)
_SPREAD: Final = (
    _Layout("end", "the least values", _least, is_spread=True),
    _Layout("start", "the greatest values", _greatest, is_spread=True),
    _Layout("end", "bytes of 255", _ones, is_spread=True),
)


class Run(NamedTuple):
    """The results of a run.

    Attributes:
        what: how its tensors were placed.
        fills: of each result, the element that was there before.
    """

    what: str
    results: list[Array]
    fills: list[Array]

    def is_untouched(self, i: int) -> Array:
        """Return which elements of a result have the bytes that were there before the run."""
        dtype = f"u{self.results[i].itemsize}"
        same: Array = np.ascontiguousarray(self.results[i]).view(dtype) == self.fills[i].view(dtype)
        return same.reshape(self.results[i].shape)


class _Placed(NamedTuple):
    """A tensor at an edge of a buffer, between pages that cannot be touched.

    Attributes:
        memory: the whole buffer, as elements.
        fill: the element around the tensor.
        first: its first element there.
        pitch: elements from row to row.
        shape: its shape.
    """

    memory: Tensor
    fill: Array
    first: int
    pitch: int
    shape: tuple[int, ...]

    @property
    def elements(self) -> Array:
        """The whole buffer."""
        elements: Array = self.memory.buffer.bytes.view(self.fill.dtype)
        return elements

    @property
    def rows(self) -> tuple[slice, tuple[int, ...], int]:
        """Where its rows lie: a part of the elements, the shape to give them, and the elements of each that count."""
        lead, n = self.shape[:-1], self.shape[-1] if self.shape else 1
        return slice(self.first, self.first + prod(lead) * self.pitch), (*lead, self.pitch), n

    def array(self, elements: Array) -> Array:
        """Return the tensor's elements, given those of the whole buffer."""
        part, shape, n = self.rows
        found: Array = elements[part].reshape(shape)[..., :n]
        return found if self.shape else found.reshape(())

    def value(self, p: Graph) -> Value:
        """Return the tensor as an operand of a program."""
        part, shape, n = self.rows
        rows = p.value(self.memory)[part].reshape(shape)
        rows = rows if self.pitch == n else rows[..., :n]
        return rows if self.shape else rows.reshape(())

    def require_untouched_around(self, kernel: Kernel, what: str) -> None:
        """Raise KernelError if an element around the tensor has changed."""
        around = self.elements.copy()
        self.array(around)[...] = self.fill
        if around.tobytes() != self.fill.tobytes() * around.size:
            raise KernelError(f"{kernel!r} writes outside of {what}")


def run(dsp: Any, kernel: Kernel, sources: Sequence[Array], *, timeout: float, params: Mapping[str, Any]) -> list[Run]:
    """Run a call once with each placement of its tensors.

    Args:
        dsp: a device whose memory lies between pages that cannot be touched.

    Returns:
        Two runs with rows that touch, and three with space between them, unless the kernel refuses that.

    Raises:
        KernelError: it accesses memory outside of its tensors, or returns an error.
    """
    runs = [_run(dsp, kernel, sources, layout, timeout=timeout, params=params) for layout in _TOUCHING]
    if not all(0 < x.ndim <= contract.MAX_DIMS and x.size for x in sources):
        return runs
    try:
        return runs + [_run(dsp, kernel, sources, layout, timeout=timeout, params=params) for layout in _SPREAD]
    except KernelError as error:
        if error.code != contract.E_KERNEL:
            raise
        return runs


def require_pure(kernel: Kernel, runs: Sequence[Run]) -> None:
    """Raise KernelError if elements keep what was there before each run, or depend on what lies around the tensors."""
    for i, one in enumerate(runs[0].results):
        if (untouched := np.logical_and.reduce([each.is_untouched(i) for each in runs])).any():
            at = tuple(int(n) for n in np.argwhere(untouched)[0])
            raise KernelError(
                f"{kernel!r} does not write {int(untouched.sum())} of {one.size} elements of result {i}, first at {at}",
                hint="write all elements of the rows first to end; shape= says how many there are",
            )
    for each in runs[1:]:
        for i, (one, other) in enumerate(zip(runs[0].results, each.results, strict=True)):
            if (wrong := differ(one, other)).any():
                at = tuple(int(n) for n in np.argwhere(wrong)[0])
                raise KernelError(
                    f"result {i} of {kernel!r} depends on memory outside of its tensors, first at {at}: "
                    f"it is {one[at]} {runs[0].what}, and {other[at]} {each.what}",
                    hint="bytes behind a row may be read within .slack, but must not change a result",
                )


def differ(one: Array, other: Array) -> Array:
    """Return which elements differ; NaN is like NaN."""
    both = one.dtype.kind == "f" and np.isnan(one) & np.isnan(other)
    found: Array = (one != other) & ~np.asarray(both)
    return found


def _run(
    dsp: Any, kernel: Kernel, sources: Sequence[Array], layout: _Layout, *, timeout: float, params: Mapping[str, Any]
) -> Run:
    p = dsp.program()
    inputs = [_place(dsp, kernel, layout, x.shape, x.dtype) for x in sources]
    for x, at in zip(sources, inputs, strict=True):
        at.array(at.elements)[...] = x
    prepared, results, words = kernel.prepare(p, [at.value(p) for at in inputs], None, None, params)
    outputs = [_place(dsp, kernel, layout, shape, dtype_of(gguf_type)) for shape, gguf_type in results]
    p.op_call(kernel, prepared, results, words, [at.value(p) for at in outputs])
    try:
        p.compile().run(timeout=timeout)
    except DeviceLostError as error:
        dsp.reopen()
        raise KernelError(
            f"{kernel!r} accesses memory outside of its tensors, which lie at the {layout.edge} of theirs: "
            f"{error.detail}",
            hint="handle the rest of a row apart, or declare .slack for what it may read behind a tensor",
        ) from None
    for i, at in enumerate(inputs):
        at.require_untouched_around(kernel, f"source {i}")
    for i, at in enumerate(outputs):
        at.require_untouched_around(kernel, f"result {i}")
    found = [at.array(at.elements).copy() for at in outputs]
    for at in (*inputs, *outputs):
        at.memory.drop()
    if kernel.adapter is not None:
        broadcast = np.broadcast_shapes(*(x.shape for x in sources))
        found = [result.reshape(broadcast) for result in found]
    return Run(layout.what, found, [at.fill for at in outputs])


def _place(dsp: Any, kernel: Kernel, layout: _Layout, shape: tuple[int, ...], dtype: np.dtype[Any]) -> _Placed:
    """Allocate memory for a tensor, filled with what lies around it."""
    gguf_type = kernel_type(dtype, "a tensor")
    room = -(-kernel.descriptor.slack // dtype.itemsize)  # elements behind the tensor that may be read
    lead, n = shape[:-1], shape[-1] if shape else 1
    pitch, behind = (n + room + 1, 0) if layout.is_spread else (n, room)
    n_elements = prod(lead) * pitch
    whole = dsp._memory.allocate(max((n_elements + behind) * dtype.itemsize, 1))
    fill = np.array(layout.value(dtype), dtype)
    whole.bytes.view(dtype)[:] = fill
    most = whole.size // dtype.itemsize
    memory = Tensor(dsp, whole, gguf_type, (most,), whole.size)
    return _Placed(memory, fill, most - behind - n_elements if layout.edge == "end" else 0, pitch, shape)
