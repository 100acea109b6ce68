# SPDX-License-Identifier: MIT
"""Long use: opens, deaths, suspensions, a DSP that comes up late, idle calls. No round leaves a resource open.

Some rounds by default. 1,000 of each kind with suspensions of up to a minute, and all in the incoherent mode, once per
release:

    PYHEXAGON_LIFE_ROUNDS=1000 python -m pytest tests/conformance/test_long_life.py
    PYHEXAGON_LIFE_ROUNDS=1000 PYHEXAGON_LOOPBACK=incoherent python -m pytest tests/conformance/test_long_life.py
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import numpy as np
import pytest
from conftest import Faults, settled
from holdings import Heap, children, held
from waiting import LONG, once_waiting

from pyhexagon import Device, DeviceLostError, DeviceNotFoundError, Tensor

N_ROUNDS = int(os.environ.get("PYHEXAGON_LIFE_ROUNDS", "0"))
ROUNDS = {"loopback": N_ROUNDS or 10, "loopback:qemu": N_ROUNDS or 2}
N_WARM = 2  # rounds after which everything that is allocated once exists
SUSPENSION = LONG if N_ROUNDS else 0.05  # seconds, in the last round; a thousandth of it in the others
X = np.ones((2, 64), np.float32)
W = np.ones((96, 64), np.float32)

Round = Callable[[Device, Tensor, Faults, float], None]


def product(device: Device, w: Tensor, timeout: float = 2 * LONG) -> None:
    with device.matmul(X, w, timeout=timeout) as y:
        assert (y.numpy() == 64).all()


def opened(device: Device, w: Tensor, faults: Faults, seconds: float) -> None:
    """A second device is opened and closed beside it."""
    with Device(device.name) as other, other.weight(W) as v:
        product(other, v)


def killed(device: Device, w: Tensor, faults: Faults, seconds: float) -> None:
    faults.kill(device)
    with pytest.raises(DeviceLostError):
        product(device, w)


def suspended(device: Device, w: Tensor, faults: Faults, seconds: float) -> None:
    """The DSP process stops for a while, and the call that waits for it gets its result."""
    stopped = children() if device.name == "loopback:qemu" else []

    def suspend(on: bool) -> None:
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP if on else signal.SIGCONT)
        if not stopped:  # the host engine has no process
            faults.stall(device, on)

    def resume() -> None:
        time.sleep(seconds)
        suspend(False)

    suspend(True)
    timer = once_waiting(resume)
    product(device, w)
    timer.join()


def late(device: Device, w: Tensor, faults: Faults, seconds: float) -> None:
    """The DSP has died and is not there yet when the device is opened again."""
    killed(device, w, faults, seconds)
    faults.set("device", 0)
    with pytest.raises(DeviceNotFoundError):
        device.reopen()
    faults.set("device", 1)


def idle(device: Device, w: Tensor, faults: Faults, seconds: float) -> None:
    """The CPU sleeps between two calls."""
    product(device, w)
    time.sleep(seconds)
    product(device, w)


def counts() -> dict[str, int]:
    """Return how many descriptors, threads, mappings, children and sessions this process has."""
    return {what: len(has) if isinstance(has, list) else int(str(has)) for what, has in held().items()}


def wait_for_no_more_than(before: dict[str, int]) -> None:
    """Wait until all resources that are released asynchronously are released."""
    end = time.monotonic() + LONG
    while more := {what: n for what, n in counts().items() if n > before[what]}:
        assert time.monotonic() < end, f"{more}, before {before}"
        time.sleep(0.005)


@pytest.mark.parametrize("happens", [opened, killed, suspended, late, idle], ids=lambda happens: str(happens.__name__))
def test_nothing_is_left_after_a_round(
    engine: str, faults: Faults, happens: Round, figure: Callable[[str], None]
) -> None:
    n_rounds = N_WARM + ROUNDS[engine]
    start = time.monotonic()
    # Which transport is faster may change from open to open, and one has more threads than the other.
    with Device(engine, transport="dspqueue") as device, device.weight(W) as w:
        for number in range(1, n_rounds + 1):
            happens(device, w, faults, SUSPENSION if number == n_rounds else SUSPENSION / 1000)
            device.reopen()
            product(device, w)
            if number == N_WARM:
                settled()
                before, heap = counts(), Heap()
            elif number > N_WARM:
                wait_for_no_more_than(before)
    heap.check(ROUNDS[engine])
    figure(f"{engine}, {happens.__name__}: {ROUNDS[engine]} rounds in {time.monotonic() - start:.0f} s; {heap}")
