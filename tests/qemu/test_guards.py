# SPDX-License-Identifier: MIT
"""That the placement of tensors in the op tests (tests/ops/placed.py) can see a byte too many."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pd
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType as Q
from ops.placed import EDGES, Layout, Product, pack

from pyhexagon import Device, DeviceLostError
from pyhexagon._ffi import contract
from pyhexagon._ffi.rpcmem import PAGE
from pyhexagon.memory.buffer import Pin
from pyhexagon.program import wire

pytest_plugins = ("qemu_plugin",)

N, K, M = 65, 96, 3
WEIGHT, X, RESULT = range(3)


@pytest.fixture
def device(qemu: str, faults: Faults) -> Iterator[Device]:
    faults.set("map_sizes", 0)
    with Device("loopback:qemu") as device:
        yield device


@pytest.fixture(params=EDGES)
def layout(device: Device, request: pytest.FixtureRequest) -> Layout:
    rng = np.random.default_rng(0)
    weight = pack(Q.F32, rng.standard_normal((N, K), dtype=np.float32).view(np.uint8), N, K)
    return Layout(device, request.param, [Product(weight, rng.standard_normal((M, K), dtype=np.float32))])


def mappings(pid: int) -> list[tuple[int, int, str, int]]:
    """First address, end, permissions and inode of each mapping of a process."""
    found = []
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        addresses, permissions, _, _, inode, *_ = line.split()
        first, end = (int(address, 16) for address in addresses.split("-"))
        found.append((first, end, permissions, int(inode)))
    return found


def test_every_tensor_lies_between_pages_that_cannot_be_touched(layout: Layout) -> None:
    layout.run("hvx")
    (pid,) = pd.children()
    maps = mappings(pid)
    for placed in layout.placed:
        inode = os.fstat(placed.buffer.fd).st_ino
        (at,) = (index for index, entry in enumerate(maps) if entry[3] == inode)
        first, end, permissions, _ = maps[at]
        assert (end - first, permissions) == (placed.buffer.size, "rw-s")
        assert placed.offset in (0, end - first - placed.n_bytes)
        for neighbour, touches in ((maps[at - 1], maps[at - 1][1] == first), (maps[at + 1], maps[at + 1][0] == end)):
            assert not touches or neighbour[2].startswith("---")


@pytest.mark.parametrize("tensor", [WEIGHT, X, RESULT], ids=["weight", "x", "result"])
@pytest.mark.parametrize("kernels", ["hvx", "ref"])
def test_a_tensor_that_is_one_page_too_far_kills_the_dsp(layout: Layout, tensor: int, kernels: str) -> None:
    """The checker refuses such a request, so it is lied to about the buffer's size, as a board's could be."""
    layout.run(kernels)
    request = layout.encode(kernels)
    at = layout.tensor_at(tensor)
    fields = list(contract.TENSOR.unpack_from(request, at))
    fields[3] = layout.placed[tensor].buffer.size - layout.placed[tensor].n_bytes + (128 if tensor == WEIGHT else 4)
    contract.TENSOR.pack_into(request, at, *fields)
    session, buffer = layout.device._session, layout.placed[tensor].buffer
    size = contract.RESPONSE.size + contract.RECORD.size
    response = session.run(request, size, 10, Pin(()))
    assert wire.Response.of(response).status == 4109, "PHX_E_RANGE"
    session.opened.stub.unmap_buffer(buffer.fd)
    session.opened.stub.map_buffer(buffer.fd, buffer.size + PAGE)
    with pytest.raises(DeviceLostError):
        session.run(request, size, 10, Pin(()))
