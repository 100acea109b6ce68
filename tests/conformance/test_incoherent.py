# SPDX-License-Identifier: MIT
"""CPU and DSP with separate copies of every buffer: only cache maintenance moves data between them."""

from __future__ import annotations

import errno
import logging
import tempfile
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import numpy.typing as npt
import pytest
from conftest import Faults

from pyhexagon import Device, DeviceLostError, HexagonError
from pyhexagon._ffi import dmabuf, loopback
from pyhexagon._ffi.library import Library, load
from pyhexagon.memory.buffer import Pin
from pyhexagon.process import locate

X = np.arange(64, dtype=np.float32)
RUNS = 3


@pytest.fixture
def separate(faults: Faults) -> Faults:
    faults.set("incoherent", 1)
    return faults


@pytest.fixture
def device(separate: Faults, engine: str, transport: str) -> Iterator[Device]:
    with Device(engine, transport=transport) as device:
        yield device


def doubles(device: Device) -> list[npt.NDArray[np.float32]]:
    """Return the results of runs with changing inputs, which use the same buffers again."""
    p = device.program()
    x = p.input(X.shape)
    p.output(p.add(x, x))
    double = p.compile()
    return [np.array(double(X + run)) for run in range(RUNS)]


def are_right(results: list[npt.NDArray[np.float32]]) -> bool:
    return all(np.array_equal(result, 2 * (X + run)) for run, result in enumerate(results))


def syncs(faults: Faults) -> list[tuple[int, int]]:
    """Return the fd and the flags of each recorded ioctl."""
    calls = [call.split("(")[1].split(")")[0] for call in loopback.calls(faults.library) if "loopback_sync(" in call]
    return [(int(fd, 16), int(flags, 16)) for fd, flags in (call.split(", ") for call in calls)]


def test_an_op_sees_new_inputs_and_returns_its_results(device: Device) -> None:
    assert are_right(doubles(device))


@pytest.mark.parametrize("name", ["clean", "invalidate"])
def test_an_op_fails_without_the_maintenance_of_its_buffers(
    device: Device, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(Pin, name, lambda _: None)
    assert not are_right(doubles(device))


@pytest.mark.parametrize("flags", [dmabuf.CLEAN, dmabuf.INVALIDATE])
def test_a_request_fails_without_the_maintenance_of_its_message(
    device: Device, monkeypatch: pytest.MonkeyPatch, flags: int
) -> None:
    area = device._session.opened.area
    assert area is not None
    real = dmabuf.sync

    def partial_sync(library: Library, fd: int, wanted: int) -> None:
        if (fd, wanted) != (area.buffer.fd, flags):
            real(library, fd, wanted)

    monkeypatch.setattr(dmabuf, "sync", partial_sync)
    with pytest.raises(HexagonError):
        doubles(device)


def test_a_request_brackets_the_buffers_that_it_touches_and_no_weight(device: Device, separate: Faults) -> None:
    weight = device.weight(np.arange(1024, dtype=np.float32).reshape(32, 32))
    x = device.tensor(np.ones((1, 32), np.float32))
    for _ in range(3):
        y = device.matmul(x, weight)
    session = device._session.opened
    assert session.area is not None
    assert session.log is not None
    area, log = session.area.buffer.fd, session.log.buffer.fd
    before = len(syncs(separate))
    y = device.matmul(x, weight)
    result = y.buffer.fd
    assert syncs(separate)[before:] == [
        (area, dmabuf.CLEAN), (area, dmabuf.INVALIDATE), (result, dmabuf.INVALIDATE), (log, dmabuf.INVALIDATE),
    ]  # fmt: skip
    x.numpy()[:] = 2
    y = device.matmul(x, weight)
    assert (x.buffer.fd, dmabuf.CLEAN) in syncs(separate)[before + 4 :]
    assert np.array_equal(y.numpy(), 2 * np.arange(1024, dtype=np.float32).reshape(32, 32).sum(1)[None])


def test_a_buffer_is_cleaned_before_its_unmapping(device: Device, separate: Faults) -> None:
    """The kernel drops the CPU's lines of a buffer that it unmaps; the CPU's writes must survive a reopen."""
    x = device.tensor(X)
    p = device.program()
    p.output(p.add(x, x))
    double = p.compile()
    double()
    separate.kill(device)
    with pytest.raises(DeviceLostError):
        double()
    x.numpy()[:] = 3
    n_before = len(loopback.calls(separate.library))
    device.reopen()
    calls = loopback.calls(separate.library)[n_before:]
    unmapping = next(i for i, call in enumerate(calls) if "fastrpc_munmap" in call and f", {x.buffer.fd:#x}, " in call)
    assert any(f"loopback_sync({x.buffer.fd:#x}, {dmabuf.CLEAN:#x})" in call for call in calls[:unmapping])
    assert np.array_equal(double(), np.full(64, 6, np.float32))


def test_a_coherent_device_makes_no_ioctl(faults: Faults, engine: str) -> None:
    with Device(engine) as device:
        assert are_right(doubles(device))
    assert syncs(faults) == []


def test_a_refused_ioctl_is_an_error_that_says_why(device: Device, separate: Faults) -> None:
    separate.fail("loopback_sync", errno.ENOTTY)
    with pytest.raises(HexagonError, match=r"DMA_BUF_IOCTL_SYNC: cannot .*errno 25.*dma-coherent"):
        doubles(device)
    assert are_right(doubles(device))


def test_the_kernel_gets_the_ioctl_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that is no dma-buf refuses it with ENOTTY; a board's dma-heap was not at hand."""
    library = load(locate.installed("libcdsprpc.so.1"))
    monkeypatch.setattr(type(library), "is_loopback", False)
    with tempfile.TemporaryFile() as file, pytest.raises(HexagonError, match=r"cannot invalidate .*errno 25"):
        dmabuf.sync(library, file.fileno(), dmabuf.INVALIDATE)


def test_an_interrupted_ioctl_is_repeated(device: Device, separate: Faults) -> None:
    separate.fail("loopback_sync", errno.EINTR)
    assert are_right(doubles(device))


def test_the_info_says_that_requests_are_bracketed(device: Device) -> None:
    assert "incoherent" in device.info().coherence


# --- Each call of cache maintenance in the skel is needed ---


def works(engine: str, transport: str, caplog: pytest.LogCaptureFixture) -> bool:
    """Return whether results and log are right while the CPU writes an input and a tensor between the runs.

    The log is checked before the device closes: unmapping the ring cleans it.
    """
    caplog.clear()
    with Device(engine, transport=transport, log_level="debug") as device:
        p = device.program()
        x, bias = p.input(X.shape), device.tensor(X)
        p.output(p.add(x, bias))
        p.output(p.matmul(x.reshape(2, 32), device.weight(np.eye(32, dtype=np.float32))))
        run = p.compile()
        for step in range(RUNS):
            bias.numpy()[:] = 1 + step
            total, product = run.run(X + step)
            if not (np.array_equal(total, X + 1 + 2 * step) and np.array_equal(product.numpy().reshape(-1), X + step)):
                return False
            texts = [record.getMessage() for record in caplog.records]
            if sum("request " in text for text in texts) != step + 1 or any("lost" in text for text in texts):
                return False
            if not any(text.startswith("started: ") and text.endswith(" bytes of VTCM") for text in texts):
                return False  # the longest message takes several cache lines
    return True


def test_the_skel_needs_each_of_its_maintenance_calls(
    separate: Faults, engine: str, transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    """One exception: queue.c also drops lines of the response that a CPU has written, and our CPU writes none."""
    caplog.set_level(logging.DEBUG, "pyhexagon.dsp")
    assert works(engine, transport, caplog)
    is_needed = []
    for place in range(1, 13):
        separate.set("skip_maintenance", place)
        with suppress(HexagonError):
            is_needed.append(False)
            is_needed[-1] = not works(engine, transport, caplog)
            continue
        is_needed[-1] = True
    n_places = 12 - is_needed[::-1].index(True)
    assert n_places >= (7 if transport == "dspqueue" else 4)  # calls in log.c, program.c, execute.c and queue.c
    assert n_places < len(is_needed), "more places than the test tries"
    assert is_needed[:n_places].count(False) == (transport == "dspqueue"), is_needed
