# SPDX-License-Identifier: MIT
"""benchmarks.timeline: its figures, its trace, and the order of ops and packets that QEMU recorded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trace_format
from llm import tiny

from benchmarks.timeline import main
from pyhexagon import cli
from pyhexagon.bench import model, silicon, timeline_record
from pyhexagon.bench.timeline import ROUND_TRIPS
from pyhexagon.bench.timeline_record import RecordedMessage
from pyhexagon.program.report import Report


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("model") / "tiny.gguf", "llama")


def bench(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main([*arguments, "--json"]) == 0
    records: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return records


@pytest.mark.usefixtures("qemu")
@pytest.mark.parametrize("tokens", [[], ["-p", "6"]])
def test_order_and_packets_are_those_of_the_run(
    tiny_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tokens: list[str],
) -> None:
    reports: list[Report] = []

    def recorded(seen: Sequence[Report], *rest: Any) -> list[RecordedMessage]:
        reports.extend(seen)
        return timeline_record.recorded(seen, *rest)

    monkeypatch.setattr(model, "recorded", recorded)
    trace = tmp_path / "trace.json"
    (record,) = bench(capsys, str(tiny_model), "-d", "70", "--threads", "2", "--trace", str(trace), *tokens)
    assert [[op["op"] for op in message["ops"]] for message in record["messages"]] == [
        [op.op for op in report.ops] for report in reports
    ]
    ops = [op for message in record["messages"] for op in message["ops"]]
    counted = [op for report in reports for op in report.ops]
    assert [sum(op["packets"]) for op in ops] == [op.packets for op in counted]
    assert [max(op["packets"]) for op in ops] == [op.packets_max_thread for op in counted]
    assert [op["dma_bytes"] for op in ops] == [op.dma_bytes for op in counted]
    tracks = {track: spans for (_, track), spans in trace_format.read(trace).tracks.items()}
    assert set(tracks) == {"thread 0", "thread 1"}
    launched = [span.name for span in tracks["thread 0"] if span.args["part"] == "dispatch"]
    expected = [[ROUND_TRIPS, *(op.op for op in report.ops if not op.fused)] for report in reports]
    assert launched == [name for message in expected for name in message]
    for case in record["cases"].values():
        assert sum(costs["seconds"] for costs in case["by_kind"].values()) == pytest.approx(case["seconds"])
        assert case["tokens_per_second"] == pytest.approx((record["n_prompt"] or 1) / case["seconds"])
    demand = [op["demand_bytes"] for op in ops if op["op"] == "flash_attn_ext"]
    assert all(demand)
    assert {op["op"] for op in ops if op["fetched"]} == (set() if tokens else {"flash_attn_ext"})
    assert not any(op["demand_bytes"] for op in ops if op["op"] != "flash_attn_ext")


@pytest.mark.usefixtures("qemu")
def test_assumptions_are_named_and_replaced(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = tmp_path / "silicon.json"
    line = dict(zip(silicon.FIELDS, ("load ddr/4", 0.6, 6.0, 3.0, "GB/s", "as predicted", None), strict=True))
    facts = {"schema": silicon.SCHEMA, "loopback": True, "scripted": True, "threads": 4}
    board.write_text(json.dumps(facts | {"lines": [line]}))
    command = [str(tiny_model), "-d", "70", "--assume", "message_seconds=1", "--cpu-share", "0.5"]
    assert main([*command, "--fetched", "flash_attn_ext", "--silicon", str(board)]) == 0
    shown = capsys.readouterr().out
    assert "- 1e+06 us a message: given" in shown
    assert "- 3 GB/s of demand misses: measured" in shown
    assert "- 8 / 12.6 / 17 GB/s of memory: assumed" in shown
    assert "tg1 @ d70" in shown
    assert "flash_attn_ext" in shown
    for wrong, words in (("speed=1", "no assumption 'speed'"), ("message_seconds=-1", "expected a positive number")):
        assert main([str(tiny_model), "--assume", wrong]) == 1
        assert words in capsys.readouterr().err
    assert main([str(tiny_model), "--device", "loopback"]) == 1
    with pytest.raises(SystemExit, match="2"):
        main([str(tiny_model), "--fetched", "attention"])


@pytest.mark.usefixtures("qemu")
def test_bench_model_estimates_by_the_same_simulation(tiny_model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = [str(tiny_model), "-d", "70", "--threads", "1"]
    (record,) = bench(capsys, *common)
    command = ["bench", "model", *common, "--device", "loopback:qemu", "-p", "0", "-n", "1", "-r", "0", "--estimate"]
    assert cli.main([*command, "--json"]) == 0
    (estimated,) = json.loads(capsys.readouterr().out)
    expected = {case: one["tokens_per_second"] for case, one in record["cases"].items()}
    assert estimated["estimate_range"] == pytest.approx(expected, rel=0.001)
    assert "messages" not in estimated
