# SPDX-License-Identifier: MIT
"""A PD that is killed at any moment of a running matmul: the error, the way back, and nothing left behind."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pd
import pytest
from conftest import check_settled, settled
from waiting import LONG

from pyhexagon import Device, DeviceLostError
from pyhexagon._ffi import loopback
from pyhexagon._ffi.library import Library
from pyhexagon.process.transport import NAMES

pytest_plugins = ("qemu_plugin",)

N_KILLS = 150  # through each transport
N_WARM = 20  # what is allocated once has been allocated then
LATER, EARLIER = 1.02, 0.9  # so that about one kill of six comes too late, the others at any moment of the matmul
SEED = 3
RSS_GROWTH = 4 << 20


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.parametrize("transport", NAMES)
def test_killed_at_any_moment_it_comes_back_with_the_same_bits(
    library: Library, transport: str, figure: Callable[[str], None]
) -> None:
    rng = random.Random(SEED)
    generator = np.random.default_rng(SEED)
    weight = generator.standard_normal((1024, 1024), dtype=np.float32)
    x_array = generator.standard_normal((16, 1024), dtype=np.float32)
    start = time.monotonic()
    before, allocated, memory = (0, 0), 0, 0
    slowest, n_attempts, n_kills = 0.0, 0, 0
    with Device("loopback:qemu", transport=transport) as device:
        w, x = device.weight(weight), device.tensor(x_array)
        want = device.matmul(x, w).numpy().view(np.uint32).copy()
        with device.program() as p:
            p.output(p.matmul(x, w))
        _, report = p.compile().run_with_report()
        assert report.ops[0].dma_bytes == w.nbytes  # so DMA is under way when the PD dies
        began = time.monotonic()
        device.matmul(x, w)
        latest = time.monotonic() - began  # after the call, of a kill; follows what else the machine does
        while n_kills < N_KILLS:
            n_attempts += 1
            assert n_attempts < 4 * N_KILLS, f"only {n_kills} of {n_attempts} kills hit a running matmul"
            died, killer = kill_later(library, device, rng, rng.uniform(0, latest))
            try:
                device.matmul(x, w)
            except DeviceLostError:
                n_kills += 1
                latest *= LATER
            else:  # it was through before the PD died
                latest *= EARLIER
                killer.join()
                with pytest.raises(DeviceLostError):
                    device.matmul(x, w)
            killer.join()
            slowest = max(slowest, time.monotonic() - died[0])
            assert slowest < LONG / 2
            device.reopen()
            np.testing.assert_array_equal(device.matmul(x, w).numpy().view(np.uint32), want)
            if n_attempts == N_WARM:
                before, allocated, memory = settled(), device._memory.allocated, resident()
        check_settled(before)
        assert device._memory.allocated == allocated
        growth = resident() - memory
        assert growth < RSS_GROWTH, f"{growth} bytes more are resident"
        assert device.epoch == n_attempts + 1
    assert pd.all_gone()
    figure(
        f"{transport}: {n_kills} PDs killed within {latest * 1e3:.0f} ms of a matmul's start ({n_attempts} attempts), "
        f"the slowest noticed after {slowest * 1e3:.0f} ms; {growth / 1024:.0f} KiB more resident; "
        f"{time.monotonic() - start:.0f} s"
    )


def kill_later(
    library: Library, device: Device, rng: random.Random, delay: float
) -> tuple[list[float], threading.Thread]:
    """Kills the PD after a delay, one time from outside and one time by the loopback; the time goes into the list."""
    (pid,) = pd.children()
    domain = device._session.domain.effective_id
    from_outside = rng.random() < 0.5
    died: list[float] = []

    def kill() -> None:
        time.sleep(delay)
        died.append(time.monotonic())
        if from_outside:
            os.kill(pid, signal.SIGKILL)
        else:
            loopback.kill(library, domain)

    thread = threading.Thread(target=kill)
    thread.start()
    return died, thread
