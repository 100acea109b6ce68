# SPDX-License-Identifier: MIT
"""Matmuls over tensors placed by hand: each in a separate buffer, at its very end or at its start.

In the QEMU engine a mapped buffer lies between two guard pages (test_guards.py proves it), so with both placements one
byte read or written outside a tensor, on either side, kills the DSP process. The rest of the buffer is filled with NaN
where the DSP reads and with a pattern where it writes, and is checked afterwards: on every engine, this also finds
errors that stay within a page.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon import Device, quants
from pyhexagon._ffi import contract
from pyhexagon.memory.buffer import Buffer, Pin
from pyhexagon.program import wire
from pyhexagon.program.numbers import TRANSIENT_NUMBER

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
Edge = Literal["ends", "starts"]

EDGES: tuple[Edge, ...] = ("ends", "starts")
READ_FILL, WRITTEN_FILL = 0xFF, 0xA5


@dataclass(frozen=True)
class Weight:
    """Packed weight matrices of N rows and K columns; `leading` has the leading dimensions, outermost first."""

    dtype: Q
    n: int
    k: int
    tiles: U8
    leading: tuple[int, ...] = ()


def pack(dtype: Q, raw: U8, n: int, k: int) -> Weight:
    """Pack GGUF bytes into a weight."""
    tiles = np.zeros(quants.tile_bytes(dtype, n, k), np.uint8)
    quants.repack(dtype, raw.reshape(n, -1), n, k, tiles)
    return Weight(dtype, n, k, tiles)


@dataclass(frozen=True)
class Product:
    """x (..., M, K) times a weight; each dimension is followed by ``padding`` elements.

    With ids (T, U), a mixture of experts: x (T, 1, K) or (T, U, K).
    """

    weight: Weight
    x: F32
    padding: int = 0
    ids: I32 | None = None


class _Placed:
    """A tensor in a separate buffer."""

    def __init__(self, device: Device, edge: Edge, n_bytes: int, fill: int) -> None:
        self.buffer: Buffer = device._memory.allocate(max(n_bytes, 1))
        self.offset = self.buffer.size - n_bytes if edge == "ends" else 0
        self.n_bytes = n_bytes
        self.buffer.bytes[:] = fill

    @property
    def bytes(self) -> U8:
        inside: U8 = self.buffer.bytes[self.offset : self.offset + self.n_bytes]
        return inside


class _Rows(_Placed):
    """(..., rows, columns) elements of 32 bits."""

    def __init__(self, device: Device, edge: Edge, shape: tuple[int, ...], padding: int, fill: int) -> None:
        self.shape = shape
        strides = [4]
        for n in shape[:0:-1]:
            strides.append(n * strides[-1] + 4 * padding)
        self.strides = tuple(reversed(strides))
        reach = 4 + sum((n - 1) * stride for n, stride in zip(shape, self.strides, strict=True))
        super().__init__(device, edge, reach if prod(shape) else 0, fill)

    @property
    def array(self) -> F32:
        array: F32 = np.ndarray(self.shape, np.float32, self.buffer.bytes.data, self.offset, self.strides)
        return array

    def pack(self, buffer: int, flags: int, dtype: Q = Q.F32) -> bytes:
        ne = (*self.shape[::-1], 1, 1)[:4]
        beyond = self.shape[0] * self.strides[0]  # a stride that is never used
        nb = (*self.strides[::-1], beyond, beyond)[:4]
        return contract.TENSOR.pack(dtype, contract.LAYOUT_ROWS, buffer, self.offset, *ne, *nb, flags, 0)


class Layout:
    """The placed tensors of some matmuls; ``encode`` makes the request, ``results`` checks and copies the results.

    Attributes:
        placed: every tensor, in the order of the request's buffer and tensor tables.
        dma_bytes: of each op, from the records of the last run.
    """

    def __init__(self, device: Device, edge: Edge, products: Sequence[Product]) -> None:
        self.device = device
        self.products = products
        self.placed: list[_Placed] = []
        self.dma_bytes: list[int] = []
        self._tensors: list[bytes] = []
        self._ops: list[tuple[int, tuple[int, ...]]] = []  # code, and the words after the kernels
        self._before: list[U8 | None] = []  # content that the DSP must not change
        self._results: list[_Rows] = []
        weights: dict[int, int] = {}
        for product in products:
            weight, x = product.weight, product.x
            if id(weight) not in weights:
                weights[id(weight)] = self._add_weight(edge, weight)
            indices = [weights[id(weight)], self._add_source(edge, x, product.padding, Q.F32)]
            shape, name = x.shape[:-1], "mul_mat"
            if product.ids is not None:
                indices.append(self._add_source(edge, product.ids, product.padding, Q.I32))
                shape, name = product.ids.shape, "mul_mat_id"
            result = _Rows(device, edge, (*shape, weight.n), product.padding, WRITTEN_FILL)
            flags = contract.HOST_WROTE | contract.HOST_READS  # the host wrote what lies around the rows
            index = self._add(result, result.pack(len(self.placed), flags))
            self._before.append(None)
            self._results.append(result)
            sources = *indices, *(contract.NONE,) * (contract.MAX_SRC - len(indices))
            results = index, *(contract.NONE,) * (contract.MAX_DST - 1)
            self._ops.append((contract.OPS[name].code, (*sources, *results, *(0,) * contract.MAX_PARAMS)))

    def _add(self, placed: _Placed, tensor: bytes) -> int:
        self.placed.append(placed)
        self._tensors.append(tensor)
        return len(self.placed) - 1

    def _add_source(self, edge: Edge, array: F32 | I32, padding: int, dtype: Q) -> int:
        source = _Rows(self.device, edge, array.shape, padding, READ_FILL)
        source.array.view(array.dtype)[...] = array
        self._before.append(source.buffer.bytes.copy())
        return self._add(source, source.pack(len(self.placed), contract.HOST_WROTE, dtype))

    def _add_weight(self, edge: Edge, weight: Weight) -> int:
        placed = _Placed(self.device, edge, len(weight.tiles), READ_FILL)
        placed.bytes[:] = weight.tiles
        self._before.append(placed.buffer.bytes.copy())
        shape = (weight.k, weight.n, *weight.leading[::-1], 1, 1)[:4]
        index = len(self.placed)
        return self._add(
            placed,
            contract.TENSOR.pack(
                weight.dtype, contract.LAYOUT_TILES, index, placed.offset, *shape, 0, 0, 0, 0, contract.HOST_WROTE, 0
            ),
        )

    def encode(self, kernels: str) -> bytearray:
        """Return a request that defines, runs and drops the program, with a record of each op."""
        header = contract.DEFINITION.pack(len(self.placed), len(self._tensors), len(self._ops), 0)
        buffers = [contract.BUFFER.pack(placed.buffer.fd, 0) for placed in self.placed]
        ops = [contract.OP.pack(code, contract.KERNELS[kernels], 0, *rest) for code, rest in self._ops]
        tables = b"".join([header, *buffers, *self._tensors, *ops])
        actions = contract.DEFINE | contract.RUN | contract.DROP
        return wire.request(actions, TRANSIENT_NUMBER, flags=contract.RECORDS, tables=tables).message

    def tensor_at(self, index: int) -> int:
        """Return a tensor's offset in the request; the ops follow the last one."""
        before = contract.REQUEST.size + contract.DEFINITION.size + len(self.placed) * contract.BUFFER.size
        return before + index * contract.TENSOR.size

    def run(self, kernels: str) -> tuple[list[F32], str]:
        """Run the program; return the results, and the kernels that every op ran on."""
        n_ops = len(self._ops)
        response = self.send(self.encode(kernels))
        answer = wire.Response.of(response)
        while answer.workspace_needed:  # products change no state, so the whole program may run again
            self.device._session.grow_workspace(answer.workspace_needed)
            response = self.send(self.encode(kernels))
            answer = wire.Response.of(response)
        assert (answer.status, answer.n_records) == (0, n_ops), answer
        records = list(contract.RECORD.iter_unpack(response[contract.RESPONSE.size :]))
        at = contract.RECORD_FIELDS.index("kernels")
        (ran,) = {contract.KERNEL_NAMES[record[at]] for record in records}
        self.dma_bytes = [record[contract.RECORD_FIELDS.index("dma_bytes")] for record in records]
        return self._take_results(), ran

    def send(self, request: bytearray) -> bytes:
        """Send this request, or a modified one, and return the response."""
        size = contract.RESPONSE.size + len(self._ops) * contract.RECORD.size
        buffers = [placed.buffer for placed in self.placed]
        for buffer in buffers:
            buffer.version += 1  # without it, a clean would assume that the CPU has not written the buffer
        pin = Pin(buffers)
        pin.reads = buffers
        self.device._memory.reach(self.device._session, buffers, time.monotonic() + 60)
        response = self.device._session.run(request, size, self.device.timeout, pin)
        pin.release()
        return response

    def _take_results(self) -> list[F32]:
        results = [result.array.copy() for result in self._results]
        for result in self._results:
            result.array.view(np.uint32)[...] = np.full(4, WRITTEN_FILL, np.uint8).view(np.uint32)
        for placed, before in zip(self.placed, self._before, strict=True):
            wanted = WRITTEN_FILL if before is None else before
            assert (placed.buffer.bytes == wanted).all(), "the DSP wrote outside its results"
        return results

    def release(self) -> None:
        """Return the buffers to the device's pool."""
        for placed in self.placed:
            self.device._memory.release(placed.buffer)


def run(device: Device, edge: Edge, kernels: str, products: Sequence[Product]) -> tuple[list[F32], str]:
    """Run matmuls as one program; return their results, and the kernels that ran."""
    layout = Layout(device, edge, products)
    results = layout.run(kernels)
    layout.release()
    return results
