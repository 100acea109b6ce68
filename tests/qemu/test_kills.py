# SPDX-License-Identifier: MIT
"""A PD that is killed at each moment of a running matmul: the error, the way back, and nothing left behind."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

import numpy as np
import pd
import pytest
from conftest import check_settled, settled
from holdings import Heap
from waiting import LONG, until

from pyhexagon import Device, DeviceLostError
from pyhexagon._ffi import loopback
from pyhexagon._ffi.library import Library
from pyhexagon.process.transport import NAMES

pytest_plugins = ("qemu_plugin",)

N_WARM = 6  # what is allocated once has been allocated then
LEAST_MOMENTS = 20  # of a matmul, most of them instructions of user DMA
SEED = 3


@pytest.mark.parametrize("transport", NAMES)
def test_killed_at_each_moment_it_comes_back_with_the_same_bits(
    library: Library, transport: str, figure: Callable[[str], None]
) -> None:
    generator = np.random.default_rng(SEED)
    weight = generator.standard_normal((1024, 1024), dtype=np.float32)
    x_array = generator.standard_normal((16, 1024), dtype=np.float32)
    before, allocated, heap, n_in_run = (0, 0), 0, Heap(), 0
    with Device("loopback:qemu", transport=transport, timeout=LONG) as device:
        w, x = device.weight(weight), device.tensor(x_array)
        want = device.matmul(x, w).numpy().view(np.uint32).copy()
        with device.program() as p:
            p.output(p.matmul(x, w))
        _, report = p.compile().run_with_report()
        assert report.ops[0].dma_bytes == w.nbytes  # so DMA is under way when the PD dies
        n_killed, is_killed = 0, True
        while is_killed:
            killer, kills = kill_at(library, device, n_killed + 1, from_outside=n_killed % 2 == 0)
            try:
                device.matmul(x, w)
                killer.join()
                is_killed = bool(kills)  # when it had answered
                if not kills:
                    loopback.kill(library, device._session.domain.effective_id)  # the last one, between two calls
                with pytest.raises(DeviceLostError):
                    device.matmul(x, w)
            except DeviceLostError:
                n_in_run += 1
            killer.join()
            n_killed += 1
            device.reopen()
            np.testing.assert_array_equal(device.matmul(x, w).numpy().view(np.uint32), want)
            if n_killed == N_WARM:
                before, allocated, heap = settled(), device._memory.allocated, Heap()
        assert n_in_run > LEAST_MOMENTS
        check_settled(before)
        assert device._memory.allocated == allocated
        heap.check(n_killed - N_WARM)
        assert device.epoch == n_killed + 1
    assert pd.all_gone()
    figure(f"{transport}: a PD killed at each of {n_in_run} moments of a matmul; {heap}")


def kill_at(library: Library, device: Device, moment: int, from_outside: bool) -> tuple[threading.Thread, list[int]]:
    """Kill the PD at a moment of the call that follows, from outside or by the loopback, and list it; else not."""
    (pid,) = pd.children()
    domain = device._session.domain.effective_id
    n_answered = device._session.n_requests
    kills: list[int] = []

    def kill() -> None:
        until(
            lambda: loopback.is_stalled(library, domain) or device._session.n_requests > n_answered,
            f"moment {moment} of a matmul, or its end",
        )
        loopback.stall_at(library, domain, 0)
        if loopback.is_stalled(library, domain):
            kills.append(pid)
            if from_outside:
                os.kill(pid, signal.SIGKILL)
            else:
                loopback.kill(library, domain)

    loopback.stall_at(library, domain, moment)
    thread = threading.Thread(target=kill)
    thread.start()
    return thread, kills
