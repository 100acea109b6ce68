# SPDX-License-Identifier: MIT
"""The DSP dies, hangs, or refuses: the right error, in time, and recovery."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import deadlines
import numpy as np
import pytest
from conftest import Faults, check_settled, settled
from waiting import LONG, at_once, interrupt_once_waiting, once_waiting, until

from pyhexagon import (
    ArgumentError,
    BusyError,
    ClosedError,
    Device,
    DeviceLostError,
    DspTimeoutError,
    HexagonError,
    Tensor,
)
from pyhexagon._ffi import loopback
from pyhexagon._ffi.contract import MESSAGE, MessageKind
from pyhexagon._ffi.dspqueue import Queue
from pyhexagon.process.transport.queue import QueueTransport

X = np.arange(64, dtype=np.float32).reshape(2, 32)
W = np.arange(1024, dtype=np.float32).reshape(32, 32)


@pytest.fixture
def weight(device: Device) -> Tensor:
    return device.weight(W)


def is_asleep(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"


# --- Death ---


def test_a_dead_dsp_is_lost_until_reopened_and_weights_come_back(
    device: Device, weight: Tensor, faults: Faults
) -> None:
    x = device.tensor(X)
    want = device.matmul(x, weight).numpy().copy()
    faults.kill(device)
    for _ in range(2):
        with at_once(), pytest.raises(DeviceLostError):
            device.matmul(x, weight)
    assert device.lost
    assert "lost" in repr(device)
    assert (x.numpy() == X).all(), "shared memory stays readable"
    device.reopen()
    assert not device.lost
    assert device.epoch == 2
    np.testing.assert_array_equal(device.matmul(x, weight), want)
    np.testing.assert_array_equal(device.matmul(X, weight), want)


def test_a_dsp_that_dies_under_a_batch_wakes_every_waiter(device: Device, weight: Tensor, faults: Faults) -> None:
    faults.stall(device)
    outcomes: list[str] = []

    def wait() -> None:
        try:
            device.matmul(X, weight)
            outcomes.append("worked")
        except HexagonError as error:
            outcomes.append(type(error).__name__)

    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        once_waiting(lambda: None, thread=thread).join()
    faults.kill(device)
    with at_once():
        for thread in threads:
            thread.join()
    assert outcomes == ["DeviceLostError"] * 3
    device.reopen()
    assert device.matmul(X, weight).shape == (2, 32)


def test_a_late_answer_is_not_the_one_that_is_waited_for() -> None:
    answers = [MESSAGE.pack(MessageKind.ECHO, 0, number) for number in (1, 2, 3)]
    transport = object.__new__(QueueTransport)
    queue: Any = SimpleNamespace(write_noblock=lambda *_: True, read_message=lambda **_: answers.pop(0))
    transport._queue, transport._echoes = queue, 1  # the first one was given up
    transport.echo(LONG)
    assert len(answers) == 1


def test_reopen_finds_out_by_itself_that_the_dsp_is_dead(device: Device, weight: Tensor, faults: Faults) -> None:
    faults.kill(device)
    device.reopen()
    assert device.epoch == 2
    assert device.matmul(X, weight).shape == (2, 32)
    device.reopen()
    assert device.epoch == 2, "a device that answers is left alone"


def test_tensors_may_be_closed_while_the_device_is_lost(device: Device, weight: Tensor, faults: Faults) -> None:
    device.matmul(X, weight).close()
    faults.kill(device)
    with pytest.raises(DeviceLostError):
        device.matmul(X, weight)
    weight.close()
    device.reopen()
    assert device.matmul(X, device.weight(W)).shape == (2, 32)


def test_a_lost_device_can_be_closed(device: Device, weight: Tensor, faults: Faults) -> None:
    faults.kill(device)
    with pytest.raises(DeviceLostError):
        device.matmul(X, weight)
    device.close()


def test_a_dead_dsp_can_be_closed_unnoticed(device: Device, faults: Faults) -> None:
    faults.kill(device)
    device.close()


def test_what_cannot_be_unmapped_after_a_death_is_no_error_of_close(device: Device, faults: Faults) -> None:
    faults.kill(device)
    faults.fail("fastrpc_munmap", 1)  # the real library's result if the kernel returns EPIPE
    device.close()


def test_a_queue_is_closed_when_the_library_has_seen_the_death(
    engine: str, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before that, the real library's dspqueue_close asks the dead process and fails. The end of a read signals it."""
    close, read = Queue.close, Queue.read_message
    deaths: list[DeviceLostError] = []

    def close_later(queue: Queue) -> None:
        if not deaths:
            raise DeviceLostError("not yet")
        close(queue)

    def read_message(queue: Queue, *, timeout_us: int) -> bytes:
        try:
            return read(queue, timeout_us=timeout_us)
        except DeviceLostError as error:
            deaths.append(error)
            raise

    start = time.monotonic()
    with Device(engine, transport="dspqueue") as device:
        faults.kill(device)
        monkeypatch.setattr(Queue, "close", close_later)
        monkeypatch.setattr(Queue, "read_message", read_message)
    assert len(deaths) == 1
    assert faults.count("dspqueue_close") == 1
    assert time.monotonic() - start < LONG / 2


def test_a_device_that_hangs_is_made_to_fault_before_its_queue_is_closed(engine: str, faults: Faults) -> None:
    """The real library does not close a queue that a living process has imported, and keeps the session."""
    with Device(engine, transport="dspqueue") as device:
        weight = device.weight(W)
        device.matmul(X, weight).close()
        faults.stall(device)
        with pytest.raises(DspTimeoutError):
            device.matmul(X, weight, timeout=0.1)
    calls = re.findall(r"remote_session_control|dspqueue_close", "\n".join(loopback.calls(faults.library)))
    assert calls[-2:] == ["remote_session_control", "dspqueue_close"]


def test_many_deaths_leak_nothing(device: Device, weight: Tensor, faults: Faults) -> None:
    def cycle() -> None:
        for _ in range(10):
            faults.kill(device)
            with pytest.raises(DeviceLostError):
                device.matmul(X, weight)
            device.reopen()
            device.matmul(X, weight).close()

    cycle()
    before = settled()
    cycle()
    check_settled(before)


# --- No answer ---


def test_a_reply_that_does_not_come_is_a_timeout_and_the_device_is_lost(
    device: Device, weight: Tensor, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    want = device.matmul(X, weight).numpy().copy()
    faults.stall(device)
    domain = device._session.domain.effective_id
    deadlines.come_at_once(monkeypatch, lambda: loopback.is_stalled(faults.library, domain))
    with at_once(), pytest.raises(DspTimeoutError, match=r" 60 s"):
        device.matmul(X, weight, timeout=60.04)
    with pytest.raises(DeviceLostError, match=r"did not answer.*reopen"):
        device.matmul(X, weight)
    device.reopen()
    np.testing.assert_array_equal(device.matmul(X, weight), want)


def test_a_device_that_hangs_can_be_closed(device: Device, weight: Tensor, faults: Faults) -> None:
    device.matmul(X, weight).close()
    faults.stall(device)
    with pytest.raises(TimeoutError):
        device.matmul(X, weight, timeout=0.1)
    with at_once():
        device.close()


def test_ctrl_c_ends_the_wait_and_the_device_goes_on(device: Device, weight: Tensor, faults: Faults) -> None:
    x = device.tensor(X)
    want = device.matmul(x, weight).numpy().copy()
    faults.stall(device)
    timer = interrupt_once_waiting()
    with at_once(), pytest.raises(KeyboardInterrupt):
        device.matmul(x, weight)
    timer.join()
    with pytest.raises(BusyError, match="has not answered"):
        x.close()
    timer = once_waiting(faults.stall, device, False)
    for _ in range(3):
        np.testing.assert_array_equal(device.matmul(x, weight), want)
    timer.join()
    x.close()


@pytest.mark.parametrize("n_rows", [2, 700], ids=["mapped", "to be mapped"])
def test_the_call_after_ctrl_c_keeps_to_its_timeout(
    device: Device, weight: Tensor, faults: Faults, n_rows: int
) -> None:
    for y in [device.matmul(X, weight) for _ in range(6)]:
        y.close()
    faults.stall(device)
    timer = interrupt_once_waiting()
    with at_once(), pytest.raises(KeyboardInterrupt):
        device.matmul(X, weight)
    timer.join()
    with at_once(), pytest.raises(DspTimeoutError):
        device.matmul(np.ones((n_rows, 32), np.float32), weight, timeout=0.3)
    with at_once():
        device.reopen()
    assert device.matmul(X, weight).shape == (2, 32)


def test_a_tensor_closed_while_the_device_closes_is_not_freed_under_its_mapping(
    device: Device, weight: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    y = device.matmul(X, weight)
    buffer, close = y.buffer, device._session.close
    other = threading.Thread(target=y.close)
    fds = []

    def close_late() -> None:
        other.start()
        other.join(0.05)
        fds.append(buffer.fd)
        close()

    monkeypatch.setattr(device._session, "close", close_late)
    device.close()
    other.join()
    assert fds[0] >= 0 > buffer.fd


def test_a_weight_on_its_way_while_the_device_closes_is_refused(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device._memory.placement, "place", lambda _: device.close())
    with pytest.raises(ClosedError):
        device.weight(W)


@pytest.mark.parametrize("planned", [False, True])
def test_ctrl_c_while_another_threads_batch_runs_pins_nothing(
    device: Device, weight: Tensor, faults: Faults, planned: bool
) -> None:
    x = X if planned else device.tensor(X)
    for y in [device.matmul(x, weight) for _ in range(6)]:  # the buffers of both threads are mapped, and free
        y.close()
    faults.stall(device)
    other = threading.Thread(target=device.matmul, args=(x, weight))
    other.start()
    once_waiting(lambda: None, thread=other).join()
    timer = interrupt_once_waiting()
    with at_once(), pytest.raises(KeyboardInterrupt):
        device.matmul(x, weight)
    timer.join()
    faults.stall(device, False)
    other.join()
    weight.close()
    assert not any(buffer.busy for buffer in device._memory.dropped)


def test_ctrl_c_while_memory_is_given_back_leaks_none(device: Device, faults: Faults) -> None:
    before, mapped = device.info().memory_bytes, device.info().sessions
    w = device.weight(W)
    for use in (w.close, device.capacity):
        faults.stall(device)
        resume = partial(once_waiting, faults.stall, device, False, thread=threading.main_thread())
        timer = interrupt_once_waiting(lambda resume=resume: resume().join())  # type: ignore[misc]
        with pytest.raises(KeyboardInterrupt):
            use()
        timer.join()
    device.tensor(X).close()
    device._memory.trim()
    assert device.info().memory_bytes == before
    assert device.info().sessions[0] - mapped[0] <= 64 << 10  # the spare


@pytest.mark.parametrize("call", ["remote_handle64_open", "rpcmem_to_fd"])
def test_ctrl_c_while_a_device_opens_leaves_nothing(
    engine: str, call: str, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = getattr(faults.library, call)

    def interrupted(*arguments: object) -> None:  # Ctrl-C takes effect when a C call has returned
        function(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(faults.library, call, interrupted)
    with pytest.raises(KeyboardInterrupt):
        Device(engine)
    assert faults.count("remote_handle64_close") == faults.count("remote_handle64_open")
    assert faults.count("rpcmem_alloc") + faults.count("rpcmem_alloc2") == faults.count("rpcmem_free")
    monkeypatch.undo()
    with Device(engine) as device:
        assert device.matmul(X, device.weight(W)).shape == (2, 32)


@pytest.mark.parametrize("where", ["mapping memory", "running a batch"])
def test_close_after_ctrl_c_does_not_hang(device: Device, weight: Tensor, faults: Faults, where: str) -> None:
    if where == "running a batch":
        device.matmul(X, weight).close()
    faults.stall(device)
    timer = interrupt_once_waiting()
    with pytest.raises(KeyboardInterrupt):
        device.matmul(X, weight)
    timer.join()
    with at_once():
        device.close()


def test_a_program_can_be_killed_while_it_waits(engine: str, transport: str) -> None:
    script = textwrap.dedent(f"""
        import numpy, pyhexagon
        from pyhexagon._ffi import loopback
        device = pyhexagon.Device({engine!r}, transport={transport!r})
        w = device.weight(numpy.ones((4, 32), numpy.float32))
        loopback.stall(device._session._library, device._session.domain.effective_id, True)
        print("waiting", flush=True)
        device.matmul(numpy.ones((1, 32), numpy.float32), w)
    """)
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, -signal.SIGINT)):
        with subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "waiting\n"
            until(lambda pid=process.pid: is_asleep(pid), "the program waits")  # type: ignore[misc]
            process.send_signal(number)
            process.communicate(timeout=LONG)
        assert process.returncode == code


@pytest.mark.parametrize("timeout", [0, -1, np.nan, np.inf])
def test_a_timeout_that_is_none_is_refused_and_loses_nothing(device: Device, weight: Tensor, timeout: float) -> None:
    with pytest.raises(ArgumentError, match="expected seconds"):
        device.matmul(X, weight, timeout=timeout)
    assert device.matmul(X, weight).shape == (2, 32)


def test_a_session_that_cannot_be_ended_is_abandoned_and_the_device_goes_on(engine: str, transport: str) -> None:
    """Runs in a separate process, because the session's number is lost for good."""
    script = textwrap.dedent(f"""
        import numpy, warnings
        import pyhexagon
        from pyhexagon.process import session
        from pyhexagon import errors
        from pyhexagon._ffi import contract, loopback, remote
        def refused(*_):
            raise errors.UnsupportedError("not on this device")
        remote.process_exception = refused
        with pyhexagon.Device({engine!r}, transport={transport!r}) as device:
            w = device.weight(numpy.ones((4, 32), numpy.float32))
            x = device.tensor(numpy.ones((1, 32), numpy.float32))
            device.matmul(x, w).close()
            domain = device._session.domain
            loopback.stall(device._session._library, domain.effective_id, True)
            try:
                device.matmul(x, w, timeout=0.1)
            except pyhexagon.DspTimeoutError:
                session.CLOSE_TIMEOUT, usual = 0.2, session.CLOSE_TIMEOUT
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    device.reopen()
                session.CLOSE_TIMEOUT = usual
            assert "abandoned" in str(caught[0].message)
            assert device._session.domain != domain
            print(device.matmul(x, w).numpy()[0, 0])
    """)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=10 * LONG)
    assert (run.returncode, run.stdout, run.stderr) == (0, "32.0\n", "")
