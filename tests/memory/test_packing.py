# SPDX-License-Identifier: MIT
"""Repacking on several threads: the same bits, no thread left after an interruption, no file twice in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import repacking
import weights
from gguf import GGMLQuantizationType as Q

from memory.models import MIB
from pyhexagon import Device, GGUFFile, quants
from pyhexagon.errors import HexagonError

Write = Callable[..., Path]
N, K = 5000, 4096  # 22 MiB as Q8_0


@pytest.fixture(autouse=True)
def three_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})


@pytest.fixture
def path(gguf_file: Write) -> Path:
    rows = weights.random_bytes(Q.Q8_0, 200, K, np.random.default_rng(0)).reshape(200, -1)
    return gguf_file(a=(Q.Q8_0, np.tile(rows, (N // 200, 1))), b=(Q.Q8_0, rows))


def n_packers() -> int:
    return sum(thread.name.startswith("pyhexagon-repack") for thread in threading.enumerate())


def file_pages(path: Path) -> int:
    """Return the bytes of a file that this process has in memory."""
    sizes, is_of_file = [0], False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split(maxsplit=1)[0]:
            is_of_file = line.endswith(str(path))
        elif is_of_file and line.startswith("Rss:"):
            sizes.append(int(line.split()[1]) << 10)
    return sum(sizes)


def test_the_bits_are_those_of_one_thread(path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with Device("loopback") as device, GGUFFile(path) as file:
        tensors = device.load_all(file, progress=lambda *at: seen.append(at))
        for name, tensor in tensors.items():
            want = repacking.repack(Q.Q8_0, file.raw(name), *tensor.shape)
            (part,) = tensor.parts
            np.testing.assert_array_equal(part.buffer.bytes[: len(want)], want)
        size = sum(file[name].n_bytes for name in file)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1] == (size, size)


def test_ctrl_c_leaves_nothing_and_the_next_load_is_right(path: Path) -> None:
    def interrupt(done: int, size: int) -> None:
        raise KeyboardInterrupt

    x = np.random.default_rng(1).standard_normal((1, K), dtype=np.float32)
    with Device("loopback") as device:
        with pytest.raises(KeyboardInterrupt):
            device.load_all(path, progress=interrupt)
        with pytest.raises(KeyboardInterrupt):
            device.load(path, "a", progress=interrupt)
        a, b = device.load_all(path).values()
        np.testing.assert_array_equal(device.matmul(x, a).numpy()[:, :200], device.matmul(x, b).numpy())
        a.close()
        b.close()
        device._memory.trim()
        assert device._memory.allocated == 0
    for thread in threading.enumerate():
        if thread.name.startswith("pyhexagon-repack"):
            thread.join()
    assert not n_packers()


def test_an_error_on_any_thread_ends_the_load(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def repack(*arguments: object) -> None:
        if threading.current_thread() is not threading.main_thread():
            failed.set()
            raise HexagonError("no")
        failed.wait()
        real(*arguments)  # type: ignore[arg-type]

    failed, real = threading.Event(), quants.repack
    monkeypatch.setattr(quants, "repack", repack)
    with Device("loopback") as device:
        with pytest.raises(HexagonError, match="no"):
            device.load(path, "a")
        monkeypatch.undo()
        device.load(path, "a").close()


def test_the_file_is_not_in_memory_beside_its_tiles(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def repack(dtype: Q, blocks: weights.U8, *arguments: object) -> None:
        real(dtype, blocks, *arguments)  # type: ignore[arg-type]
        seen.append((file_pages(path), blocks.nbytes))

    seen: list[tuple[int, int]] = []
    real = quants.repack
    with Device("loopback") as device, GGUFFile(path) as file:
        size = sum(file[name].n_bytes for name in file)
        monkeypatch.setattr(quants, "repack", repack)
        device.load_all(file)
        assert max(mapped for mapped, _ in seen) == 0
        assert max(copied for _, copied in seen) <= 2 * MIB  # one a thread
        assert sum(copied for _, copied in seen) == size > 20 * MIB
        assert file.raw("b")[0, 0] >= 0  # a page of the mapping, which is seen
        assert file_pages(path) > 0
