# SPDX-License-Identifier: MIT
"""Opens and programs that are refused or fail: the right error, and no resource left open."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from conftest import Faults, check_settled, settled
from waiting import LONG, at_once

from pyhexagon import (
    ArgumentError,
    Device,
    DeviceLostError,
    DeviceNotFoundError,
    DspMemoryError,
    DspTimeoutError,
    HexagonError,
    ProgramError,
)
from pyhexagon._ffi import contract, loopback, remote
from pyhexagon._ffi.library import Library
from pyhexagon.process import domains, locate
from pyhexagon.process.resources import Settings
from pyhexagon.process.session import Session
from pyhexagon.process.transport import probe

X = np.arange(64, dtype=np.float32).reshape(2, 32)
W = np.arange(1024, dtype=np.float32).reshape(32, 32)


# --- Refusals ---


OPENING_CALLS = (
    ("remote_session_control", 0x1, HexagonError),
    ("remote_handle64_open", 0x80000406, OSError),
    ("remote_handle64_open", 0x68, MemoryError),
    ("remote_handle64_open", 0x72, OSError),
    ("remote_handle64_invoke", 0x80000414, NotImplementedError),
    ("fastrpc_mmap", 0x80000402, MemoryError),
)


@pytest.mark.parametrize("failure", OPENING_CALLS, ids=str)
def test_an_open_that_fails_raises_the_code_and_leaves_nothing(
    engine: str, transport: str, faults: Faults, failure: tuple[str, int, type[Exception]]
) -> None:
    call, code, kind = failure
    with Device(engine, transport=transport):
        pass
    before = settled()
    opened, closed = faults.count("remote_handle64_open"), faults.count("remote_handle64_close")
    faults.fail(call, code)
    with pytest.raises(kind, match=f"0x{code:x}"):
        Device(engine, transport=transport)
    check_settled(before)
    was_opened = call != "remote_session_control"
    failed_open = call == "remote_handle64_open"
    assert faults.count("remote_handle64_open") - opened == was_opened
    assert faults.count("remote_handle64_close") - closed == (was_opened and not failed_open)
    with Device(engine, transport=transport) as device:
        assert device.matmul(X, device.weight(W)).shape == (2, 32)


def test_the_map_limit_of_the_dsp_is_a_memory_error(engine: str, faults: Faults) -> None:
    faults.set("map_limit", 4 << 20)
    with Device(engine, max_sessions=1) as device:
        w = device.weight(W)
        before = device.info().memory_bytes
        with pytest.raises(DspMemoryError, match=r"this device holds [\d,]+ bytes in \d+ buffers"):
            device.weight(np.ones((2048, 1024), np.float32))
        assert device.info().memory_bytes == before
        assert device.matmul(X, w).shape == (2, 32)


def test_pooled_memory_is_given_up_before_memory_runs_out(engine: str, faults: Faults) -> None:
    faults.set("map_limit", 4 << 20)
    with Device(engine) as device:
        for _ in range(3):
            device.empty((2048, 384)).close()
        assert device.info().pooled_bytes >= 3 << 20
        device.weight(np.ones((512, 512), np.float32)).close()


def test_a_program_that_the_skel_refuses_names_the_op(device: Device) -> None:
    weight = device.weight(W)
    want = device.matmul(X, weight).numpy().copy()
    with device.program() as p:
        p.output(p.matmul(p.input(X.shape), weight))
    program = p.compile()
    (compiled,) = program._compiled
    operand, at, flags = compiled.piece.tensors[1]
    compiled.piece.tensors[1] = operand._replace(ne=(64, 2, 1, 1)), at, flags
    for _ in range(2):
        with pytest.raises(ProgramError, match=r"PHX_E_SHAPE.*op 0 \(MUL_MAT\), its operand"):
            program(X)
    np.testing.assert_array_equal(device.matmul(X, weight), want)


def test_a_failing_invoke_does_not_lose_the_device(engine: str, faults: Faults) -> None:
    with Device(engine, transport="invoke") as device:
        w = device.weight(W)
        want = device.matmul(X, w).numpy().copy()
        faults.fail("remote_handle64_invoke", 0x8000040E)
        with pytest.raises(ArgumentError, match="0x8000040e"):
            device.matmul(X, w)
        np.testing.assert_array_equal(device.matmul(X, w), want)


def test_an_invoke_that_does_nothing_is_noticed(engine: str, faults: Faults) -> None:
    """The real library returns 0 for an unknown handle."""
    with Device(engine, transport="invoke") as device:
        w = device.weight(W)
        device.matmul(X, w)
        faults.fail("remote_handle64_invoke", 0)
        with pytest.raises(HexagonError, match="did not answer the request"):
            device.matmul(X, w)


# --- Opening ---


def test_a_death_while_the_transports_are_tried_is_a_loss(
    engine: str, transport: str, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose = probe.choose

    def late(*arguments: Any) -> object:
        for number in range(4):
            with suppress(HexagonError):
                loopback.kill(faults.library, remote.CDSP + 8 * number)
        return choose(*arguments)

    monkeypatch.setattr(probe, "choose", late)
    with pytest.raises(DeviceLostError):
        Device(engine, transport=transport)


def test_after_an_open_that_may_have_left_a_lock_the_same_thread_opens(
    engine: str, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With some versions of the real library, a later open on another thread hangs, and so does exit."""
    skipped, threads = [], []
    target, library = locate.find_target(engine), faults.library
    monkeypatch.setattr(type(library), "is_loopback", False)
    monkeypatch.setattr(library, "skip_exit", lambda: skipped.append(True))
    make = remote.handle64_open

    def opened(*arguments: Any) -> object:
        threads.append(threading.get_ident())
        return make(*arguments)

    monkeypatch.setattr(remote, "handle64_open", opened)
    settings = Settings(None, None, 0, contract.LOG_LEVELS["off"], "system", "qos", 0)
    for _ in range(2):
        faults.fail("remote_handle64_open", 0x72)
        with pytest.raises(DeviceNotFoundError):
            Session(library, target, settings, 10)
    (domain,) = domains._failed
    with pytest.raises(DeviceNotFoundError, match="earlier open failed on another thread"):
        domains.open_module(library, domain, target)
    session = Session(library, target, settings, 10)
    session.ping()
    session.close()
    assert len(set(threads)) == 1
    assert skipped


def test_an_open_that_hangs_hinders_no_other_and_ends_in_time(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, hangs = remote.handle64_open, threading.Event()

    def opened(library: Library, uri: str) -> object:
        if not hangs.is_set():
            hangs.set()
            go_on.wait(LONG)
        return make(library, uri)

    go_on = threading.Event()
    monkeypatch.setattr(remote, "handle64_open", opened)
    before = settled()
    with at_once(), pytest.raises(DspTimeoutError):
        Device(engine, timeout=1)
    with Device(engine) as device:
        assert device.matmul(X, device.weight(W)).shape == (2, 32)
    del device
    go_on.set()
    check_settled(before)  # the abandoned session closes itself
    devices = [Device(engine) for _ in range(4)]  # so its number is free
    for device in devices:
        device.close()
    del devices, device
    check_settled(before)
