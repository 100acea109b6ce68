# SPDX-License-Identifier: MIT
"""The stack requested for FastRPC's threads on the DSP: sent before the open; a refusal costs only the request."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import Faults

from pyhexagon import Device, cli
from pyhexagon._ffi import loopback, remote
from pyhexagon._ffi.library import Library

X = np.ones((2, 32), np.float32)
W = np.ones((4, 32), np.float32)


def test_the_stack_is_requested_before_the_open(engine: str, faults: Faults) -> None:
    loopback.reset(faults.library)
    with Device(engine) as device:
        assert device.info().thread_stack == "131,072 bytes"
        calls = loopback.calls(faults.library)
    requests = [i for i, call in enumerate(calls) if call.startswith("remote_session_control(0x1, ")]
    opens = [i for i, call in enumerate(calls) if call.startswith("remote_handle64_open")]
    assert len(requests) == 1
    assert requests[0] < opens[0]
    assert ", 0x20000)" in calls[requests[0]]


def test_a_library_that_refuses_the_stack_is_tolerated(
    engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request = remote.thread_params

    def refuse(library: Library, domain: int, priority: int = -1, stack_size: int = -1) -> None:
        loopback.fail(library, "remote_session_control", 1, 0x14)
        request(library, domain, priority, stack_size)

    monkeypatch.setattr(remote, "thread_params", refuse)
    with Device(engine) as device, device.weight(W) as w:
        assert device.info().thread_stack == "131,072 bytes, refused: AEE_EUNSUPPORTED (0x14)"
        assert np.array(device.matmul(X, w))[0, 0] == 32
    assert cli.main(["info", "--device", engine, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["thread_stack"].startswith("131,072 bytes, refused: ")
