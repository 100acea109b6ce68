# SPDX-License-Identifier: MIT
"""The DSP's log messages reach Python's logging: after every call, after a death, and with a corrupted ring."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from conftest import Faults

from pyhexagon import ArgumentError, Device, DeviceLostError, HexagonError, cli
from pyhexagon._ffi import contract
from pyhexagon.memory.buffer import Buffer, Pin
from pyhexagon.process import dsplog
from pyhexagon.process.dsplog import LogRing
from pyhexagon.program import wire
from pyhexagon.program.numbers import TRANSIENT_NUMBER

X = np.ones((3, 64), np.float32)
W = np.ones((5, 64), np.float32)
N_SLOTS = dsplog.SIZE // contract.LOG_SLOT_BYTES - 1


@pytest.fixture(autouse=True)
def everything(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(dsplog.VARIABLE, raising=False)
    caplog.set_level(logging.DEBUG, "pyhexagon.dsp")


def texts(caplog: pytest.LogCaptureFixture, level: int = logging.DEBUG) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= level]


def ring_of(device: Device) -> LogRing:
    ring = device._session.opened.log
    assert ring is not None
    return ring


def empty_request(device: Device, version: int = contract.VERSION) -> None:
    empty = wire.empty(TRANSIENT_NUMBER)
    empty.message[4:8] = version.to_bytes(4, "little")
    device._session.run(empty.message, empty.response_bytes, 30, Pin(()))


def test_a_session_tells_its_life(engine: str, transport: str, caplog: pytest.LogCaptureFixture) -> None:
    with Device(engine, transport=transport, log_level="debug") as device, device.weight(W) as w:
        device.matmul(X, w)
        n_threads = device.info().threads
    queue = "with" if transport == "dspqueue" else "without"
    started = f"started: {n_threads} of {n_threads} threads, priority 192, stacks of 32768 bytes, {queue} dspqueue, "
    (start,) = [text for text in texts(caplog) if text.startswith(started)]
    assert start.endswith(" bytes of VTCM")
    assert any(text.startswith("map fd ") and ", 4096 bytes: 0x0; " in text for text in texts(caplog))
    assert any(text.startswith("request 1: program 0, 1 ops, ") for text in texts(caplog))
    assert texts(caplog)[-1].startswith("stopped; ")
    facts = [vars(record) for record in caplog.records]
    assert {record.name for record in caplog.records} == {"pyhexagon.dsp"}
    assert [fact["dsp_time_ns"] for fact in facts] == sorted(fact["dsp_time_ns"] for fact in facts)
    assert all(fact["dsp_time_ns"] > 0 for fact in facts)
    assert {fact["dsp_session"] for fact in facts} == {0}
    assert {record.levelno for record in caplog.records} == {logging.DEBUG, logging.INFO}


def test_by_default_a_product_logs_nothing(device: Device, caplog: pytest.LogCaptureFixture) -> None:
    with device.weight(W) as w:
        device.matmul(X, w)
    assert texts(caplog) == []
    assert not ring_of(device).buffer.bytes.any()


def test_off_means_no_ring(engine: str, caplog: pytest.LogCaptureFixture) -> None:
    with Device(engine, log_level="off") as device:
        empty_request(device, version=99)
        assert device._session.opened.log is None
    assert texts(caplog) == []


def test_a_refused_request_is_logged_with_what_was_wrong(device: Device, caplog: pytest.LogCaptureFixture) -> None:
    empty_request(device, version=99)
    (refused,) = texts(caplog, logging.WARNING)
    header = "magic 51584850, version 99, 56 bytes, actions 7, program 255, flags 0, 0 patches"
    assert refused == f"request 1: status 4099, op -1, tensor -1; {header}"
    caplog.clear()
    with device.weight(W) as w:
        fd, offset = w.buffer.fd, w.buffer.size - 128
        tensor = contract.TENSOR.pack(2, 1, 0, offset, 64, 5, 1, 1, 0, 0, 0, 0, 0, 0)
        tables = contract.DEFINITION.pack(1, 1, 0, 0) + contract.BUFFER.pack(fd, 0) + tensor
        request = wire.request(contract.DEFINE, 0, tables=tables)
        device._session.run(request.message, request.response_bytes, 30, Pin(()))
        second, first = texts(caplog, logging.WARNING)
    assert first.startswith("request 2: status 4109, op -1, tensor 0; ")
    assert second == f"tensor: dtype 2, layout 1, buffer 0, offset {offset}, ne 64 5 1 1, nb 0 0 0 0, flags 0"


def test_a_refused_buffer_is_logged(device: Device, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(HexagonError):
        device._session._call(10.0, device._session.opened.stub.map_buffer, 12345, 4096)
    (refused,) = texts(caplog, logging.WARNING)
    assert refused.startswith("map fd 12345, 4096 bytes: 0x80000448; ")


def test_messages_survive_the_dsp_s_death(
    engine: str, transport: str, faults: Faults, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Device(engine, transport=transport, log_level="debug") as device:
        caplog.clear()
        with monkeypatch.context() as patch:
            patch.setattr(device._session, "_deliver_log", lambda: None)
            empty_request(device)
            faults.kill(device)
        assert texts(caplog) == []
        with pytest.raises(DeviceLostError):
            empty_request(device)
        assert [text.split(":")[0] for text in texts(caplog)] == ["request 1"]
        device.reopen()
        empty_request(device)
        assert sum(text.startswith("started: ") for text in texts(caplog)) == 1


def test_the_ring_keeps_the_last_messages_and_counts_the_lost(
    engine: str, transport: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Device(engine, transport=transport, log_level="debug") as device:
        caplog.clear()
        with monkeypatch.context() as patch:
            patch.setattr(device._session, "_deliver_log", lambda: None)
            for _ in range(N_SLOTS + 40):
                empty_request(device)
        empty_request(device)
    lost, *kept = [text for text in texts(caplog) if text.startswith(("request ", "42", "43"))]
    assert lost == "42 messages of the DSP were lost"  # 41 more than slots, plus the slot that may be half written
    assert [text.split(":")[0] for text in kept] == [f"request {number}" for number in range(43, N_SLOTS + 42)]


BAD_RINGS: list[tuple[str, Callable[[LogRing], tuple[int, int, int]]]] = [
    ("no slots", lambda ring: (ring.buffer.fd, 256, 30)),
    ("half a slot", lambda ring: (ring.buffer.fd, 640, 30)),
    ("past the buffer", lambda ring: (ring.buffer.fd, ring.buffer.size + 256, 30)),
    ("all of memory", lambda ring: (ring.buffer.fd, 0xFFFFFF00, 30)),
    ("unknown buffer", lambda _: (12345, 512, 30)),
    ("no level", lambda ring: (ring.buffer.fd, 512, 9)),
    ("past the levels", lambda ring: (ring.buffer.fd, 512, 51)),
]


@pytest.mark.parametrize("bad", [bad for _, bad in BAD_RINGS], ids=[name for name, _ in BAD_RINGS])
def test_a_bad_ring_is_refused_and_the_old_one_stays(
    engine: str, bad: Callable[[LogRing], tuple[int, int, int]], caplog: pytest.LogCaptureFixture
) -> None:
    with Device(engine, log_level="debug") as device:
        with pytest.raises(ArgumentError):
            device._session._call(10.0, device._session.opened.stub.set_log, *bad(ring_of(device)))
        caplog.clear()
        empty_request(device)
        assert len(texts(caplog)) == 1


def test_scribbling_over_the_ring_spoils_the_text_only(
    engine: str, transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    rng = np.random.default_rng(1)
    with Device(engine, transport=transport, log_level="debug") as device:
        session = device._session
        large = Buffer(device._library, 2 * dsplog.SIZE, pooled=False)
        large.bytes[:] = 0x5A
        session.map(large)
        session._call(10.0, session.opened.stub.set_log, large.fd, 5 * contract.LOG_SLOT_BYTES, 10)
        for step in range(40):
            ring = large.bytes[: 5 * contract.LOG_SLOT_BYTES]
            ring[:] = rng.integers(0, 256, ring.size) if step % 2 else 255
            empty_request(device)
        assert int(large.bytes[:8].view(np.uint64)[0]) == 40  # it counts by itself
        assert (large.bytes[5 * contract.LOG_SLOT_BYTES :] == 0x5A).all()
        ring_of(device).buffer.bytes[:] = 255  # Python's view of the ring
        caplog.clear()
        empty_request(device)
        assert all("lost" in text for text in texts(caplog))
        before = large.bytes.copy()
        session._call(10.0, session.opened.stub.unmap_buffer, large.fd)  # unmaps the ring: no more messages
        empty_request(device)
        assert np.array_equal(large.bytes, before)
        session._call(10.0, session.opened.stub.set_log, ring_of(device).buffer.fd, dsplog.SIZE, 10)
        empty_request(device)


def test_control_characters_do_not_pass(caplog: pytest.LogCaptureFixture) -> None:
    with Device("loopback") as device:
        ring = ring_of(device)
        text = b"\x1b[2Jred\n\xff"
        slot = contract.LOG_ENTRY.pack(0, 7, logging.WARNING, 3, len(text), 0) + text
        ring.buffer.bytes[256 : 256 + len(slot)] = np.frombuffer(slot, np.uint8)
        ring.buffer.bytes[:8].view(np.uint64)[0] = 1
        ring.deliver()
    (seen,) = texts(caplog)
    assert seen == "\N{REPLACEMENT CHARACTER}[2Jred\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("level", ["loud", "WARNING", ""])
def test_an_unknown_level_is_refused(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match="debug, info, warning, error, off"):
        Device("loopback", log_level=level)
    monkeypatch.setenv(dsplog.VARIABLE, level)
    with pytest.raises(ArgumentError, match="debug, info, warning, error, off"):
        Device("loopback")


# --- The command ---


def test_logs_shows_what_the_dsp_says(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["logs", "--device", engine, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["problems"] == []
    assert any(one["text"].startswith("started: ") and one["level"] == "info" for one in result["messages"])
    assert any(one["text"].startswith("request ") and one["level"] == "debug" for one in result["messages"])
    assert cli.main(["logs", "--device", engine, "--level", "info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("INFO    DSP 0, ")
    assert not any(line.startswith("DEBUG") for line in lines)


@pytest.mark.parametrize("as_json", [False, True])
def test_logs_shows_what_the_dsp_said_before_the_open_failed(
    engine: str, faults: Faults, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    for nth in range(1, 20):
        faults.fail("remote_handle64_invoke", 0x80000414, nth)
        failed = cli.main(["logs", "--device", engine, "--transport", "invoke", *(["--json"] if as_json else [])]) == 1
        said = capsys.readouterr()
        if failed and "started: " in said.out:
            break
    if as_json:
        result = json.loads(said.out)
        assert result["error"]["code"] == 0x80000414
        assert any(one["text"].startswith("started: ") for one in result["messages"])
    else:
        assert "0x80000414" in said.err


def test_logs_follows_another_command() -> None:
    program = "from pyhexagon import Device\nwith Device('loopback'): pass\nraise SystemExit(5)"
    arguments = ["logs", "--level", "info", "--", sys.executable, "-c", program]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYHEXAGON_LO")}
    run = subprocess.run(
        [sys.executable, "-m", "pyhexagon", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 5
    lines = run.stderr.splitlines()
    assert "started: " in lines[0]
    assert "stopped; " in lines[-1]
    assert all(line.startswith("INFO ") for line in lines)


def test_logs_of_a_command_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["logs", "--", "/no/such/program"]) == 1
    assert "cannot run /no/such/program" in capsys.readouterr().err
    assert cli.main(["logs", "--device", "loopback", "--", "true"]) == 1
    assert "only --level applies" in capsys.readouterr().err
