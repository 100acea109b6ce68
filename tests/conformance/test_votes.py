# SPDX-License-Identifier: MIT
"""Votes for clocks and latency: the requests sent, and that a refusal costs only the vote."""

from __future__ import annotations

import json
import logging

import numpy as np
import pytest
from conftest import Faults

from pyhexagon import ArgumentError, Device, cli
from pyhexagon._ffi import contract, loopback

X = np.ones((2, 32), np.float32)
W = np.ones((4, 32), np.float32)
FAST = "power: dcvs set 1 on 1 mode 16, latency set 1 100 us, core set 1 4-255 target 255, bus set 1 4-255 target 255"
SLOW = "power: dcvs set 1 on 1 mode 4, latency set 0 0 us, core set 1 1-4 target 2, bus set 1 1-4 target 2"
BALANCED = "power: dcvs set 1 on 1 mode 1, latency set 1 100 us, core set 1 2-255 target 4, bus set 1 2-255 target 4"
BURST = (
    "power: dcvs set 1 on 0 mode 16, latency set 1 100 us, core set 1 255-255 target 255, "
    "bus set 1 255-255 target 255, sleep set 1 off 1"
)
SLEEPS = ", sleep set 1 off 0"
GONE = "power: votes taken back"


def voted(faults: Faults) -> list[str]:
    """Return the votes that the DSP's firmware received."""
    lines = loopback.log(faults.library).splitlines()
    return [line[line.index("power: ") :] for line in lines if "power: " in line and "vote for" not in line]


def product(device: Device) -> float:
    with device.weight(W) as w:
        return float(np.array(device.matmul(X, w))[0, 0])


@pytest.mark.parametrize(
    ("power", "asked"),
    [
        ("performance", ["power: class 4", FAST + SLEEPS, "power: hvx 1", GONE]),
        ("burst", ["power: class 4", BURST, "power: hvx 1", GONE]),
        ("balanced", ["power: class 4", BALANCED + SLEEPS, "power: hvx 1", GONE]),
        ("low", ["power: class 4", SLOW + SLEEPS, "power: hvx 1", GONE]),
        ("system", []),
    ],
)
def test_what_is_asked_of_the_clocks(engine: str, power: str, asked: list[str], faults: Faults) -> None:
    loopback.reset(faults.library)
    with Device(engine, power=power) as device:
        assert device.info().votes["power"] == power
        assert product(device) == 32
        assert GONE not in voted(faults)
    assert voted(faults) == asked


def test_a_vote_after_burst_allows_sleep_again(engine: str, faults: Faults) -> None:
    loopback.reset(faults.library)
    with Device(engine, power="burst") as device:
        device._session.set_power(contract.POWER["low"])
    clocks = [line for line in voted(faults) if line.startswith("power: dcvs")]
    assert clocks == [BURST, SLOW + SLEEPS]


def test_performance_is_the_default(faults: Faults) -> None:
    loopback.reset(faults.library)
    with Device("loopback") as device:
        assert device.info().votes == {"power": "performance", "latency": "100 us"}
    assert voted(faults)[1] == FAST + SLEEPS


@pytest.mark.parametrize(
    ("answer", "code"),
    [(-1, 0x80000401), (-2, 0x8000040E), (-3, 0x80000414), (0x14, 0x80000414), (0x80000414, 0x80000414)],
)
def test_a_refused_vote_is_told_and_not_fatal(
    engine: str, answer: int, code: int, faults: Faults, caplog: pytest.LogCaptureFixture
) -> None:
    loopback.reset(faults.library)
    faults.set("power", answer)
    with Device(engine) as device:
        assert product(device) == 32
        assert device.info().votes["power"].startswith("performance, refused: ")
        assert device.info().votes["power"].endswith(f" (0x{code:x})")
        faults.kill(device)
        faults.set("power", 0)
        device.reopen()  # votes again
        assert device.info().votes["power"] == "performance"
    said = [record.getMessage() for record in caplog.records if record.name == "pyhexagon.dsp"]
    assert said == [f"vote for {what}: 0x{code:x}" for what in ("the compute class", "clocks", "HVX")]
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 4  # including one of the host
    assert voted(faults)[:3] == ["power: class 4", FAST + SLEEPS, "power: hvx 1"]  # each was attempted


def test_latency(faults: Faults, caplog: pytest.LogCaptureFixture) -> None:
    with Device("loopback", latency_us=250) as device:
        assert device.info().votes["latency"] == "250 us"
    assert faults.count("remote_handle64_control") == 1
    with Device("loopback", latency_us=0) as device:
        assert device.info().votes["latency"] == "none"
    assert faults.count("remote_handle64_control") == 1
    faults.fail("remote_handle64_control", 0x14)
    with Device("loopback") as device:
        assert device.info().votes["latency"] == "100 us, refused: AEE_EUNSUPPORTED (0x14)"
        assert product(device) == 32
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == [
        "vote for latency: 100 us, refused: AEE_EUNSUPPORTED (0x14)"
    ]


def test_poll(faults: Faults, caplog: pytest.LogCaptureFixture) -> None:
    with Device("loopback", latency="poll") as device:
        assert device.info().votes["latency"] == "poll"
        assert product(device) == 32
    assert faults.count("remote_handle64_control") == 1
    faults.set("poll", 0)
    refusal = "100 us; poll, refused: AEE_EUNSUPPORTED (0x14)"
    with Device("loopback", latency="poll") as device:
        assert device.info().votes["latency"] == refusal
        assert product(device) == 32
    assert faults.count("remote_handle64_control") == 3  # it asked for 100 us after the refusal
    with Device("loopback", latency="poll", latency_us=0) as device:
        assert device.info().votes["latency"] == "poll, refused: AEE_EUNSUPPORTED (0x14)"
    assert caplog.records[0].getMessage() == f"vote for latency: {refusal}"


@pytest.mark.parametrize(
    "wrong", [{"power": "turbo"}, {"power": ""}, {"latency": "spin"}, {"latency_us": -1}, {"latency_us": 1 << 32}]
)
def test_wrong_votes_are_refused(wrong: dict[str, str | int]) -> None:
    with pytest.raises(ArgumentError):
        Device("loopback", **wrong)  # type: ignore[arg-type]


def test_the_skel_refuses_an_unknown_vote(device: Device) -> None:
    with pytest.raises(ArgumentError):
        device._session._call(10.0, device._session.opened.stub.set_power, len(contract.POWER))
    assert product(device) == 32


def test_info_shows_the_votes(faults: Faults, capsys: pytest.CaptureFixture[str]) -> None:
    faults.set("power", -3)
    assert cli.main(["info", "--device", "loopback"]) == 0
    assert "performance, refused: AEE_EUNSUPPORTED (0x80000414)" in capsys.readouterr().out
    assert cli.main(["info", "--device", "loopback", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["votes"]["latency"] == "100 us"
    faults.set("power", 0)
    assert cli.main(["info", "--device", "loopback", "--power", "burst", "--latency", "poll", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["votes"] == {"power": "burst", "latency": "poll"}
