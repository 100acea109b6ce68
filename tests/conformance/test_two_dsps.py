# SPDX-License-Identifier: MIT
"""Boards with two compute DSPs: the second one has sessions, memory and deaths of its own."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from conftest import Faults

from pyhexagon import ArgumentError, Device, DeviceLostError, DeviceNotFoundError, HexagonError
from pyhexagon._ffi import remote
from pyhexagon.process import locate

RNG = np.random.default_rng(5)
WEIGHT = RNG.standard_normal((64, 96)).astype(np.float32)
X = RNG.standard_normal((3, 96)).astype(np.float32)


def product(device: Device) -> bytes:
    return device.matmul(X, device.weight(WEIGHT, dtype="Q8_0")).numpy().tobytes()


def test_both_dsps_compute_the_same_bits_at_once(engine: str) -> None:
    with ExitStack() as stack:
        devices = [stack.enter_context(device) for device in Device.all(engine)]
        assert [device.name for device in devices] == [engine, engine.replace("loopback", "loopback1")]
        ids = [device._session.domain.effective_id % 8 for device in devices]  # without the session's number
        assert ids == [remote.CDSP, remote.CDSP1]
        assert product(devices[0]) == product(devices[1])
        assert devices[0].info().devices == [device.name for device in devices]


def test_each_dsp_has_its_own_memory_and_sessions() -> None:
    with ExitStack() as stack:
        first, second = (stack.enter_context(device) for device in Device.all("loopback"))
        before = second.info()
        with pytest.raises(ArgumentError, match="lies on another device"):
            second.matmul(X, first.weight(WEIGHT, dtype="Q8_0"))
        large = first.empty((1 << 20,))
        first.matmul(X, first.weight(WEIGHT, dtype="Q8_0"))
        assert first.info().memory_bytes >= large.nbytes
        assert (second.info().memory_bytes, second.info().sessions) == (before.memory_bytes, before.sessions)
        others = [stack.enter_context(Device("loopback1", transport="invoke")) for _ in range(3)]
        with pytest.raises(HexagonError, match="four for all its devices on the cdsp1"):
            Device("loopback1")
        stack.enter_context(Device("loopback"))
        ids = {device._session.domain.effective_id for device in (second, *others)}
        assert ids == {remote.CDSP1 + 8 * session for session in range(4)}


def test_one_dsp_dies_and_the_other_goes_on(engine: str, faults: Faults) -> None:
    with ExitStack() as stack:
        first, second = (stack.enter_context(device) for device in Device.all(engine))
        wanted = product(first)
        faults.kill(second)
        with pytest.raises(DeviceLostError):
            product(second)
        assert product(first) == wanted
        assert (bool(first.lost), bool(second.lost)) == (False, True)
        second.reopen()
        assert product(second) == wanted
        assert (first.epoch, second.epoch) == (1, 2)


def test_all_opens_what_the_machine_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "DEVICE_FOLDER", tmp_path)
    assert locate.names_of_all("cdsp") == ["cdsp"]
    (tmp_path / "fastrpc-cdsp").touch()
    monkeypatch.delenv("PYHEXAGON_DEVICE", raising=False)
    assert locate.names_of_all(None) == ["cdsp"]
    with pytest.raises(DeviceNotFoundError, match=r"neither .*fastrpc-cdsp1-secure nor .*fastrpc-cdsp1 exists"):
        locate.check_device_nodes("cdsp1")
    (tmp_path / "fastrpc-cdsp1").touch()
    locate.check_device_nodes("cdsp1")
    assert locate.names_of_all("cdsp") == ["cdsp", "cdsp1"]
    assert locate.names_of_all("cpu") == ["cpu"]


def test_all_leaves_nothing_open_when_one_fails() -> None:
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(Device("loopback1", transport="invoke"))
        with pytest.raises(HexagonError, match="every session"):
            Device.all("loopback")
    for device in Device.all("loopback", transport="invoke"):
        device.close()
