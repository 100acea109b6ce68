# SPDX-License-Identifier: MIT
"""``pyhexagon bench silicon`` on the engines, and on a scripted board whose figures the tests know."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llm import tiny
from sysfs import tree

from pyhexagon import Device, cli
from pyhexagon._ffi import contract
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.bench import silicon, silicon_estimate, thermals
from pyhexagon.bench.sensors import Sensors
from pyhexagon.bench.silicon_probes import BUFFER_BYTES, DspProbe, Prediction, dsp_probes
from pyhexagon.cli import report
from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.process.stub import ProbeRecord

CLOCK = 1.3e9
N_THREADS = 4


def middle(predicted: Prediction) -> float:
    return (predicted.low + predicted.high) / 2


def nanoseconds(probe: DspProbe, figure: float) -> float:
    """Return the time of a unit of work in one thread with which the probe has this figure."""
    match probe.predicted.unit:
        case "cycles/packet":
            return figure * probe.packets / CLOCK * 1e9
        case "GB/s":
            return (1 if probe.kind == "DMA_SHARED" else probe.threads) / figure  # shared: thread 0 alone copies
        case "us":
            return figure * 1e3
        case "us/MiB":
            return figure * 1e3 / (1 << 20)
    raise AssertionError(probe.predicted.unit)


def scripted(path: Path, figures: Mapping[str, float] = {}, clock: float = CLOCK) -> Path:
    """Write the rates of a board with all figures in the middle of their predictions, except some."""
    lines = [f"clock {clock}", "invoke 80000", "poll 50000", "queue 40000", "map 100000", "corner 1 2.2"]
    for probe in dsp_probes(N_THREADS):
        if probe.name != "clock":
            figure = figures.get(probe.name, middle(probe.predicted))
            kind = contract.PROBES[probe.kind]
            lines.append(f"work {kind} {probe.threads} {probe.size} {nanoseconds(probe, figure)}")
    path.write_text("\n".join(lines) + "\n")
    return path


def run(rates: Path, *arguments: str, options: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pyhexagon", *arguments]
    environment = os.environ | {"PYHEXAGON_LOOPBACK": f"rates={rates}{options}"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def bench(rates: Path, *arguments: str, options: str = "") -> subprocess.CompletedProcess[str]:
    return run(rates, "bench", "silicon", "--device", "loopback", *arguments, options=options)


def lines_of(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {line["probe"]: line for line in result["lines"]}


def test_board_with_the_predicted_rates_is_as_predicted(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = bench(scripted(tmp_path / "rates"), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "a scripted board" in done.stdout
    result = silicon.load(out)
    assert result["scripted"]
    assert result["threads"] == N_THREADS
    lines = lines_of(result)
    assert lines["clock"]["measured"] == pytest.approx(CLOCK / 1e9, rel=1e-3)
    dsp = [probe.name for probe in dsp_probes(N_THREADS)]
    assert {name: lines[name]["verdict"] for name in dsp} == dict.fromkeys(dsp, silicon.AS_PREDICTED)
    powers = ("low", "balanced", "burst", "performance")
    votes = [f"vote {power}{what}" for power in powers for what in ("", " clock", " dma/4")]
    host = [*votes, "heap", "stale lines"]
    assert {name: lines[name]["verdict"] for name in host} == dict.fromkeys(host, silicon.AS_PREDICTED)
    assert lines["vote low clock"]["measured"] == pytest.approx(CLOCK / 2.2e9, rel=1e-3)
    modes = ("invoke", "dspqueue", "invoke without QoS", "invoke poll")
    messages = [f"{mode} after {idle} ms" for mode in modes for idle in (0, 1, 10)]
    assert [name for name in lines if name not in dsp] == [
        *votes,
        "map",
        "heap",
        "stale lines",
        "kernel load",
        "kernel call",
        *messages,
    ]
    # This machine's clock measures these, so that a loaded machine only makes them longer.
    for name, least in (
        ("map", 100), ("invoke after 0 ms", 80), ("dspqueue after 0 ms", 40), ("invoke poll after 0 ms", 50)
    ):  # fmt: skip
        assert lines[name]["measured"] >= least
        assert lines[name]["verdict"] in (silicon.AS_PREDICTED, silicon.HIGHER)


def test_wrong_predictions_are_flagged(tmp_path: Path) -> None:
    wrong = {
        "nop/4": 3.9, "vrmpy chain/1": 1.0, "load ddr l2fetch/4": 8.0, "dma 256 KiB/4": 20.0, "cache clean": 200.0,
        "loop Q8_0 32 rows stored/4": 2.0, "loop Q4_0 32 rows dcfetch/1": 9.0, "dma 256 KiB shared/4": 2.0,
    }  # fmt: skip
    options = ";heap=4000000;poll=0;power=-3"
    done = bench(scripted(tmp_path / "rates", wrong, clock=0.8e9), "--json", options=options)
    assert done.returncode == 0, done.stderr
    lines = lines_of(json.loads(done.stdout))
    verdicts = {name: lines[name]["verdict"] for name in (*wrong, "clock", "dma 256 KiB/1")}
    assert verdicts == {
        "nop/4": silicon.HIGHER, "vrmpy chain/1": silicon.LOWER, "load ddr l2fetch/4": silicon.LOWER,
        "dma 256 KiB/4": silicon.HIGHER, "cache clean": silicon.HIGHER, "clock": silicon.LOWER,
        "dma 256 KiB/1": silicon.AS_PREDICTED, "loop Q8_0 32 rows stored/4": silicon.LOWER,
        "loop Q4_0 32 rows dcfetch/1": silicon.HIGHER, "dma 256 KiB shared/4": silicon.LOWER,
    }  # fmt: skip
    assert (lines["heap"]["measured"], lines["heap"]["verdict"]) == (2.0, silicon.LOWER)
    assert (lines["vote burst"]["measured"], lines["vote burst"]["verdict"]) == (float(0x80000414), silicon.HIGHER)
    assert (lines["invoke poll"]["measured"], lines["invoke poll"]["verdict"]) == (None, "failed")
    refusal = "100 us; poll, refused: AEE_EUNSUPPORTED (0x14)"
    assert lines["invoke poll"]["detail"] == f"poll mode is not available: {refusal}"
    assert lines["load ddr l2fetch/4"]["measured"] == pytest.approx(8.0, rel=0.01)


def test_info_and_report_show_the_figures_of_a_scripted_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = scripted(tmp_path / "rates", {"nop/4": 3.9})
    words = run(rates, "info", "--device", "loopback").stdout.split()
    assert "DSP clock 1.3 GHz under load, measured" in " ".join(words)
    steps = report._steps(None, "loopback")
    monkeypatch.setattr(report, "_steps", lambda model, device: {name: steps[name] for name in ("info", "silicon")})
    monkeypatch.setenv("PYHEXAGON_LOOPBACK", f"rates={rates}")
    out = tmp_path / "report.json"
    assert cli.main(["report", "--out", str(out)]) == 0
    results = {name: step["result"] for name, step in json.loads(out.read_text())["steps"].items()}
    assert results["info"]["dsp_clock_ghz"] == pytest.approx(1.3, rel=1e-3)
    assert set(results["info"]["sensors"]) == {"temperatures", "throttled", "clocks", "watts"}
    assert lines_of(results["silicon"])["nop/4"]["verdict"] == silicon.HIGHER


def test_estimates_use_the_figures_of_a_scripted_board(qemu: str, tmp_path: Path) -> None:
    out, model = tmp_path / "silicon.json", tiny.write(tmp_path / "tiny.gguf", "llama")
    rates = scripted(tmp_path / "rates", {"dma 256 KiB/4": 16.0})
    assert bench(rates, "--out", str(out)).returncode == 0
    options = ("--device", "loopback:qemu", "-p", "0", "-n", "1", "-r", "0", "--estimate", "--silicon", str(out))
    done = run(rates, "bench", "model", str(model), *options)
    assert done.returncode == 0, done.stderr
    assert "- 16 GB/s of memory: measured" in done.stdout
    assert "- 1.3 GHz: measured" in done.stdout


def test_decoding_for_thermals_samples_speed_and_sensors(tmp_path: Path) -> None:
    model = tiny.write(tmp_path / "tiny.gguf", "llama")
    start = time.perf_counter()
    with Device("loopback") as device:
        samples = list(thermals.decode(device, partial(GGUFFile, model), 0.5, Sensors(tree(tmp_path))))
    elapsed = time.perf_counter() - start
    assert len(samples) >= 2
    for sample in samples:
        assert sample["tokens_per_second"] > 0
        assert 0 < sample["joules_token"]["ina226 1"] < 6.1 * elapsed
        assert sample["temperatures"]["cpu0-thermal"] == pytest.approx(48.2)
    speeds = [{"seconds": 10.0, "tokens_per_second": 16.0}, {"seconds": 600.0, "tokens_per_second": 12.0}]
    line = silicon._thermals(speeds)
    assert (line["probe"], line["measured"], line["verdict"]) == ("decode after 600 s", 75.0, silicon.LOWER)


def test_records_have_the_cycles_of_each_thread(tmp_path: Path) -> None:
    rates = tmp_path / "rates"
    rates.write_text("clock 1e9\nread 10\n")  # each read of the counter takes 10 cycles
    script = """if True:
        import numpy as np
        from pyhexagon import Device, Trace
        with Trace("trace.json") as trace, Device("loopback") as device, trace.of(device):
            with device.program() as p:
                p.output(p.add(p.input((64, 4096)), p.input((64, 4096))))
            program = p.compile()
            ones = np.ones((64, 4096), np.float32)
            op = program.run_with_report(ones, ones)[1].ops[0]
        print([op.cycles, op.cycles_max_thread, *(one.cycles for one in op.threads)])
        """
    environment = os.environ | {"PYHEXAGON_LOOPBACK": f"rates={rates}", "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    total, most, *threads = json.loads(done.stdout)
    assert len(threads) == N_THREADS
    assert min(threads) >= 10
    assert [total, most] == [sum(threads), max(threads)]
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert total in [event["args"].get("cycles") for event in events]


@pytest.fixture(scope="module", params=["loopback", "loopback:qemu"])
def device(request: pytest.FixtureRequest) -> Any:
    with Device(request.param) as opened:
        yield opened


def test_every_probe_runs_and_has_no_verdict_without_a_dsp(device: Device) -> None:
    result = silicon.run(device.name, "performance", lambda name: None)
    silicon.check(json.loads(json.dumps(result)))
    assert not result["scripted"]
    lines = lines_of(result)
    of_cycles = {name for name, line in lines.items() if line["unit"] in ("GHz", "cycles/packet")}
    for name, line in lines.items():
        assert line["verdict"] == (silicon.NO_COUNTER if name in of_cycles else silicon.NO_DSP), line
        assert (line["measured"] is None) == (name in of_cycles)
    if device.name == "loopback:qemu":
        check_packets(lines)


def check_packets(lines: dict[str, dict[str, Any]]) -> None:
    """The packets that QEMU counts are those by which a board's cycles are divided; QEMU has no cycle counter."""
    for probe in dsp_probes(N_THREADS):
        if probe.packets:
            records = [ProbeRecord(**record) for record in lines[probe.name]["detail"]]
            assert len(records) == probe.threads
            for record in records:
                assert record.packets == pytest.approx(record.work * probe.packets, rel=0.005), probe
                assert record.cycles == 0


@contextmanager
def mapped(device: Device) -> Iterator[SharedMemory]:
    """Yield a mapped buffer for probes."""
    buffer = SharedMemory(device._library, BUFFER_BYTES)
    device._session.map(buffer)
    yield buffer
    device._session.unmap(buffer)
    buffer.free()


VECTOR, MOST = 128, contract.PROBE_MAX_BYTES


@pytest.mark.parametrize(
    ("kind", "scalars", "code"),
    [
        ("NOP", (0, 1, 0), 0x8000040E),
        ("NOP", (5, 1, 0), 0x8000040E),
        ("NOP", (9, 1, 0), 0x8000040E),  # more than a response has records for
        ("NOP", (1, 0, 0), 0x8000040E),
        ("NOP", (1, 65537, 0), 0x8000040E),
        ("NOP", (1, 1, 1), 0x8000040E),
        ("LOOP_Q4_0", (1, 1, 2), 0x8000040E),
        ("LOOP_Q8_0", (1, 1, 64), 0x8000040E),
        ("LOAD_MEMORY", (1, 1, 0), 0x8000040E),
        ("LOAD_MEMORY", (1, 1, VECTOR), 0x8000040E),  # no multiple of what one prefetch covers
        ("LOAD_MEMORY", (1, MOST // 8192 + 1, 8192), 0x8000040E),
        ("LOAD_MEMORY", (1, 1 << 16, 1 << 16), 0x8000040E),  # 2^32 bytes
        ("LOAD_MEMORY", (4, 1, BUFFER_BYTES // 2), 0x80000402),
        ("LOAD_FETCHED", (1, 1, 1 << 30), 0x80000402),
        ("DMA", (1, 1, VECTOR + 1), 0x8000040E),
        ("DMA", (1, 1, 1 << 21), 0x8000040E),
        ("DMA_SHARED", (2, 1, VECTOR), 0x8000040E),  # no multiple of what the other threads load
        ("STORED_Q4_0", (1, 1, 2), 0x8000040E),
        ("DCFETCH_Q8_0", (1, 1, 64), 0x8000040E),
        ("CACHE_CLEAN", (1, 1, BUFFER_BYTES + VECTOR), 0x80000402),
    ],
)
def test_requests_out_of_their_bounds_are_refused(
    device: Device, kind: str, scalars: tuple[int, int, int], code: int
) -> None:
    """Scalars: threads, repeats, size."""
    with mapped(device) as buffer, pytest.raises(HexagonError) as error:
        device._session.probe(contract.PROBES[kind], *scalars, buffer.fd)
    assert error.value.code == code
    device._session.ping()


def test_unknown_probes_and_buffers_are_refused(device: Device) -> None:
    with pytest.raises(HexagonError) as error:
        device._session.probe(len(contract.PROBES), 1, 1)
    assert error.value.code == 0x80000414
    with pytest.raises(HexagonError) as error:
        device._session.probe(contract.PROBES["LOAD_MEMORY"], 1, 1, 8192, 12345)
    assert error.value.code == 0x80000448


def test_figure_is_that_of_the_slowest_thread() -> None:
    records = [ProbeRecord(192, 4000, 0, 1000), ProbeRecord(384, 2000, 0, 1000)]  # 10 us and 20 us
    cycles = DspProbe("a", "NOP", 2, 1, 0, Prediction(1, 2, "cycles/packet"), 2)
    assert cycles.figure(records) == 2.0
    assert cycles._replace(predicted=Prediction(1, 2, "GB/s")).figure(records) == pytest.approx(0.1)
    assert cycles.figure([one._replace(cycles=0) for one in records]) is None
    short = [one._replace(ticks=0, work=1 << 20) for one in records]  # less than a tick of the 19.2 MHz timer
    assert cycles._replace(predicted=Prediction(1, 2, "us/MiB")).figure(short) == pytest.approx(1 / 19.2)


def test_only_results_of_this_schema_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    for text in ("{", "[]", '{"schema": "other"}', json.dumps({"schema": silicon.SCHEMA, "lines": [{"probe": "a"}]})):
        path.write_text(text)
        with pytest.raises(ArgumentError, match=r"result\.json"):
            silicon.load(path)


def result_of(lines: Mapping[str, float | None], *, scripted: bool = True) -> dict[str, Any]:
    measured = [{"probe": name, "measured": figure} for name, figure in lines.items()]
    return {"loopback": True, "scripted": scripted, "threads": 4, "lines": measured}


def test_estimate_is_a_range_of_named_assumptions() -> None:
    cases = silicon_estimate.assumptions()
    for better in ("bytes_per_second", "demand_bytes_per_second"):
        values = [getattr(cases[name], better) for name in silicon_estimate.CASES]
        assert values == sorted(values)
    lines = silicon_estimate.describe(cases)
    assert len(lines) == len(silicon_estimate.Assumptions._fields)
    assert "3.2 / 2 / 1 cycles a packet: assumed" in lines


def test_measured_figures_replace_assumptions() -> None:
    lines = {
        "clock": 1.0, "loop Q4_0 4 rows/1": 9.0, "loop Q4_0 4 rows/4": 1.5, "dma 32 KiB/4": 14.0,
        "dma 256 KiB/4": None, "load ddr/4": 3.0, "invoke after 0 ms": 100.0, "dspqueue after 0 ms": 50.0,
        "dispatch by spin": 0.25,
    }  # fmt: skip
    cases = silicon_estimate.assumptions(result_of(lines))
    assert set(cases.values()) == {silicon_estimate.Assumptions(1.5, 14e9, 1e9, 50e-6, 3e9, 0.25e-6)}
    only = result_of({"clock": None, "dma 32 KiB/4": 14.0})
    some = silicon_estimate.assumptions(only)
    assert some["low"]._replace(bytes_per_second=8e9) == silicon_estimate.assumptions()["low"]
    assert [line for line in silicon_estimate.describe(some, only) if line.endswith("measured")] == [
        "14 GB/s of memory: measured"
    ]
    given = {"bytes_per_second": 9e9}
    cases = silicon_estimate.assumptions(only, given)
    assert cases["high"].bytes_per_second == 9e9
    assert "9 GB/s of memory: given" in silicon_estimate.describe(cases, only, given)
    for wrong in ({"bytes_per_second": 0.0}, {"bytes_per_second": float("nan")}, {"speed": 1.0}):
        with pytest.raises(ArgumentError, match=next(iter(wrong))):
            silicon_estimate.assumptions(only, wrong)
    with pytest.raises(ArgumentError, match="no DSP was measured"):
        silicon_estimate.assumptions(result_of(lines, scripted=False))


def test_products_are_the_same_after_probes(device: Device) -> None:
    """Probes overwrite VTCM, where products keep weights only within a request."""
    random = np.random.default_rng(0)
    x = random.standard_normal((1, 1024), dtype=np.float32)
    with device.weight(random.standard_normal((512, 1024), dtype=np.float32)) as weight, mapped(device) as buffer:
        before = device.matmul(x, weight).numpy().copy()
        for kind, repeats, size in (("DMA", 20, 1 << 15), ("LOOP_Q8_0", 3, 32)):
            device._session.probe(contract.PROBES[kind], N_THREADS, repeats, size, buffer.fd)
        assert np.array_equal(device.matmul(x, weight).numpy(), before)
