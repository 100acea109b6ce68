# SPDX-License-Identifier: MIT
"""Status notifications: a death between calls is known at once; a library without notifications costs only that."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import Faults
from waiting import at_once

from pyhexagon import Device, DeviceLostError, cli
from pyhexagon._ffi import loopback, remote
from pyhexagon._ffi.library import CData, Library
from pyhexagon._ffi.native_library import native_library

X = np.ones((2, 32), np.float32)
W = np.ones((4, 32), np.float32)


def test_a_death_between_calls_is_known_without_a_call(engine: str, faults: Faults) -> None:
    with Device(engine) as device, device.weight(W) as w:
        assert device.info().notifications == "registered"
        device.matmul(X, w)
        faults.kill(device)
        loopback.reset(faults.library)  # forgets the recorded calls
        assert device.lost == "the DSP process died"
        with at_once(), pytest.raises(DeviceLostError, match="the session is lost: the DSP process died"):
            device.matmul(X, w)
        assert loopback.calls(faults.library) == []
        device.reopen()
        assert np.array(device.matmul(X, w))[0, 0] == 32


def test_a_death_concerns_one_session_only(faults: Faults) -> None:
    with Device("loopback") as first, Device("loopback") as second:
        faults.kill(second)
        assert (first.lost, second.lost) == ("", "the DSP process died")


@pytest.mark.parametrize(
    ("domain", "session", "is_ours"), [(11, 0, True), (11, 1, True), (3, 1, True), (3, 0, False), (4, 1, False)]
)
def test_what_is_told_of_other_processes_changes_nothing(domain: int, session: int, is_ours: bool) -> None:
    native = native_library()
    status = native.phx_new_status(3 + 8 * 1)
    assert native.phx_store_status(status, domain, session, 7) == 0
    assert status.status == (7 if is_ours else 0)


def test_a_library_that_refuses_notifications_is_tolerated(
    engine: str, faults: Faults, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request = remote.process_status

    def refuse(library: Library, domain: int) -> CData:
        loopback.fail(library, "remote_session_control", 1, 0x14)
        return request(library, domain)

    monkeypatch.setattr(remote, "_registered", set())
    monkeypatch.setattr(remote, "process_status", refuse)
    with Device(engine) as device, device.weight(W) as w:
        assert device.info().notifications == "refused: AEE_EUNSUPPORTED (0x14)"
        faults.kill(device)
        with pytest.raises(DeviceLostError):
            device.matmul(X, w)
        assert device.lost == "the DSP process died"
    assert cli.main(["info", "--device", engine, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notifications"].startswith("refused: ")
