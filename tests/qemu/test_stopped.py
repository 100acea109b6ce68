# SPDX-License-Identifier: MIT
"""A DSP process that is stopped (SIGSTOP) at some moment: no call waits for ever, and there is a way back.

By default some of the moments are tried. All of them, in about 5 minutes:

    PYHEXAGON_ALL_MOMENTS=1 python -m pytest tests/qemu/test_stopped.py
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from itertools import cycle, product
from pathlib import Path

import numpy as np
import pd
import pytest
from conftest import check_settled, settled
from waiting import LONG

from pyhexagon import Device, DeviceLostError, DspTimeoutError, Tensor
from pyhexagon._ffi.library import Library
from pyhexagon.process.transport import NAMES

pytest_plugins = ("qemu_plugin",)

ALL = os.environ.get("PYHEXAGON_ALL_MOMENTS") == "1"
DELAYS = range(0, 500, 10) if ALL else range(0, 500, 100)  # milliseconds
TIMEOUT = 5.0  # of the devices: opening one takes a while on a busy machine
HURRY = 0.5  # of products
X = np.ones((2, 64), np.float32)
W = np.ones((96, 64), np.float32)


def stop_after(delay: float) -> threading.Thread:
    """Stops this process's DSP processes after a delay, or as soon as there is one."""

    def stop() -> None:
        time.sleep(delay)
        end = time.monotonic() + LONG
        while not pd.children() and time.monotonic() < end:
            time.sleep(0.0005)
        for pid in pd.children():
            os.kill(pid, signal.SIGSTOP)
            while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "TZ":
                time.sleep(0.0005)

    thread = threading.Thread(target=stop)
    thread.start()
    return thread


def timed(call: Callable[[], object]) -> bool:
    """Whether the call worked; otherwise it has raised one of the two errors of a device that does not answer.

    It ends long before what has no limit of its own would.
    """
    start = time.monotonic()
    try:
        call()
        worked = True
    except (DspTimeoutError, DeviceLostError):
        worked = False
    took = time.monotonic() - start
    assert took < LONG / 2, f"{took:.1f} s"
    return worked


def open_or_none() -> Device | None:
    devices: list[Device] = []
    timed(lambda: devices.append(Device("loopback:qemu", timeout=TIMEOUT)))
    return devices.pop() if devices else None


def works_again(device: Device) -> None:
    """A device that was stopped just after it was opened."""
    with device:
        assert not timed(lambda: device.weight(W))
        assert timed(device.reopen)
        assert (device.matmul(X, device.weight(W)).numpy() == 64).all()


@pytest.mark.filterwarnings("ignore:a DSP session is abandoned:ResourceWarning")
@pytest.mark.parametrize("then", [signal.SIGCONT, signal.SIGKILL], ids=lambda number: number.name)
def test_stopped_while_a_device_opens(library: Library, then: signal.Signals, figure: Callable[[str], None]) -> None:
    with Device("loopback:qemu"):
        pass
    before, opened = settled(), 0
    for delay in DELAYS:
        stopper = stop_after(delay / 1e3)
        device = open_or_none()
        stopper.join()
        if device is None:
            with Device("loopback:qemu") as other:  # by a session number that does not hang
                assert (other.matmul(X, other.weight(W)).numpy() == 64).all()
            for pid in pd.children():
                os.kill(pid, then)  # now what had been given up ends by itself
        else:
            opened += 1
            works_again(device)
        assert pd.all_gone()
    del device
    check_settled(before)
    devices = [Device("loopback:qemu") for _ in range(4)]
    for device in devices:
        device.close()
    figure(f"SIGSTOP, then {then.name}: {len(DELAYS)} delays, {opened} after the open")


STAGES: dict[str, Callable[[Device, Tensor], object]] = {
    "load": lambda device, w: device.weight(W),
    "activations": lambda device, w: device.matmul(device.tensor(np.ones((5, 64), np.float32)), w, timeout=HURRY),
    "product": lambda device, w: device.matmul(X, w, timeout=HURRY),
    "another shape": lambda device, w: device.matmul(np.ones((3, 64), np.float32), w, timeout=HURRY),
    "capacity": lambda device, w: device.capacity(),
    "long product": lambda device, w: device.matmul(np.ones((4096, 64), np.float32), w, timeout=HURRY),
}


@pytest.mark.parametrize(
    ("stage", "transport"), list(product(STAGES, NAMES)) if ALL else list(zip(STAGES, cycle(NAMES), strict=False))
)
def test_stopped_in_a_stage(library: Library, stage: str, transport: str) -> None:
    with Device("loopback:qemu", transport=transport, timeout=TIMEOUT) as device:
        w = device.weight(W)
        want = device.matmul(X, w).numpy().copy()
        stopper = stop_after(0.1 if stage == "long product" else 0)
        if stage != "long product":
            stopper.join()
        in_time = timed(lambda: STAGES[stage](device, w))
        stopper.join()
        if in_time:  # it was through before the process was stopped: the next one is not
            assert stage == "long product"
            assert not timed(lambda: STAGES[stage](device, w))
        assert device.lost
        assert not timed(lambda: device.matmul(X, w, timeout=LONG))
        assert timed(device.reopen)
        np.testing.assert_array_equal(device.matmul(X, w), want)
        stop_after(0).join()
        assert timed(device.reopen), "it finds out by itself"
        np.testing.assert_array_equal(device.matmul(X, w), want)
        stop_after(0).join()
        timed(device.close)
    assert pd.all_gone()
