# SPDX-License-Identifier: MIT
"""The thread in C that makes invokes."""

from __future__ import annotations

import os

import pytest
from conftest import Faults
from waiting import LONG, at_once, once_waiting, until

from pyhexagon import Device
from pyhexagon._ffi import invoke


def n_threads() -> int:
    return len(os.listdir("/proc/self/task"))


def test_a_call_that_is_given_up_goes_on_and_the_next_waits_for_its_end(faults: Faults) -> None:
    with Device("loopback", transport="invoke") as device:
        transport = device._session.transport
        caller, call = transport._caller, transport._echo  # type: ignore[attr-defined]
        before = faults.count("remote_handle64_invoke")
        faults.stall(device, True)
        assert not caller.call(0.05, call)
        assert not caller.call(0.05, call)  # which is not made at all
        assert faults.count("remote_handle64_invoke") == before + 1
        waker = once_waiting(faults.stall, device, False)
        assert caller.call(LONG, call)
        waker.join()
        assert faults.count("remote_handle64_invoke") == before + 2
        assert caller.call(LONG, call)


def test_who_waits_is_woken_by_the_answer(faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invoke, "_SLICE", LONG)  # who is not woken waits for so long
    with Device("loopback", transport="invoke") as device:
        transport = device._session.transport
        faults.stall(device, True)
        waker = once_waiting(faults.stall, device, False)
        with at_once():
            assert transport._caller.call(LONG, transport._echo)  # type: ignore[attr-defined]
        waker.join()


def test_the_thread_ends_with_its_session() -> None:
    Device("loopback", transport="invoke").close()
    before = n_threads()
    for _ in range(5):
        Device("loopback", transport="invoke").close()
    until(lambda: n_threads() <= before, "the loopback's own threads end by themselves")
