# SPDX-License-Identifier: MIT
"""Large buffers lie in anonymous memory, where Linux gives huge pages, until a PD in another process maps them."""

from __future__ import annotations

import gc
import os
import re
from pathlib import Path

import numpy as np
import pytest

from pyhexagon import Device, Tensor
from pyhexagon._ffi.library import load
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.process.locate import find_target

HUGE = 2 << 20
SHAPE = (1025, 1024)  # 4 KiB more than two huge pages
LIBRARY = load(find_target("loopback", None).library)


def area(address: int) -> tuple[int, int, int, list[str]]:
    """First address, end, inode and flags of the mapping that holds an address."""
    for entry in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", Path("/proc/self/smaps").read_text(), flags=re.MULTILINE)[1:]:
        addresses, _, _, _, inode = entry.split()[:5]
        first, end = (int(part, 16) for part in addresses.split("-"))
        if first <= address < end:
            return first, end, int(inode), entry.rpartition("VmFlags:")[2].split()
    raise AssertionError(f"nothing is mapped at {address:#x}")


def is_mapped(address: int) -> bool:
    lines = Path("/proc/self/maps").read_text().splitlines()
    ranges = ([int(part, 16) for part in line.split()[0].split("-")] for line in lines)
    return any(first <= address < end for first, end in ranges)


def doubled(device: Device, x: Tensor) -> np.ndarray:
    with device.program() as p:
        p.output(p.scale(p.input(x.shape), 2.0))
    (y,) = p.compile().run(x)
    return np.array(y)


def test_the_cpu_engine_uses_huge_pages() -> None:
    values = np.random.default_rng(0).standard_normal(SHAPE, dtype=np.float32)
    with Device("cpu") as device:
        x = device.tensor(values)
        address = x.buffer.address
        np.testing.assert_array_equal(doubled(device, x), 2 * values)
        _, end, inode, flags = area(address)
        assert (address % HUGE, inode) == (0, 0)
        assert end >= address + x.buffer.size
        if Path("/sys/kernel/mm/transparent_hugepage").exists():
            assert "hg" in flags
        small = device.tensor(values[:64])
        assert area(small.buffer.address)[2] == os.fstat(small.buffer.fd).st_ino
        x.numpy()[:] = 1  # the engine sees what the CPU writes after the mapping was made
        np.testing.assert_array_equal(doubled(device, x), np.full(SHAPE, 2, np.float32))
    del x, device, small
    gc.collect()
    assert not is_mapped(address)


def test_a_pd_in_another_process_gets_the_content_and_shares_it(qemu: str) -> None:
    values = np.random.default_rng(1).standard_normal(SHAPE, dtype=np.float32)
    with Device("loopback:qemu") as device:
        x = device.tensor(values)
        values[256:512] = x.numpy()[256:512] = 0  # pages of zeros are not copied
        np.testing.assert_array_equal(doubled(device, x), 2 * values)
        assert area(x.buffer.address)[2] == os.fstat(x.buffer.fd).st_ino
        x.numpy()[:] = 3
        np.testing.assert_array_equal(doubled(device, x), np.full(SHAPE, 6, np.float32))


@pytest.mark.parametrize("size", [HUGE - 4096, HUGE, HUGE + 4096, 3 * HUGE])
def test_sizes_around_a_huge_page(size: int) -> None:
    buffers = [SharedMemory(LIBRARY, size) for _ in range(3)]
    for number, buffer in enumerate(buffers):
        np.frombuffer(buffer.view, np.uint8)[:] = number + 1
    addresses = [buffer.address for buffer in buffers]
    for number, buffer in enumerate(buffers):
        assert (area(buffer.address)[2] == 0) == (size >= HUGE)
        assert set(np.unique(np.frombuffer(buffer.view, np.uint8))) == {number + 1}
    buffers[1].free()  # its fd's number comes back
    again = SharedMemory(LIBRARY, size)
    assert not np.frombuffer(again.view, np.uint8).any()
    for buffer in (*buffers, again):
        buffer.free()
    assert not any(is_mapped(address) for address in addresses)
