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
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import cycle, product

import deadlines
import numpy as np
import pd
import pytest
from conftest import check_settled, settled
from holdings import children
from waiting import LONG, until

from pyhexagon import Device, DeviceLostError, DspTimeoutError, HexagonError, Tensor
from pyhexagon._ffi import loopback, remote
from pyhexagon._ffi.library import Library
from pyhexagon.process.transport import NAMES

pytest_plugins = ("qemu_plugin",)

ALL = os.environ.get("PYHEXAGON_ALL_MOMENTS") == "1"
MIDDLE = 5  # a moment of a long product
DOMAINS = [remote.CDSP + 8 * session for session in range(4)]
X = np.ones((2, 64), np.float32)
W = np.ones((96, 64), np.float32)


def stop() -> None:
    """Stop this process's DSP processes."""
    for pid in pd.children():
        os.kill(pid, signal.SIGSTOP)
        until(lambda pid=pid: pd.state(pid) in "TZ", "the DSP process stops")  # type: ignore[misc]


@pytest.fixture(autouse=True)
def processes_may_be_stopped(library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wait no longer for a process that is stopped; leave none to the library's reset."""
    deadlines.come_at_once(monkeypatch, lambda: any(pd.state(pid) == "T" for pid in children()))
    yield
    for pid in pd.children():
        os.kill(pid, signal.SIGKILL)


def stop_at_its_moment(library: Library, ends: Callable[[], bool]) -> threading.Thread:
    """Stop the DSP process when it has come to the moment at which it is to stall, unless the call ends before."""

    def watch() -> None:
        until(lambda: is_stalled(library) or ends(), "the moment, or the end of the call")
        if is_stalled(library):
            stop()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def is_stalled(library: Library) -> bool:
    return any(loopback.is_stalled(library, domain) for domain in DOMAINS)


def resume(library: Library) -> None:
    """Let the DSP processes that are there go on."""
    for domain in DOMAINS:
        with suppress(HexagonError):
            loopback.stall(library, domain, False)


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


def open_or_none(library: Library, moment: int) -> Device | None:
    """Open a device whose process stops at a moment; return None if it did."""
    devices: list[Device] = []
    has_ended = threading.Event()
    loopback.set_option(library, "stall_at", moment)
    stopper = stop_at_its_moment(library, has_ended.is_set)
    timed(lambda: devices.append(Device("loopback:qemu", timeout=LONG)))
    has_ended.set()
    stopper.join()
    loopback.set_option(library, "stall_at", 0)
    return devices.pop() if devices else None


def works_again(device: Device) -> None:
    """Use a device that is stopped just after it was opened."""
    with device:
        stop()
        assert not timed(lambda: device.weight(W))
        assert timed(device.reopen)
        assert (device.matmul(X, device.weight(W)).numpy() == 64).all()


@pytest.mark.filterwarnings("ignore:a DSP session is abandoned:ResourceWarning")
@pytest.mark.parametrize("then", [signal.SIGCONT, signal.SIGKILL], ids=lambda number: number.name)
def test_stopped_while_a_device_opens(library: Library, then: signal.Signals, figure: Callable[[str], None]) -> None:
    with Device("loopback:qemu"):
        pass
    before = settled()
    n_stopped, device = 0, open_or_none(library, 1)
    while device is None:
        n_stopped += 1
        with Device("loopback:qemu") as other:  # by a session number that does not hang
            assert (other.matmul(X, other.weight(W)).numpy() == 64).all()
        for pid in pd.children():
            os.kill(pid, then)  # now what had been given up ends by itself
        resume(library)
        assert pd.all_gone()
        device = open_or_none(library, n_stopped + 1 if ALL else 2**n_stopped)
    works_again(device)
    assert pd.all_gone()
    del device
    check_settled(before)
    devices = [Device("loopback:qemu") for _ in range(4)]
    for one in devices:
        one.close()
    assert n_stopped > 3
    figure(f"SIGSTOP, then {then.name}: at {n_stopped} moments of an open")


STAGES: dict[str, Callable[[Device, Tensor], object]] = {
    "load": lambda device, w: device.weight(W),
    "activations": lambda device, w: device.matmul(device.tensor(np.ones((5, 64), np.float32)), w),
    "product": lambda device, w: device.matmul(X, w),
    "another shape": lambda device, w: device.matmul(np.ones((3, 64), np.float32), w),
    "capacity": lambda device, w: device.capacity(),
    "long product": lambda device, w: device.matmul(np.ones((4096, 64), np.float32), w),
}


@pytest.mark.parametrize(
    ("stage", "transport"), list(product(STAGES, NAMES)) if ALL else list(zip(STAGES, cycle(NAMES), strict=False))
)
def test_stopped_in_a_stage(library: Library, stage: str, transport: str) -> None:
    with Device("loopback:qemu", transport=transport, timeout=LONG) as device:
        w = device.weight(W)
        want = device.matmul(X, w).numpy().copy()
        if stage == "long product":
            loopback.stall_at(library, device._session.domain.effective_id, MIDDLE)
            stopper = stop_at_its_moment(library, lambda: False)
        else:
            stop()
        assert not timed(lambda: STAGES[stage](device, w))
        if stage == "long product":
            stopper.join()
        assert device.lost
        assert not timed(lambda: device.matmul(X, w))
        assert timed(device.reopen)
        np.testing.assert_array_equal(device.matmul(X, w), want)
        stop()
        assert timed(device.reopen), "it finds out by itself"
        np.testing.assert_array_equal(device.matmul(X, w), want)
        stop()
        timed(device.close)
    assert pd.all_gone()
