# SPDX-License-Identifier: MIT
"""A kept program is checked, and its fusion decided, again when an operand's buffer is another one or is smaller."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from ops.placed import U8, pack
from pyhexagon import Device
from pyhexagon._ffi import contract
from pyhexagon.errors.aee import STATUSES
from pyhexagon.memory.buffer import Pin
from pyhexagon.program import wire

COLUMNS, N_BYTES = 256, 1 << 17
ROW = 4 * COLUMNS


class Kept:
    """A program over tensors of one buffer, except the last, whose buffer a patch may change. Its ops may be fused,
    or not.

    Args:
        number: of the program.
        tensors: dtype, offset and rows of each.
        ops: name, sources and result of each; all but the first may be fused with the op before.
    """

    def __init__(
        self,
        device: Device,
        number: int,
        tensors: Sequence[tuple[Q, int, int]],
        ops: Sequence[tuple[str, tuple[int, ...], int]],
        content: U8,
        *,
        joined: bool,
    ) -> None:
        self.device, self.number = device, number
        self.buffers = [device._memory.allocate(N_BYTES) for _ in range(2)]
        self.content = content
        device._memory.reach(device._session, self.buffers, time.monotonic() + 60)
        parts = [contract.DEFINITION.pack(2, len(tensors), len(ops), 0)]
        parts += [contract.BUFFER.pack(self.buffers[0].fd, 0)] * 2
        host = contract.HOST_WROTE | contract.HOST_WRITES | contract.HOST_READS
        for at, (dtype, offset, n_rows) in enumerate(tensors, 1):
            ne, is_tiles = (COLUMNS, n_rows, 1, 1), dtype != Q.F32
            nb = (0,) * 4 if is_tiles else (4, ROW, n_rows * ROW, n_rows * ROW)
            layout = contract.LAYOUT_TILES if is_tiles else contract.LAYOUT_ROWS
            parts.append(contract.TENSOR.pack(dtype, layout, at == len(tensors), offset, *ne, *nb, host, 0))
        for at, (name, sources, result) in enumerate(ops):
            operands = *sources, *(contract.NONE,) * (contract.MAX_SRC - len(sources))
            results = result, *(contract.NONE,) * (contract.MAX_DST - 1)
            flags = contract.FUSED if joined and at else 0
            head = contract.OPS[name].code, contract.KERNELS["hvx"], flags
            parts.append(contract.OP.pack(*head, *operands, *results, *(0,) * contract.MAX_PARAMS))
        self._send(contract.DEFINE, tables=b"".join(parts))

    def run(self, buffer: int) -> list[U8]:
        """Run it with the last tensor in this buffer, and return the content of both buffers."""
        for one in self.buffers:
            one.bytes[:] = self.content
        self._send(contract.RUN, patches=[(contract.PATCH_FD, 1, 0, self.buffers[buffer].fd)])
        return [one.bytes.copy() for one in self.buffers]

    def answer(self, actions: int, tables: bytes = b"", patches: Sequence[wire.Patch] = ()) -> wire.Response:
        """Send a request about the program and return the response."""
        request = wire.request(actions, self.number, tables=tables, patches=patches)
        response = self.device._session.run(request.message, request.response_bytes, self.device.timeout, Pin(()))
        return wire.Response.of(response)

    def _send(self, actions: int, tables: bytes = b"", patches: Sequence[wire.Patch] = ()) -> None:
        assert self.answer(actions, tables, patches).status == 0

    def close(self) -> None:
        self._send(contract.DROP)
        for buffer in self.buffers:
            self.device._memory.release(buffer)


def check(
    device: Device, tensors: Sequence[tuple[Q, int, int]], ops: Sequence[tuple[str, tuple[int, ...], int]], content: U8
) -> None:
    """The last tensor first prevents an op from being fused with the first one, then does not, then does again."""
    both = [Kept(device, number, tensors, ops, content, joined=number == 1) for number in (0, 1)]
    for buffer in (0, 1, 0, 1):
        apart, joined = (one.run(buffer) for one in both)
        np.testing.assert_array_equal(joined, apart)
    for one in both:
        one.close()


@pytest.fixture(params=[("loopback", 1), ("loopback", 4), ("loopback:qemu", 1)])
def device(request: pytest.FixtureRequest, qemu: str) -> Iterator[Device]:
    engine, threads = request.param
    with Device(engine, threads=threads) as device:
        yield device


def floats(seed: int) -> U8:
    """Return floats for the whole buffer."""
    random = np.random.default_rng(seed)
    return random.standard_normal(N_BYTES // 4, dtype=np.float32).view(np.uint8)


def test_ops_that_go_row_by_row(device: Device) -> None:
    """With two rows of the op before, threads take four rows of the other ops at once; otherwise one."""
    source, x, first, second = ((Q.F32, at * ROW, n) for at, n in ((0, 2), (2, 8), (10, 8), (18, 8)))
    tensors = source, x, first, second, (Q.F32, x[1], 2)
    ops = ("rms_norm", (0,), 4), ("rms_norm", (1,), 2), ("rms_norm", (2,), 3)
    check(device, tensors, ops, floats(1))


def test_products_and_what_goes_on_with_their_results(device: Device) -> None:
    """An op that follows a matmul works on that matmul's columns, by its place in the fused group."""
    raw = weights.random_bytes(Q.Q4_0, COLUMNS, COLUMNS, np.random.default_rng(1))
    tiles = pack(Q.Q4_0, raw, COLUMNS, COLUMNS).tiles
    content = floats(2)
    content[-len(tiles) :] = tiles
    x, first, second = ((Q.F32, at * ROW, 1) for at in (0, 1, 2))
    tensors = (Q.Q4_0, N_BYTES - len(tiles), COLUMNS), x, first, second, (Q.F32, first[1], 1)
    ops = ("mul_mat", (0, 1), 4), ("mul_mat", (0, 1), 2), ("add", (2, 2), 3)
    check(device, tensors, ops, content)


def test_rows_that_an_earlier_op_still_reads(device: Device) -> None:
    """The second op's result is a row behind what the first one reads."""
    source, first = (Q.F32, 0, 24), (Q.F32, 32 * ROW, 24)
    tensors = source, first, (Q.F32, ROW, 24)
    check(device, tensors, (("rms_norm", (0,), 1), ("rms_norm", (1,), 2)), floats(3))


def test_a_buffer_that_is_mapped_again_is_as_large_as_it_is_now(device: Device) -> None:
    """The buffer's address stays the same, so that only its size tells that the last tensor lies behind its end."""
    tensors = (Q.F32, 0, 2), (Q.F32, N_BYTES - 2 * ROW, 2)
    kept = Kept(device, 0, tensors, (("rms_norm", (0,), 1),), floats(4), joined=False)
    want = kept.run(1)
    fd, stub = kept.buffers[1].fd, device._session.opened.stub
    stub.unmap_buffer(fd)
    assert STATUSES[kept.answer(contract.RUN).status][0] == "PHX_E_BUFFER"
    stub.map_buffer(fd, N_BYTES // 2)
    answer = kept.answer(contract.RUN)
    assert (STATUSES[answer.status][0], answer.failed_tensor) == ("PHX_E_RANGE", 1)
    stub.unmap_buffer(fd)
    stub.map_buffer(fd, N_BYTES)
    np.testing.assert_array_equal(kept.run(1), want)
    kept.close()
