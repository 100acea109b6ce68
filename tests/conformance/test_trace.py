# SPDX-License-Identifier: MIT
"""Timelines: the file's format, and whether its figures are consistent."""

from __future__ import annotations

import json
import os
import random
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import trace_format
from conftest import Faults

from pyhexagon import ArgumentError, Device, DeviceLostError, HexagonError, Report, Tensor, Trace, cli
from pyhexagon.trace import Clock, _to_host

RNG = np.random.default_rng(5)
X = RNG.standard_normal((5, 96), dtype=np.float32)
W1 = RNG.standard_normal((130, 96), dtype=np.float32)
W2 = RNG.standard_normal((33, 130), dtype=np.float32)
TICK = 53  # nanoseconds of the qtimer, rounded up


def run_some(device: Device) -> list[Report]:
    with device.weight(W1) as w1, device.weight(W2) as w2, device.program() as p:
        p.output(p.matmul(p.matmul(p.input(X.shape), w1), w2))
        program = p.compile()
        return [program.run_with_report(X)[1] for _ in range(3)]


def nanoseconds(microseconds: float) -> int:
    return round(microseconds * 1000)


def test_the_file_is_well_formed_and_the_threads_add_up_to_the_op_records(device: Device, tmp_path: Path) -> None:
    with device.trace(tmp_path / "trace.json"):
        reports = run_some(device)
    timeline = trace_format.read(tmp_path / "trace.json")
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]
    (process,) = {process for process, _ in timeline.dsp()}
    ops = [one for one in timeline.tracks[process, "requests and ops"] if one.name == "mul_mat"]
    batches = [one for one in timeline.tracks[process, "requests and ops"] if one.name == "request"]
    threads = [timeline.tracks.get((process, f"thread {number}"), []) for number in range(device.info().threads)]
    transports = timeline.host("transport")
    records = [op for report in reports for op in report.ops]
    assert (len(ops), len(batches), len(transports)) == (len(records), len(reports), len(reports))
    assert sum(len(track) for track in threads) > len(records)  # more than one thread had work
    for batch, sent in zip(batches, transports, strict=True):
        assert sent.holds(batch)
    for index, (op, record) in enumerate(zip(ops, records, strict=True)):
        assert batches[index // 2].holds(op)
        assert op.end - op.start == record.nanoseconds
        parts = [one for track in threads for one in track if op.holds(one)]
        assert [len([one for one in track if op.holds(one)]) for track in threads].count(1) == len(parts)
        if record.packets is None:  # packets are not counted
            assert {one.args[name] for one in (op, *parts) for name in ("packets", "hvx_instructions")} == {None}
        else:
            assert sum(one.args["packets"] for one in parts) == op.args["packets"] == record.packets
            most = max(one.args["packets"] for one in parts)
            assert most == op.args["packets_max_thread"] == record.packets_max_thread
            assert sum(one.args["hvx_instructions"] for one in parts) == record.hvx_instructions
        busy = [nanoseconds(one.args["busy_us"]) for one in parts]
        assert sum(busy) == nanoseconds(op.args["busy_us"]) == record.busy_nanoseconds > 0
        assert all(0 < time <= one.end - one.start for time, one in zip(busy, parts, strict=True))
    assert sum(len(track) for track in threads) == sum(
        sum(one.start_nanoseconds > 0 for one in op.threads) for op in records
    )


def test_the_records_of_threads_add_up_and_lie_within_the_op(device: Device, tmp_path: Path) -> None:
    with device.trace(tmp_path / "trace.json"):
        reports = run_some(device)
    for report in reports:
        end = report.dsp_start_nanoseconds
        for op in report.ops:
            assert op.start_nanoseconds >= end
            end = op.start_nanoseconds + op.nanoseconds
            assert end <= report.dsp_start_nanoseconds + report.dsp_nanoseconds
            assert len(op.threads) == device.info().threads
            packets = [thread.packets for thread in op.threads if thread.packets is not None]
            assert (sum(packets) if packets else None) == op.packets
            assert sum(thread.busy_nanoseconds for thread in op.threads) == op.busy_nanoseconds
            assert sum(thread.start_nanoseconds > 0 for thread in op.threads) == op.n_threads
            for thread in op.threads:
                if thread.start_nanoseconds:
                    assert op.start_nanoseconds <= thread.start_nanoseconds
                    assert thread.start_nanoseconds + thread.nanoseconds <= end
                else:
                    assert set(thread) <= ({0} if packets else {0, None})


def test_a_trace_changes_neither_packets_nor_results(engine: str, tmp_path: Path) -> None:
    with Device(engine) as device, device.weight(W1) as w, device.program() as p:
        p.output(p.matmul(p.input(X.shape), w))
        program = p.compile()

        def run() -> tuple[bytes, Report]:  # always in the same memory, because a packet or two depend on it
            (y,), report = program.run_with_report(X)
            return y.numpy().tobytes(), report

        run()
        bits, before = run()
        with device.trace(tmp_path / "trace.json"):
            traced, within = run()
        assert traced == bits
        _, after = run()
    counts = {(op.packets, op.packets_max_thread, op.hvx_instructions) for op in (*before.ops, *within.ops, *after.ops)}
    assert len(counts) == 1
    assert [len(report.ops[0].threads) for report in (before, within, after)] == [0, 4, 0]
    assert before.ops[0].busy_nanoseconds == after.ops[0].busy_nanoseconds == 0


def test_the_clocks_are_related_within_the_error_told(device: Device, tmp_path: Path) -> None:
    with device.trace(tmp_path / "trace.json"):
        run_some(device)
    (clock,) = trace_format.read(tmp_path / "trace.json").about["dsp_clocks"]
    assert clock["transport"] == device.info().transport
    assert clock["error_us"] > 0
    # The loopback's qtimer is this host's monotonic clock, in ticks, so the true offset is zero.
    assert abs(clock["offset_us"]) * 1000 <= clock["error_us"] * 1000 + 2 * TICK


def test_times_of_the_dsp_lie_within_the_round_trip_whatever_the_clocks_do() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        sent, start = rng.randrange(10**9), rng.randrange(10**12)
        round_trip, duration = rng.randrange(1, 10**6), rng.randrange(10**6)
        error = rng.randrange(10**5)
        middle = sent - start + rng.randrange(-(10**6), 10**6)
        report = Report("", "", 0.0, duration, start, ())
        on_host = _to_host(Clock(middle - error, middle + error), sent, sent + round_trip, report)
        times = [on_host(start + duration * step // 8) for step in range(9)]
        assert times == sorted(times)
        assert sent <= times[0]
        assert times[-1] <= sent + round_trip


def run_and_die(device: Device, w: Tensor, faults: Faults, path: Path) -> None:
    with device.trace(path):
        device.matmul(X, w)
        faults.kill(device)
        device.matmul(X, w)


def test_an_exception_in_the_block_leaves_a_complete_file(device: Device, faults: Faults, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    with device.weight(W1) as w:
        with pytest.raises(DeviceLostError):
            run_and_die(device, w, faults, path)
        good, bad = trace_format.read(path).host("request")
        assert "error" not in good.args
        assert bad.args["error"]
        device.reopen()
        with device.trace(path):
            device.matmul(X, w)
            faults.kill(device)
            with pytest.raises(DeviceLostError):
                device.matmul(X, w)
            device.reopen()
            device.matmul(X, w)
    timeline = trace_format.read(path)
    assert len(timeline.host("request")) == 3
    assert [len(track) for (_, name), track in timeline.dsp().items() if name == "requests and ops"] == [2, 2]


@contextmanager
def full_disk() -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def trace_on_a_full_disk(device: Device, path: Path, *, fail: bool) -> None:
    with full_disk(), device.trace(path) as trace:
        for _ in range(20):
            with trace.span("x"):
                pass
        if fail:
            raise ZeroDivisionError


def fail_on_a_full_disk(device: Device, path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        trace_on_a_full_disk(device, path, fail=True)


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text("before")
    with Device("loopback") as device:
        with pytest.raises(HexagonError, match="cannot write"):
            trace_on_a_full_disk(device, path, fail=False)
        assert path.read_text() == "before"
        with pytest.warns(RuntimeWarning, match="cannot write"):
            fail_on_a_full_disk(device, path)
        assert path.read_text() == "before"
        with device.trace(path):  # the device can be traced again
            pass
    assert [one.name for one in tmp_path.iterdir()] == ["trace.json"]
    assert trace_format.read(path).tracks == {}


def test_a_file_that_cannot_be_written_is_refused_at_the_start(tmp_path: Path) -> None:
    with Device("loopback") as device:
        with pytest.raises(HexagonError, match="there is no folder"), device.trace(tmp_path / "no" / "trace.json"):
            pytest.fail("the block must not run")
        with device.trace(tmp_path / "a.json"):
            with pytest.raises(ArgumentError, match="traced already"), device.trace(tmp_path / "b.json"):
                pytest.fail("the block must not run")
            with pytest.raises(HexagonError, match="not a regular file"):
                Trace(tmp_path)


def test_a_relative_path_is_that_of_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Trace("trace.json"):
        monkeypatch.chdir("/")
    assert trace_format.read(tmp_path / "trace.json").tracks == {}


def test_one_trace_of_two_devices_and_several_threads(tmp_path: Path) -> None:
    with (
        Device("loopback", transport="invoke") as a,
        Device("loopback", transport="dspqueue") as b,
        Trace(tmp_path / "trace.json") as trace,
        trace.of(a),
        trace.of(b),
    ):
        threads = [
            threading.Thread(target=run_some, args=(device,), name=f"worker {number}")
            for number, device in enumerate((a, b, a))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    timeline = trace_format.read(tmp_path / "trace.json")
    tracks = {name for process, name in timeline.tracks if process.startswith("host")}
    assert tracks == {"worker 0", "worker 1", "worker 2"}
    assert len(timeline.about["dsp_clocks"]) == 2
    batches = [one for (_, name), track in timeline.dsp().items() if name == "requests and ops" for one in track]
    assert len([one for one in batches if one.name == "request"]) == 9


@pytest.mark.parametrize(
    "arguments",
    [["selftest"], ["bench", "matmul", "--types", "Q4_0", "--shape", "64x64", "--batch", "1", "--threads", "1,2"]],
)
def test_commands_write_traces(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trace.json"
    assert cli.main([*arguments, "--device", "loopback", "--trace", str(path), "--json"]) == 0
    json.loads(capsys.readouterr().out)
    timeline = trace_format.read(path)
    assert len({process for process, _ in timeline.dsp()}) == 2  # transports, or numbers of threads
    assert len(timeline.host("transport")) == len(timeline.host("request")) > 2
    assert timeline.host("upload")
    assert timeline.host("copy")


def test_packets_of_a_request_do_not_depend_on_the_numbers_of_its_files(qemu: str) -> None:
    def packets(n_before: int) -> list[int | None]:
        """Return those of eight requests; from number n_before on, results get lower file numbers than those before."""
        with Device("loopback:qemu", threads=1) as device:
            with device.program() as p:
                p.output(p.neg(p.input((64, 1024))))
            program, x, results = p.compile(), np.ones((64, 1024), np.float32), []
            held = [os.open(os.devnull, os.O_RDONLY) for _ in range(16)]
            for number in range(8):
                if number == n_before:
                    for one in held:
                        os.close(one)
                results.append(program.run_with_report(x))
            return [report.packets for _, report in results]

    assert len({str(packets(n_before)) for n_before in range(8)}) == 1
