# SPDX-License-Identifier: MIT
"""The benchmarks: the same packets twice, nothing left out silently, figures that add up."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Faults
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

from pyhexagon import quants
from pyhexagon.bench import blocks, host, matmul
from pyhexagon.cli import main
from pyhexagon.kernels import cycles
from pyhexagon.process.transport import NAMES

REQUIRED = {
    "type", "n", "k", "m", "device", "threads", "packets", "packets_max_thread", "macs", "macs_per_packet",
    "weight_bytes", "nmse", "nmse_llama", "nmse_rows", "hvx_instructions", "dma_bytes", "gguf_bytes", "us_python",
    "us_transport", "us_dsp", "kernels", "transport", "versions", "error",
}  # fmt: skip
SMALL = ("--types", "Q4_0,F16", "--shape", "100x256", "--batch", "1,3", "--threads", "1,4")


def bench(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["bench", "matmul", "--json", *arguments]) == 0
    records: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return records


def test_two_runs_print_the_same_packets(qemu: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (bench(capsys, "--device", "loopback:qemu", *SMALL) for _ in range(2))
    exact = ("type", "n", "k", "m", "threads", "packets", "packets_max_thread", "hvx_instructions", "dma_bytes", "nmse")
    assert [[record[name] for name in exact] for record in first] == [
        [record[name] for name in exact] for record in second
    ]
    assert len(first) == 2 * 1 * 2 * 2
    for record in first:
        assert record.keys() >= REQUIRED
        assert record["kernels"] == "hvx"
        assert record["packets"] >= record["packets_max_thread"] > 0
        assert record["macs"] == 100 * 256 * record["m"]
        assert record["macs_per_packet"] == pytest.approx(record["macs"] / record["packets"])
        assert record["gguf_bytes"] <= record["weight_bytes"]
        assert record["nmse"] < 1e-4
        assert (record["nmse_llama"] is None) == (record["type"] == "F16")


def test_a_line_of_csv_for_each_case(qemu: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", "matmul", "--device", "loopback:qemu", "--types", "Q4_0,MXFP4", "--shape", "64x128", "--csv"]
    assert main([*arguments, "--batch", "1,2"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(row["type"], row["m"]) for row in rows] == [(name, m) for name in ("Q4_0", "MXFP4") for m in "12"]
    assert all(int(row["packets"]) > 0 and row["cycles_model"] == row["error"] == "" for row in rows)


@pytest.mark.long
def test_modelled_cycles_are_those_of_the_packets_that_ran(qemu: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--device", "loopback:qemu", "--types", "Q4_0", "--shape", "512x1024", "--batch", "1,4")
    plain = bench(capsys, *arguments)
    for record, without in zip(bench(capsys, *arguments, "--cycles"), plain, strict=True):
        assert record["packets"] == without["packets"]
        assert record["packets_request"] == without["packets_request"] > record["packets"]
        assert without["cycles_model"] is without["functions"] is None
        assert record["packets"] <= record["cycles_model"] < 2 * record["packets"]
        assert record["macs_per_cycle"] == pytest.approx(record["macs"] / record["cycles_model"])
        costs = {one["name"]: (one["packets"], one["cycles"]) for one in record["functions"]}
        in_skel = sum(packets for packets, _ in costs.values())
        assert 0.9 * record["packets"] < in_skel <= record["packets_request"]
        waits = sum(cycles - packets for packets, cycles in costs.values())
        assert record["cycles_model"] == record["packets"] + waits
        loop = max(costs, key=lambda name: costs[name][0])
        assert loop.startswith("hvx_sum_q4_0_")


@pytest.mark.parametrize(
    ("before", "after", "waits"),
    [
        ("V1.w = vrmpy(V0.ub,R0.b)", "V2.w = vadd(V1.w,V3.w)", 0),
        ("V1.w = vrmpy(V0.ub,R0.b)", "V2.w = vasr(V1.w,R1)", 1),
        ("V1 = vmem(R0++#0x1)", "V2.w += vrmpy(V1.ub,R1.b)", 1),
        ("V1.cur = vmem(R0++#0x1)", "V2.w += vrmpy(V1.ub,R1.b)", 1),
        ("V1.tmp = vmem(R0++#0x1)", "V2.w += vrmpy(V1.ub,R1.b)", 0),
        ("V2.w += vrmpy(V1.ub,R1.b)", "V2.w += vrmpy(V3.ub,R1.b)", 0),
        ("V3:2.h = vmpy(V1.ub,R1.b)", "V4 = valign(V9,V3,R2)", 1),
        ("vshuff(V3,V2,R4)", "V5.h = vmpy(V2.h,V6.h):<<1:rnd:sat", 1),
        ("V1 = vand(V2,V3)", "vmem(R2+#0x1) = V1", 0),
        ("if (!P0) V1 = vmem(R0+#0x0)", "V2 = vror(V1,R3)", 1),
        ("vmem(R2+#0x1) = V1", "V2 = vror(V1,R3)", 0),
        ("R1 = add(R1,#0x1)", "R2 = add(R1,R1)", 0),
    ],
)
def test_what_a_packet_needs_early_makes_it_wait_a_cycle(before: str, after: str, waits: int) -> None:
    packets = [cycles.packet([before]), cycles.packet(["R5 = R6", after])]
    assert cycles.stalls(packets) == waits
    assert cycles.stalls([packets[0], cycles.packet(["nop"]), packets[1]]) == 0


def test_a_weight_in_several_sessions_costs_what_its_parts_cost(
    qemu: str, faults: Faults, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--device", "loopback:qemu", "--types", "Q8_0", "--shape", "6000x512", "--batch", "1")
    (whole,) = bench(capsys, *arguments)
    faults.set("map_limit", 2 << 20)
    (split,) = bench(capsys, *arguments)
    assert whole["packets"] < split["packets"] < 1.2 * whole["packets"]
    assert split["packets"] == split["packets_max_thread"]
    assert split["weight_bytes"] >= whole["weight_bytes"]
    assert min(split["us_total"], split["us_python"], split["us_transport"], split["us_dsp"]) > 0


def test_a_device_that_does_not_count_packets_gives_times(capsys: pytest.CaptureFixture[str]) -> None:
    for record in bench(capsys, "--device", "loopback", *SMALL):
        assert record["packets"] is record["packets_max_thread"] is record["macs_per_packet"] is None
        assert record["kernels"] == "cpu"
        assert min(record["us_total"], record["us_python"], record["us_transport"], record["us_dsp"]) > 0


def test_a_case_that_does_not_fit_is_reported_and_the_others_run(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--device", "loopback", "--types", "Q4_0,F32", "--shape", "8x100", "--batch", "1,2")
    records = bench(capsys, *arguments)
    assert [(record["type"], record["m"], record["error"] is None) for record in records] == [
        ("Q4_0", 1, False), ("Q4_0", 2, False), ("F32", 1, True), ("F32", 2, True),
    ]  # fmt: skip
    assert "multiple of 32" in records[0]["error"]
    assert records[0]["packets"] is records[0]["nmse"] is None
    assert main(["bench", "matmul", *arguments]) == 0
    assert "was not run" in capsys.readouterr().out


def test_of_many_rows_a_sample_is_checked_and_said_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyhexagon.bench.matmul._CHECKED_WEIGHTS", 50 * 256)
    (record,) = bench(capsys, "--device", "loopback", "--types", "Q8_0", "--shape", "200x256", "--batch", "1")
    assert record["nmse_rows"] == 50
    assert 0 < record["nmse"] < 1e-4


def test_a_benchmark_of_which_no_case_ran_fails(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--device", "loopback", "--shape", "8x100", "--types"]
    assert main(["bench", "matmul", "--json", *arguments, "Q4_0,F32"]) == 0
    capsys.readouterr()
    assert main(["bench", "matmul", "--json", *arguments, "Q4_0"]) == 1
    assert "multiple of 32" in capsys.readouterr().out
    assert main(["bench", "matmul", *arguments, "Q4_0"]) == 1
    assert "was not run" in capsys.readouterr().out


def test_packets_to_model_are_counted_before_hours_of_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matmul, "run", lambda *_: pytest.fail("measured first"))
    assert main(["bench", "matmul", "--device", "loopback", "--cycles"]) == 1
    assert "does not count packets. Hint: use --device loopback:qemu" in capsys.readouterr().err


def test_the_same_file_is_not_taken_twice(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    one, other = str(tmp_path / "x.svg"), str(tmp_path / "link" / "x.svg")
    for arguments in (
        ["matmul", "model.gguf", "w", "--device", "loopback", "--out", one, "--trace", other],
        ["matmul", one, "w", "--device", "loopback", "--out", other],
    ):
        assert main(arguments) == 1
        assert "are one file" in capsys.readouterr().err
    assert not Path(one).exists()


@pytest.mark.parametrize(
    "arguments",
    ["--types Q9", "--shape 64", "--shape 0x64", "--batch 0", "--batch 99999999999999999999", "--threads 9"],
)
def test_wrong_usage_ends_with_2(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["bench", "matmul", "--device", "loopback", *arguments.split()])
    assert exit_info.value.code == 2


@pytest.mark.parametrize("dtype", quants.supported(), ids=lambda dtype: dtype.name)
def test_random_weights_are_ordinary_numbers(dtype: Q) -> None:
    block_size, block_bytes = GGML_QUANT_SIZES[dtype]
    raw = blocks.random_blocks(dtype, 64, 1024, seed=1)
    assert raw.shape == (64, 1024 // block_size * block_bytes)
    assert np.array_equal(raw, blocks.random_blocks(dtype, 64, 1024, seed=1))
    w = blocks.dequantize(raw, dtype)
    assert np.isfinite(w).all()
    assert w.std() > 0.01
    assert abs(w.mean()) < w.std() / 4


@pytest.mark.parametrize("transport", [None, *NAMES])
def test_host_figures_add_up(
    transport: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "ROUNDS", 4)
    forced = [] if transport is None else ["--transport", transport]
    assert main(["bench", "host", "--device", "loopback", "--json", *forced]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [figures["transport"] for figures in result["transports"]] == ([transport] if transport else list(NAMES))
    for figures in result["transports"]:
        assert figures["us_matmul"] > 0 < figures["us_bare"]  # which is more hangs on what else the machine does
        assert figures["ratio"] == pytest.approx(figures["us_matmul"] / figures["us_bare"])
        assert figures["us_above"] == pytest.approx(figures["us_matmul"] - figures["us_bare"])
        assert len(figures["stages"]) == 5
    assert main(["bench", "host", "--device", "loopback", *forced]) == 0
    assert "above the bare call" in capsys.readouterr().out
